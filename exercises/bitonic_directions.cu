// Exercise: the directions of a bitonic sort. See bitonic-directions.md.
#include "classics/network.hpp"

#include <bit>

namespace sortile::classics {
namespace {

struct number_positions {
  static constexpr unsigned block_threads = 256;
  simt::global<std::uint32_t> positions;
  std::uint64_t m;
  SORTILE_DEVICE void operator()() const {
    const std::uint64_t i = grid_thread();
    if (i < m)
      positions[i] = static_cast<std::uint32_t>(i);
  }
};

template <class Word>
struct compare_by_xor {
  static constexpr unsigned block_threads = 256;
  simt::global<const Word> keys;
  std::uint64_t n, m;
  key_codec<Word> codec;
  simt::global<std::uint32_t> positions; // [m]
  std::uint64_t k, j;

  /// Whether p has to come after q: positions of n or more come after all keys.
  SORTILE_DEVICE bool after(std::uint32_t p, std::uint32_t q) const {
    if (p >= n || q >= n)
      return p >= n && q < n;
    return codec.image(keys.load(p)) > codec.image(keys.load(q));
  }
  SORTILE_DEVICE void operator()() const {
    const std::uint64_t i = grid_thread(), partner = i ^ j;
    if (partner <= i || partner >= m)
      return;
    const std::uint32_t p = positions.load(i), q = positions.load(partner);
    // Your turn: does this comparator point up or down?
    const bool ascending = i + k != 0;
    if (ascending ? after(p, q) : after(q, p)) {
      positions[i] = q;
      positions[partner] = p;
    }
  }
};

template <class Word, bool Pairs>
struct fetch_by_position {
  static constexpr unsigned block_threads = 256;
  records<Word, Pairs> in, out;
  std::uint64_t n;
  simt::global<const std::uint32_t> positions;
  SORTILE_DEVICE void operator()() const {
    const std::uint64_t i = grid_thread();
    if (i < n)
      out.store(i, in.load(positions.load(i)));
  }
};

template <class Word, bool Pairs>
void by_xor(job& j, records<Word, Pairs>& data, records<Word, Pairs>& spare, const key_codec<Word>& codec) {
  const std::uint64_t n = j.asked.n, m = std::bit_ceil(n);
  if (n == 0)
    return;
  const unsigned tile = j.parameter("tile");
  const simt::launch_config all{.grid = blocks_for(m, tile), .block = tile};
  const device_array<std::uint32_t> positions(j.on, m);
  simt::launch(j.on.queue(), all, number_positions{view(positions), m});
  for (std::uint64_t k = 2; k <= m; k *= 2)
    for (std::uint64_t distance = k / 2; distance > 0; distance /= 2)
      simt::launch(j.on.queue(), all, compare_by_xor<Word>{data.keys, n, m, codec, view(positions), k, distance});
  simt::launch(j.on.queue(), all, fetch_by_position<Word, Pairs>{data, spare, n, view(positions)});
  std::swap(data, spare);
}

} // namespace

SORTILE_CLASSICS_OF(exercise) {
  classic c = network_sort("bitonic-directions", "partners at i ^ j, directions from i & k; positions padded to 2^k",
                           "Batcher 1968", [](job& j) { with_records(j, [&](auto&... a) { by_xor(j, a...); }); });
  c.steps_show = "of each launch the comparators with their directions, the positions and their keys";
  c.tile = 512;
  c.parameters = {tile_parameter(256)};
  return {c};
}

} // namespace sortile::classics
