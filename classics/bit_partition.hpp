// The host side of LSD radix sorts that need one launch per bit, and the launch before the first bit: what a
// radix-1bit-one-launch and its coarsened form have in common (radix_one_bit.cu, radix_coarsened.cu).
//
//   count_ones               of every bit of the image, how many keys have it set; no pass changes these counts
//   partition_by_each_bit    a stable partition by each bit, each a launch that looks back for what lies before a tile
#pragma once

#include "classics/scan.hpp"

namespace sortile::classics::inline SORTILE_BACKEND {

/// Counts in shared memory first, by votes of warps, then in memory.
template <class Word>
struct count_ones {
  static constexpr unsigned block_threads = 256, width = 8 * sizeof(Word);
  struct shared {
    simt::shared_array<std::uint32_t, width> ones;
  };
  simt::global<const Word> keys;
  std::uint64_t n;
  key_codec<Word> codec;
  simt::global<std::uint32_t> ones; // [width], 0 at the start
  unsigned keys_a_thread;

  SORTILE_DEVICE void operator()(shared& s) const {
    const unsigned t = simt::thread_index();
    if (t < width)
      s.ones[t] = 0;
    simt::block_barrier();
    const std::uint64_t first = std::uint64_t{simt::block_index()} * block_threads * keys_a_thread;
    for (unsigned k = 0; k < keys_a_thread; ++k) {
      const std::uint64_t i = first + k * block_threads + t;
      const Word image = i < n ? codec.image(keys.load(i)) : Word{0};
      for (unsigned bit = 0; bit < codec.bits; ++bit) {
        const unsigned votes = simt::ballot(((image >> bit) & 1) != 0);
        if (simt::lane_index() == 0 && votes != 0)
          s.ones.fetch_add(bit, simt::popcount(votes));
      }
    }
    simt::block_barrier();
    if (t < codec.bits && s.ones.load(t) != 0)
      ones.fetch_add(t, s.ones.load(t));
  }
};

/// `Partition` is a kernel of tiles of `tile_elements` with the members from, to, n, codec, bit, begun (a counter of
/// tiles, 0), states (a word a tile, 0) and ones_in_total (of each bit).
template <class Partition, class Word, bool Pairs>
void partition_by_each_bit(job& j, records<Word, Pairs>& data, records<Word, Pairs>& spare,
                           const key_codec<Word>& codec) {
  using counting = count_ones<Word>;
  const std::uint64_t n = j.asked.n;
  if (n == 0)
    return;
  const device_array<std::uint32_t> ones(j.on, counting::width), begun(j.on, 1);
  const device_array<std::uint64_t> states(j.on, blocks_for(n, Partition::tile_elements));
  const simt::launch_config tiles{.grid = static_cast<unsigned>(states.size())};
  ones.clear();
  simt::launch(j.on.queue(), tiles,
               counting{data.keys, n, codec, view(ones), Partition::tile_elements / counting::block_threads});
  j.show("ones of each bit", ones);
  for (unsigned bit = 0; bit < codec.bits; ++bit) {
    begun.clear();
    states.clear();
    simt::launch(j.on.queue(), tiles, Partition{data, spare, n, codec, bit, view(begun), view(states), view(ones)});
    std::swap(data, spare);
    j.show("keys after bit " + std::to_string(bit), untyped(data), n);
  }
}

} // namespace sortile::classics::inline SORTILE_BACKEND
