// Sorts what a block holds: some elements in each thread's registers, put in order within a warp, then merged in shared
// storage.
//
//   warp     runs of 32 · Items elements by shuffles (warp_sort.hpp), no shared storage, no barrier
//   rounds   neighbouring runs of g threads become runs of 2g: each thread finds by binary search where its Items
//            elements of the merged run begin in both (merge path: Green, McColl and Bader 2012; Deo and Sarkar 1991),
//            reads the next Items of each, keeps the smaller half and orders it, and writes it when all have read
//
//   left     … a0 a1 a2 a3 …        min(a0, b3) min(a1, b2) min(a2, b1) min(a3, b0):
//   right    … b0 b1 b2 b3 …        the four smallest, rising and then falling, which two more steps put in order
//
// Nothing follows the keys but the search: reads of a merge are all asked for at once, and the time does not depend on
// what is sorted. Where radix ranking has to fear crowded digits, this does not.
//
// What it costs, in latencies: 15 steps of shuffles, then for each round log2 of the run reads of shared storage one
// after the other, half of that where few warps let the search ask for quarters, one more, and two block barriers: 1024
// elements, four a thread, in three rounds. Few elements a thread have more rounds, many have more work for each: of
// 1024 threads 4 up to 2048 elements, then 8, then 16.
//
// Not stable: equal elements are taken to be indistinguishable. Whoever needs stability makes them differ, with the
// place that they came from as their lowest bits.
//
// Shared storage: the elements, and one unused behind each row of 128 bytes, so that threads side by side, Items
// elements apart, meet in different banks; `place` says where element i stands. Items: a power of two. T: up to 32
// bytes, a multiple of 4, trivially copyable, with operator<.
#pragma once

#include "primitives/warp_sort.hpp"

namespace sortile::primitives::inline SORTILE_BACKEND {

/// Where element i stands in storage that block_merge_sort has written.
template <class T>
SORTILE_HOST_DEVICE constexpr std::uint32_t merge_sort_place(std::uint32_t i) {
  constexpr unsigned row = sizeof(T) <= 4 ? 32 : sizeof(T) <= 8 ? 16 : sizeof(T) <= 16 ? 8 : 4;
  return i + i / row;
}
/// Elements of storage that n elements take.
template <class T>
constexpr std::uint32_t merge_sort_room(std::uint32_t n) {
  return n == 0 ? 0 : merge_sort_place<T>(n - 1) + 1;
}

template <int Items, class T>
class block_merge_sort {
 public:
  static constexpr unsigned warp_elements = simt::warp_size * unsigned(Items);

  /// Warps that n elements take.
  static SORTILE_DEVICE unsigned warps(std::uint32_t n) { return (n + warp_elements - 1) / warp_elements; }

  /// Sorts the `warps` · 32 · Items elements that the first so many warps hold, in any order; element i of the order
  /// stands in s[merge_sort_place<T>(i)] when all threads have passed a block barrier after the call. All threads of
  /// the block call; `warps` is the same in all. No element is above `greatest`. `s` may be in use until the call.
  static SORTILE_DEVICE void sort(const simt::shared_view<T>& s, T (&x)[Items], unsigned warps, const T& greatest) {
    const bool works = simt::warp_index() < warps;
    if (works)
      sort_in_warp(x);
    simt::block_barrier();
    if (works)
      write(s, x);
    SORTILE_NO_UNROLL
    for (unsigned run = warp_elements; run < warps * warp_elements; run *= 2) {
      simt::block_barrier();
      if (works)
        merge(s, x, run, warps * warp_elements, greatest, warps <= few_warps);
      simt::block_barrier();
      if (works)
        write(s, x);
    }
  }

 private:
  /// Up to so many, shared storage has time for three reads where one would do.
  static constexpr unsigned few_warps = 16;

  static SORTILE_DEVICE T at(const simt::shared_view<T>& s, std::uint32_t i) { return s.load(merge_sort_place<T>(i)); }
  static SORTILE_DEVICE void write(const simt::shared_view<T>& s, const T (&x)[Items]) {
    SORTILE_UNROLL
    for (int i = 0; i < Items; ++i)
      s.store(merge_sort_place<T>(simt::thread_index() * unsigned(Items) + unsigned(i)), x[i]);
  }
  /// This thread's part of two runs merged.
  static SORTILE_DEVICE void merge(const simt::shared_view<T>& s, T (&x)[Items], unsigned run, unsigned total,
                                   const T& greatest, bool in_quarters) {
    const unsigned first = simt::thread_index() * unsigned(Items), begin = first / (2 * run) * (2 * run);
    const unsigned middle = smaller(begin + run, total), end = smaller(begin + 2 * run, total), before = first - begin;
    const unsigned from_left = split(s, begin, middle, end, before, in_quarters);
    const unsigned i = begin + from_left, j = middle + (before - from_left) + unsigned(Items) - 1;
    SORTILE_UNROLL
    for (int k = 0; k < Items; ++k) {
      const T a = i + unsigned(k) < middle ? at(s, i + unsigned(k)) : greatest;
      const T b = j - unsigned(k) < end ? at(s, j - unsigned(k)) : greatest;
      x[k] = b < a ? b : a;
    }
    merge_bitonic(x);
  }
  /// How many of the first `before` elements of [begin, middle) and [middle, end) merged are of the left run.
  static SORTILE_DEVICE unsigned split(const simt::shared_view<T>& s, unsigned begin, unsigned middle, unsigned end,
                                       unsigned before, bool in_quarters) {
    const auto below = [&](unsigned from_left) { // fewer are
      return at(s, middle + (before - 1 - from_left)) < at(s, begin + from_left);
    };
    unsigned low = before > end - middle ? before - (end - middle) : 0, high = smaller(before, middle - begin);
    SORTILE_NO_UNROLL
    while (in_quarters && high - low > 2) {
      const unsigned quarter = (high - low) / 4, half = (high - low) / 2;
      const unsigned first = low + quarter, second = low + half, third = second + (high - second) / 2;
      const bool below_first = below(first), below_second = below(second), below_third = below(third);
      low = below_first ? low : below_second ? first + 1 : below_third ? second + 1 : third + 1;
      high = below_first ? first : below_second ? second : below_third ? third : high;
    }
    SORTILE_NO_UNROLL
    while (low < high) {
      const unsigned half = (low + high) / 2;
      const bool is_below = below(half);
      low = is_below ? low : half + 1;
      high = is_below ? half : high;
    }
    return low;
  }
  static SORTILE_DEVICE unsigned smaller(unsigned a, unsigned b) { return a < b ? a : b; }
};

} // namespace sortile::primitives::inline SORTILE_BACKEND
