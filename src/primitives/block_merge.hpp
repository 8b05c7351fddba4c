// Stable sorts and merges by any order: what one thread, one warp and one block do. The order is a function object
// less(a, b).
//
//   thread   odd-even transposition of its own elements: neighbours change places where the right one is less
//   merge    merge_step(): pairs of neighbouring runs in one half of shared storage become runs in the other half. Each
//            thread makes `items` elements of a merged run: it bisects for where its part of both runs begins (merge
//            path: Green, McColl and Bader 2012; Deo and Sarkar 1991), and merges one element after the other
//   block    block_sort(): threads, then merges; as long as a pair of runs belongs to the threads of one warp, the warp
//            goes on by itself
//
//   half 0   | 2 5 9 | 1 3 8 | 4 6 7 | 0 2 2 |      runs of three, four threads of three items
//   half 1   | 1 2 3   5 8 9 | 0 2 2   4 6 7 |      threads 0 and 1 have made the first pair, 2 and 3 the second
//   half 0   | 0 1 2   2 2 3   4 5 6   7 8 9 |
//
// Merged elements go straight from one half to the other. So no thread keeps more than two of them in registers,
// `items` may be any number that suits the length, and a round has no barrier between reading and writing.
//
// Any function is taken. Where `less` is no strict weak order, what is bisected for need not exist, and the parts of
// neighbouring threads could overlap or leave elements out. So each thread compares where it ended with where the next
// one began, and all that share the round agree: if one pair does not fit, the runs are copied as they are. What stands
// in the half that is read next is a permutation of what stood in the other; every loop ends.
//
// (block_merge_sort.hpp and warp_sort.hpp are quicker and not stable, and two lanes that ask an inconsistent `less`
// about the same elements may both keep the same one. They are for keys whose order is known.)
//
// Cost of a merge step: a bisection over a run, then for each item a comparison, a read and a write; three barriers of
// the block, or two of the warp. An odd number of items keeps the 32 lanes, `items` elements apart, in different banks.
#pragma once

#include "simt/simt.hpp"

#include <cstdint>

namespace sortile::primitives::inline SORTILE_BACKEND {

/// Puts the first n elements of a thread's array in order. Stable.
template <unsigned Items, class T, class Less>
SORTILE_DEVICE void sort_stably(T (&x)[Items], unsigned n, const Less& less) {
  SORTILE_NO_UNROLL
  for (unsigned round = 0; round < n; round += 2) { // two rounds: unrolled no further, `less` may be long
    const unsigned n_of_odd = round + 1 < n ? n : 0;
    SORTILE_UNROLL
    for (unsigned k = 0; k + 1 < Items; ++k) { // pairs that begin at even places, then those at odd ones
      const unsigned half = Items / 2, i = k < half ? 2 * k : 2 * (k - half) + 1;
      if (i + 1 < (k < half ? n : n_of_odd) && less(x[i + 1], x[i])) {
        const T lower = x[i + 1];
        x[i + 1] = x[i];
        x[i] = lower;
      }
    }
  }
}

/// What a thread does of a merge: of the runs [begin, middle) and [middle, end) merged, the elements [first, first +
/// items), as far as there are any.
struct merge_part {
  std::uint32_t begin = 0, middle = 0, end = 0, first = 0;
};

/// Two halves of one piece of shared storage. Which of them holds the elements is a number: the compiler must not lose
/// sight of the storage, or every access would be one by a general address.
template <class T>
struct two_halves {
  simt::shared_view<T> all;
  std::uint32_t held = 0, other = 0; ///< where each half begins

