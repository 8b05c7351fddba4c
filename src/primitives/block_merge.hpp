// Stable sorts and merges by any order: what one thread and one block do. The order is a function object less(a, b).
//
//   thread   odd-even transposition of its own elements: neighbours change places where the right one is less
//   block    merge_step(): pairs of neighbouring runs in shared storage become runs; each thread makes Items elements
//            of a merged run. It bisects for where its part of both runs begins (merge path: Green, McColl and Bader
//            2012; Deo and Sarkar 1991), and merges one element after the other into registers
//
// Any function is taken. Where `less` is no strict weak order, what is bisected for need not exist, and the parts of
// neighbouring threads could overlap or leave elements out. So each thread compares where it ended with where the next
// one began, before anything is written, and all threads of the block agree: if one pair does not fit, the runs stay as
// they are. What stands in shared storage is a permutation of what stood there, at every moment; every loop ends.
//
// (block_merge_sort.hpp and warp_sort.hpp are quicker and not stable, and two lanes that ask an inconsistent `less`
// about the same elements may both keep the same one. They are for keys whose order is known.)
//
// Cost of a merge step: a bisection over a run, then Items comparisons and Items + 2 reads and Items writes of elements
// a thread; three barriers. An odd number of items keeps the 32 lanes, Items elements apart, in different banks.
#pragma once

#include "simt/simt.hpp"

#include <cstdint>

namespace sortile::primitives::inline SORTILE_BACKEND {

/// Puts the first n elements of a thread's array in order. Stable.
template <unsigned Items, class T, class Less>
SORTILE_DEVICE void sort_stably(T (&x)[Items], unsigned n, const Less& less) {
  SORTILE_NO_UNROLL
  for (unsigned round = 0; round < Items; round += 2) { // two rounds: unrolled no further, `less` may be long
    SORTILE_UNROLL
    for (unsigned k = 0; k + 1 < Items; ++k) { // pairs that begin at even places, then those at odd ones
      const unsigned half = Items / 2, i = k < half ? 2 * k : 2 * (k - half) + 1;
      if (i + 1 < n && less(x[i + 1], x[i])) {
        const T lower = x[i + 1];
        x[i + 1] = x[i];
        x[i] = lower;
      }
    }
  }
}

/// What a thread does of a merge: of the runs [begin, middle) and [middle, end) merged, the elements [first, first +
/// Items), as far as there are any.
struct merge_part {
  std::uint32_t begin = 0, middle = 0, end = 0, first = 0;
};

/// How many of the first `part.first` elements of both runs merged are of the left one.
template <class T, class Less>
SORTILE_DEVICE std::uint32_t merge_split(const simt::shared_view<T>& s, const merge_part& part, const Less& less) {
  const std::uint32_t left = part.middle - part.begin, right = part.end - part.middle;
  std::uint32_t low = part.first > right ? part.first - right : 0, high = part.first < left ? part.first : left;
  while (low < high) {
    const std::uint32_t tried = low + (high - low) / 2;
    if (less(s.load(part.middle + (part.first - 1 - tried)), s.load(part.begin + tried)))
      high = tried;
    else
      low = tried + 1;
  }
  return low;
}

/// Merges pairs of runs in s; stable: of equal elements those of the left run come first. Threads that share a pair are
/// neighbours, in the order of their parts; of threads without work, `first` is no less than the pair is long.
/// `starts`: as many as threads. All threads of the block call, and the result stands behind a block barrier.
template <unsigned Items, class T, class Less>
SORTILE_DEVICE void merge_step(const simt::shared_view<T>& s, const simt::shared_view<std::uint32_t>& starts,
                               const merge_part& part, const Less& less) {
  const unsigned t = simt::thread_index();
  const std::uint32_t length = part.end - part.begin;
  const std::uint32_t count = part.first >= length ? 0 : length - part.first < Items ? length - part.first : Items;
  simt::block_barrier();
  std::uint32_t left = part.middle;
  T x[Items];
  if (count > 0) {
    const std::uint32_t start = merge_split(s, part, less);
    starts.store(t, start);
    left = part.begin + start;
    std::uint32_t right = part.middle + (part.first - start);
    const auto at = [&](std::uint32_t i) { return s.load(i < part.end ? i : part.end - 1); };
    T of_left = at(left), of_right = at(right);
    SORTILE_UNROLL
    for (unsigned i = 0; i < Items; ++i)
      if (i < count) {
        const bool takes_right = right < part.end && (left >= part.middle || less(of_right, of_left));
        x[i] = takes_right ? of_right : of_left;
        if (takes_right)
          of_right = at(++right);
        else
          of_left = at(++left);
      }
  }
  simt::block_barrier();
  const bool fits =
      count == 0 || left == (part.first + count == length ? part.middle : part.begin + starts.load(t + 1));
  if (simt::block_all(fits)) {
    SORTILE_UNROLL
    for (unsigned i = 0; i < Items; ++i)
      if (i < count)
        s.store(part.begin + part.first + i, x[i]);
  }
}

} // namespace sortile::primitives::inline SORTILE_BACKEND
