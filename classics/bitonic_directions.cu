// Bitonic sort as it is most often written down: partners at tid ^ j, directions from tid & k.
//
// Idea. Runs of k keys are sorted, every second one downwards, so that two neighbours together are bitonic without
// turning one round; the merge of them halves its distance j from k/2 to 1. Thread i compares its key with that of
// thread i ^ j, the lower thread of the two does the work, and bit k of i says which way:
//
//   for k = 2, 4, 8, …, m            runs of k become sorted
//     for j = k/2, k/4, …, 1
//       partner = i ^ j
//       if partner > i:  put both in order, ascending where (i & k) = 0, descending elsewhere
//
// Any n. bitonic.cu mirrors the first step of each merge, all its comparators point up, and keys beyond the end can be
// imagined. Here a descending run would move imagined keys to its front, so they have to be there: positions are sorted
// in place of keys, m of them, the next power of two, and a position of n or more comes after all keys. The keys are
// fetched at the end, in the order of the positions.
//
//   $ sortile classics show --example bitonic-directions
//   input: 5 2 8 1 9 3 7 4
//   k = 2, j = 1
//     positions  1 0 | 2 3 | 5 4 | 6 7
//     compared   0<1* 2>3 4<5* 6>7
//     keys       2 5 | 8 1 | 3 9 | 7 4
//   k = 4, j = 2
//     positions  1 3 2 0 | 6 4 5 7
//     compared   0<2 1<3* 4>6* 5>7
//     keys       2 1 8 5 | 7 9 3 4
//   k = 4, j = 1
//     positions  3 1 0 2 | 4 6 7 5
//     compared   0<1* 2<3* 4>5* 6>7*
//     keys       1 2 5 8 | 9 7 4 3
//   k = 8, j = 4
//     positions  3 1 7 5 4 6 0 2
//     compared   0<4 1<5 2<6* 3<7*
//     keys       1 2 4 3 9 7 5 8
//   k = 8, j = 2
//     positions  3 1 7 5 0 6 4 2
//     compared   0<2 1<3 4<6* 5<7
//     keys       1 2 4 3 5 7 9 8
//   k = 8, j = 1
//     positions  3 1 5 7 0 6 2 4
//     compared   0<1 2<3* 4<5 6<7*
//     keys       1 2 3 4 5 7 8 9
//   result: 1 2 3 4 5 7 8 9
//
// A line "0<1* 2>3" says: places 0 and 1 were put in ascending order and were exchanged, 2 and 3 in descending order.
//
// Source: Batcher, "Sorting Networks and their Applications", 1968; the form with exclusive or: CUDA's samples, and
// many courses.
//
// Cost: as bitonic-steps, log m (log m + 1) / 2 launches; a comparator reads two positions and, at random, two keys,
// where bitonic-steps reads two neighbours' keys. Half of the threads of every launch return at once: (i ^ j) > i holds
// for one of two.
//
// What it teaches: the exclusive or as a map of partners, and directions as a bit of the index. Limits: the padding,
// the idle half, and branches in two directions; the mirrored form has none of them.
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
    const bool ascending = (i & k) == 0;
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

/// For --steps: comparators with their directions, and the keys where their positions stand; '.' is beyond the end.
template <class Word, bool Pairs>
void tell_step(job& j, const records<Word, Pairs>& data, const std::vector<std::uint32_t>& before,
               const device_array<std::uint32_t>& positions, std::uint64_t k, std::uint64_t distance) {
  const std::uint64_t n = j.asked.n, m = positions.size();
  const std::vector<std::uint32_t> after = positions.to_host();
  const std::vector<Word> keys = fetch(j.on, data.keys, n);
  std::vector<wire> wires;
  std::vector<std::string> texts;
  for (std::uint64_t i = 0; i < m; ++i) {
    if ((i ^ distance) > i)
      wires.push_back({i, i ^ distance, (i & k) != 0, before[i] != after[i]});
    texts.push_back(after[i] < n ? key_as_text(j.asked.type, &keys[after[i]], j.asked.shown, j.shown_bits) : ".");
  }
  j.tell("k = " + std::to_string(k) + ", j = " + std::to_string(distance))
      .wires(std::move(wires))
      .numbers("positions", after, k)
      .words("keys", std::move(texts), k);
}

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
    for (std::uint64_t distance = k / 2; distance > 0; distance /= 2) {
      const std::vector<std::uint32_t> before = j.shows_steps() ? positions.to_host() : std::vector<std::uint32_t>();
      simt::launch(j.on.queue(), all, compare_by_xor<Word>{data.keys, n, m, codec, view(positions), k, distance});
      if (j.shows_steps())
        tell_step(j, data, before, positions, k, distance);
    }
  simt::launch(j.on.queue(), all, fetch_by_position<Word, Pairs>{data, spare, n, view(positions)});
  std::swap(data, spare);
}

} // namespace

SORTILE_CLASSICS_OF(bitonic_directions) {
  classic c = network_sort("bitonic-directions", "partners at i ^ j, directions from i & k; positions padded to 2^k",
                           "Batcher 1968", [](job& j) { with_records(j, [&](auto&... a) { by_xor(j, a...); }); });
  c.steps_show = "of each launch the comparators with their directions, the positions and their keys";
  c.tile = 512;
  c.parameters = {tile_parameter(256)};
  return {c};
}

} // namespace sortile::classics