  SORTILE_DEVICE T load(std::uint32_t i) const { return all.load(held + i); }
  SORTILE_DEVICE void put(std::uint32_t i, const T& x) const { all.store(held + i, x); }   ///< where load() finds it
  SORTILE_DEVICE void pass(std::uint32_t i, const T& x) const { all.store(other + i, x); } ///< to the other half
  SORTILE_DEVICE void turn() {
    const std::uint32_t before = held;
    held = other;
    other = before;
  }
};

/// How many of the first `part.first` elements of both runs merged are of the left one.
template <class T, class Less>
SORTILE_DEVICE std::uint32_t merge_split(const two_halves<T>& s, const merge_part& part, const Less& less) {
  const std::uint32_t left = part.middle - part.begin, right = part.end - part.middle;
  const std::uint32_t first_left = s.held + part.begin, last_right = s.held + part.middle + part.first - 1;
  std::uint32_t low = part.first > right ? part.first - right : 0, high = part.first < left ? part.first : left;
  while (low < high) {
    const std::uint32_t tried = (low + high) / 2;
    if (less(s.all.load(last_right - tried), s.all.load(first_left + tried)))
      high = tried;
    else
      low = tried + 1;
  }
  return low;
}

/// Passes on `count` elements of the part, which has as many; of its elements before, `start` are of the left run.
/// Returns the place at which the left run goes on. Without a branch: the comparison is asked also where a run has
/// ended, of elements that are there.
template <class T, class Less>
SORTILE_DEVICE std::uint32_t merge_part_of_runs(const two_halves<T>& s, const merge_part& part, std::uint32_t start,
                                                std::uint32_t count, const Less& less) {
  const std::uint32_t target = s.other + part.begin + part.first, middle = s.held + part.middle,
                      last = s.held + part.end - 1;
  const auto existing = [=](std::uint32_t i) { return i < last ? i : last; };
  // The elements behind those at hand: both places are known before it is known which of them is read.
  std::uint32_t left = s.held + part.begin + start + 1, right = s.held + part.middle + (part.first - start) + 1;
  T of_left = s.all.load(existing(left - 1)), of_right = s.all.load(existing(right - 1));
  for (std::uint32_t i = 0; i < count; ++i) {
    const std::uint32_t next_left = existing(left), next_right = existing(right);
    const bool is_less = less(of_right, of_left), left_is_out = left > middle, right_is_in = right <= last + 1;
    const bool takes_right = right_is_in & (left_is_out | is_less);
    s.all.store(target + i, takes_right ? of_right : of_left);
    const T read = s.all.load(takes_right ? next_right : next_left);
    right += takes_right ? 1 : 0;
    left += takes_right ? 0 : 1;
    of_right = takes_right ? read : of_right;
    of_left = takes_right ? of_left : read;
  }
  return left - 1 - s.held;
}

/// Who shares a round of merges.
enum class merged_by { warp, block };

/// Merges pairs of runs into the other half; stable: of equal elements those of the left run come first. Threads that
/// share a pair are neighbours, in the order of their parts; of threads without work, `first` is no less than the pair
/// is long. `starts`: as many as threads, for By == block. All threads of the warp or block call; what they wrote
/// before is seen, and the result stands behind a barrier.
template <merged_by By, class T, class Less>
SORTILE_DEVICE void merge_step(two_halves<T>& s, const simt::shared_view<std::uint32_t>& starts, const merge_part& part,
                               std::uint32_t items, const Less& less) {
  const unsigned t = simt::thread_index();
  const std::uint32_t length = part.end - part.begin;
  const std::uint32_t count = part.first >= length ? 0 : length - part.first < items ? length - part.first : items;
  if constexpr (By == merged_by::warp)
    simt::warp_barrier();
  else
    simt::block_barrier();
  std::uint32_t left = part.middle, start = 0;
  if (count > 0) {
    start = merge_split(s, part, less);
    left = merge_part_of_runs(s, part, start, count, less);
  }
  const bool is_last = count == 0 || part.first + count == length;
  std::uint32_t next = 0; // where the next thread began
  if constexpr (By == merged_by::warp) {
    next = simt::shuffle_down(start, 1);
  } else {
    starts.store(t, start);
    simt::block_barrier();
    next = is_last ? 0 : starts.load(t + 1);
  }
  const bool fits = count == 0 || left == (is_last ? part.middle : part.begin + next);
  if (!(By == merged_by::warp ? simt::warp_all(fits) : simt::block_all(fits)))
    for (std::uint32_t i = part.begin + part.first; i < part.begin + part.first + count; ++i)
      s.pass(i, s.load(i));
  s.turn();
}

/// How many elements a thread has of a block sort: `runs` runs of `own` elements, an odd number up to Own.
struct block_sort_share {
  std::uint32_t own, runs;

  template <unsigned Own>
  static SORTILE_DEVICE block_sort_share of(std::uint32_t length, std::uint32_t threads) {
    const std::uint32_t needed = (length + threads - 1) / threads;
    std::uint32_t runs = 1;
    while (runs * Own < needed)
      runs *= 2;
    const std::uint32_t own = (needed + runs - 1) / runs | 1;
    return {own < 3 && Own >= 3 ? 3 : own, runs};
  }
};

/// Sorts `length` elements, which s.load() gives from 0 on before and after. Each thread sorts runs of up to Own
/// elements in registers. All threads of the block call, which see all elements; the result stands behind a barrier.
template <unsigned Own, class T, class Less>
SORTILE_DEVICE void block_sort(two_halves<T>& s, const simt::shared_view<std::uint32_t>& starts, std::uint32_t length,
                               const Less& less) {
  static_assert(Own % 2 == 1);
  const auto share = block_sort_share::of<Own>(length, simt::block_size());
  const std::uint32_t items = share.own * share.runs, mine = simt::thread_index() * items;
  std::uint32_t run = share.own;
  SORTILE_NO_UNROLL
  for (std::uint32_t first = mine; first < mine + items; first += run) {
    T x[Own];
    const std::uint32_t own = first >= length ? 0 : length - first < run ? length - first : run;
    SORTILE_UNROLL
    for (unsigned i = 0; i < Own; ++i)
      if (i < own)
        x[i] = s.load(first + i);
    sort_stably(x, own, less);
    SORTILE_UNROLL
    for (unsigned i = 0; i < Own; ++i)
      if (i < own)
        s.put(first + i, x[i]);
  }
  const auto within = [=](std::uint32_t i) { return i < length ? i : length; };
  for (; run < items; run *= 2, s.turn()) // a thread's own pairs
    for (std::uint32_t first = mine; first < within(mine + items); first += 2 * run) {
      const merge_part pair{first, within(first + run), within(first + 2 * run), 0};
      merge_part_of_runs(s, pair, 0, pair.end - pair.begin, less);
    }
  SORTILE_NO_UNROLL
  for (unsigned together = 2; run < length; run *= 2, together *= 2) { // so many threads have a pair
    const std::uint32_t first = (simt::thread_index() & (together - 1)) * items, begin = mine - first;
    const merge_part part{within(begin), within(begin + run), within(begin + 2 * run), first};
    if (together <= simt::warp_size)
      merge_step<merged_by::warp>(s, starts, part, items, less);
    else
      merge_step<merged_by::block>(s, starts, part, items, less);
  }
}

} // namespace sortile::primitives::inline SORTILE_BACKEND
