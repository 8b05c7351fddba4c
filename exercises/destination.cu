// Exercise: the destination of a key. See destination.md.
#include "classics/bit_partition.hpp"

namespace sortile::classics {
namespace {

template <class Word>
struct make_flags {
  static constexpr unsigned block_threads = 256;
  simt::global<const Word> keys;
  std::uint64_t n;
  key_codec<Word> codec;
  unsigned bit;
  simt::global<std::uint32_t> flags;

  SORTILE_DEVICE void operator()() const {
    const std::uint64_t i = grid_thread();
    if (i < n)
      flags[i] = static_cast<std::uint32_t>(codec.image(keys.load(i)) >> bit) & 1;
  }
};

template <class Word, bool Pairs>
struct move_by_flags {
  static constexpr unsigned block_threads = 256;
  records<Word, Pairs> from, to;
  std::uint64_t n;
  key_codec<Word> codec;
  unsigned bit;
  simt::global<const std::uint32_t> ones_before; // [n]: how many keys before key i have the bit set
  simt::global<const std::uint32_t> ones;        // [1]: how many there are in all

  SORTILE_DEVICE void operator()() const {
    const std::uint64_t i = grid_thread();
    if (i >= n)
      return;
    const auto r = from.load(i);
    const bool one = ((codec.image(r.key) >> bit) & 1) != 0;
    // Your turn: where does key i go?
    const std::uint64_t destination = one ? i : i;
    to.store(destination, r);
  }
};

template <class Word, bool Pairs>
void sort(job& j, records<Word, Pairs>& data, records<Word, Pairs>& spare, const key_codec<Word>& codec) {
  const std::uint64_t n = j.asked.n;
  const simt::launch_config blocks{.grid = blocks_for(n, 256)};
  const device_array<std::uint32_t> ones(j.on, n);
  const single_pass_scan scan(j.on, n);
  for (unsigned bit = 0; bit < codec.bits && n > 0; ++bit) {
    simt::launch(j.on.queue(), blocks, make_flags<Word>{data.keys, n, codec, bit, view(ones)});
    scan(view(ones), view(ones));
    simt::launch(j.on.queue(), blocks,
                 move_by_flags<Word, Pairs>{data, spare, n, codec, bit, view(ones), scan.total()});
    std::swap(data, spare);
  }
}

} // namespace

SORTILE_CLASSICS_OF(exercise) {
  return {{.name = "destination", .family = "exercise", .stable = true, .tile = 512, .run = [](job& j) {
             with_records(j, [&](auto&... a) { sort(j, a...); });
           }}};
}

} // namespace sortile::classics
