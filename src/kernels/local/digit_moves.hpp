// Moves the elements of a bucket that lies in memory by a digit of 8 bits, stably: by one block, tile by tile. What is
// left for buckets that no shared storage holds (large_sort_kernel.hpp, pairs/large_pairs_kernel.hpp).
//
//   tile        keys in the order of the array, ranked by digit (primitives/digit_rank.hpp)
//   key's place running[digit] + its rank among the tile's keys of that digit
//   running     where the next key of each digit goes; grows by the tile's counts
#pragma once

#include "primitives/block_scan.hpp"
#include "primitives/digit_rank.hpp"

namespace sortile::kernels::inline SORTILE_BACKEND {

template <class Word, unsigned Threads, int Items, class Image>
struct digit_moves {
  static constexpr unsigned radix = 256, digit_bits = 8, tile_keys = Threads * unsigned(Items),
                            warp_keys = simt::warp_size * unsigned(Items);
  using ranker = primitives::digit_ranker<Threads, Items, digit_bits, primitives::ranking::match>;
  static_assert(ranker::owned == 1);

  struct storage {
    typename ranker::storage rank;
    primitives::block_scan_storage<std::uint32_t, Threads> scan;
    simt::shared_array<std::uint32_t, radix> count;
    simt::shared_array<std::uint32_t, radix> running;
    simt::shared_array<std::uint32_t, radix> base; // running, less the rank of the tile's first key of the digit
  };

  const Image& image;

  // By all threads, of the keys [begin, end) of `from`, by the digit at `shift`.

  /// running[d] = where the keys of digit d begin. False where all keys have the same digit.
  SORTILE_DEVICE bool count(storage& s, const simt::global<const Word>& from, std::uint32_t begin, std::uint32_t end,
                            unsigned shift) const {
    const unsigned t = simt::thread_index();
    if (t < radix)
      s.count[t] = 0;
    simt::block_barrier();
    for (std::uint64_t i = std::uint64_t{begin} + t; i < end; i += Threads)
      s.count.fetch_add(image.digit(from.load(i), shift, radix - 1), 1u, simt::relaxed, simt::block_scope);
    simt::block_barrier();
    const std::uint32_t mine = t < radix ? s.count.load(t) : 0;
    const auto before = primitives::block_exclusive_scan(s.scan, mine, primitives::plus{}, begin);
    if (t < radix)
      s.running[t] = before.before;
    return !simt::block_any(mine == end - begin);
  }

  /// Behind count(): put(place, key, at) for each key, which stands at `at`.
  template <class Put>
  SORTILE_DEVICE void move(storage& s, const simt::global<const Word>& from, std::uint32_t begin, std::uint32_t end,
                           unsigned shift, Put put) const {
    const unsigned t = simt::thread_index();
    for (std::uint64_t first = begin; first < end; first += tile_keys) {
      const std::uint64_t mine = first + simt::warp_index() * warp_keys + simt::lane_index();
      Word keys[Items];
      unsigned digits[Items], ranks[Items];
      SORTILE_UNROLL
      for (int i = 0; i < Items; ++i) {
        const std::uint64_t at = mine + unsigned(i) * simt::warp_size;
        keys[i] = at < end ? from.load(at) : Word{0};
        digits[i] = at < end ? image.digit(keys[i], shift, radix - 1) : radix - 1; // absent ones stand last
      }
      const auto totals = ranker::rank(s.rank, digits, ranks);
      if (t < radix) {
        s.base[t] = s.running.load(t) - totals.start[0];
        s.running[t] = s.running.load(t) + totals.count[0];
      }
      simt::block_barrier();
      SORTILE_UNROLL
      for (int i = 0; i < Items; ++i)
        if (const std::uint64_t at = mine + unsigned(i) * simt::warp_size; at < end)
          put(s.base.load(digits[i]) + ranks[i], keys[i], at);
      simt::block_barrier();
    }
  }
};

} // namespace sortile::kernels::inline SORTILE_BACKEND
