// The words of bins that a block sorts a bucket by, in both local steps (local_sort_kernel.hpp,
// pairs/local_pairs_kernel.hpp): sixteen bins share a word, one bit per bin, with 16 bits that count.
//
//   counting    | elements that found their bin taken (16 bits) | presence bits of 16 bins |
//   placing     | elements in all words before       (16 bits) | presence bits of 16 bins |
//
// A thread has four neighbouring words, or twice four: of the first half of the words and of the second. So a warp that
// reads its words, 16 bytes per lane, meets no bank conflict, and a word stands where its number says. Sums of the two
// halves travel through the scan together, 16 bits each: a block has fewer than 2^16 elements.
#pragma once

#include "primitives/warp_scan.hpp"

namespace sortile::kernels::inline SORTILE_BACKEND {

template <unsigned Threads, unsigned Words>
struct bin_words {
  static constexpr unsigned warps = Threads / simt::warp_size;
  static constexpr int halves = int(Words / Threads / 4); ///< one: a thread has four words, two: twice four
  static_assert(Words % (Threads * 4) == 0 && (halves == 1 || halves == 2));

  using words_view = simt::shared_view<std::uint32_t>;

  static SORTILE_DEVICE void clear(const words_view& bins) {
    SORTILE_UNROLL
    for (int h = 0; h < halves; ++h)
      simt::store_vector<4>(bins, first_of(h), simt::vec<std::uint32_t, 4>{});
  }

  /// From counting to placing; `first` elements stand before those of the first word. sums: a word a warp. Nothing is
  /// done, and false returned in all threads, where too_many was not 0. One barrier.
  static SORTILE_DEVICE bool place(const words_view& bins, const words_view& sums,
                                   const simt::shared_value<std::uint32_t>& too_many, std::uint32_t first) {
    const unsigned lane = simt::lane_index(), warp = simt::warp_index();
    std::uint32_t x[4 * halves], both = 0;
    SORTILE_UNROLL
    for (int h = 0; h < halves; ++h) {
      const auto four = simt::load_vector<4>(bins, first_of(h));
      std::uint32_t sum = 0;
      SORTILE_UNROLL
      for (int k = 0; k < 4; ++k) {
        x[4 * h + k] = simt::permute_bytes(four[k], sum, 0x5410); // bits, and what stands before
        sum += simt::popcount(four[k] & 0xffff) + (four[k] >> 16);
      }
      both += sum << (16 * h);
    }
    const std::uint32_t inclusive = primitives::warp_inclusive_scan(both, primitives::plus{});
    if (lane == simt::warp_size - 1)
      sums.store(warp, inclusive);
    simt::block_barrier();
    if (too_many != 0)
      return false;
    const std::uint32_t of_warp = lane < warps ? sums.load(lane) : 0;
    const std::uint32_t before = simt::warp_reduce_add(lane < warp ? of_warp : 0u) + inclusive - both;
    const std::uint32_t first_half = halves == 1 ? 0 : simt::warp_reduce_add(of_warp & 0xffff);
    SORTILE_UNROLL
    for (int h = 0; h < halves; ++h) {
      const std::uint32_t add = (h == 0 ? before + first : (before >> 16) + first_half + first) << 16;
      simt::vec<std::uint32_t, 4> four;
      SORTILE_UNROLL
      for (int k = 0; k < 4; ++k)
        four[k] = x[4 * h + k] + add;
      simt::store_vector<4>(bins, first_of(h), four);
    }
    return true;
  }

 private:
  static SORTILE_DEVICE std::uint32_t first_of(int half) {
    return (unsigned(half) * Threads + simt::thread_index()) * 4;
  }
};

} // namespace sortile::kernels::inline SORTILE_BACKEND
