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
// Cost of a merge step: a bisection over a run, some ten instructions for each halving; then for each element eleven,
// where a comparison is one: three comparisons, a choice, a write, for either run a read and a step, and what keeps
// reads within the right one. Three barriers of the block, or two of the warp. An odd number of items keeps the 32
// lanes, `items` elements apart, in different banks.
#pragma once

#include "simt/shared_cursor.hpp"

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

  /// The same with a right run that has an element, where there is any: the last of the left one, if need be. So there
  /// is one to read wherever the left run has ended.
  SORTILE_DEVICE merge_part with_right_run() const {
    return {begin, middle == end && begin < end ? end - 1 : middle, end, first};
  }
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
  SORTILE_DEVICE simt::shared_cursor<T> from(std::uint32_t i) const { return {all, held + i}; }
  SORTILE_DEVICE simt::shared_cursor<T> to(std::uint32_t i) const { return {all, other + i}; }
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
  const auto first_left = s.from(part.begin), last_right = s.from(part.middle + part.first - 1);
  std::uint32_t low = part.first > right ? part.first - right : 0, high = part.first < left ? part.first : left;
  while (low < high) {
    const std::uint32_t tried = (low + high) / 2;
    if (less(last_right.plus(-int(tried)).load(), first_left.plus(int(tried)).load()))
      high = tried;
    else
      low = tried + 1;
  }
  return low;
}

/// A part of a merge under way; the right run has an element. The comparison is asked also where a run has ended, of
/// elements that are there. Places are addresses, and a side reads by itself: no index becomes an address, and where
/// elements are small no lane branches.
template <class T>
struct merging {
  simt::shared_cursor<T> next_left, middle; // behind what is at hand of the left run; where that run ends
  simt::shared_cursor<T> right, last;       // what is at hand of the right run; the last that it has
  T of_left, of_right;                      // at hand

  /// `start` of the elements before the part are of the left run.
  SORTILE_DEVICE merging(const two_halves<T>& s, const merge_part& part, std::uint32_t start)
      : next_left(s.from(part.begin + start + 1)), middle(s.from(part.middle)),
        right(s.from(part.middle + (part.first - start))), last(s.from(part.end - 1)), of_left(next_left.load(-1)),
        of_right(existing(right).load()) {}

  /// Puts the next element; no more are asked for than there are. It is put before another is read in its place, or the
  /// compiler would keep both, in registers and by moves.
  template <class Less, class Put>
  SORTILE_DEVICE void step(const Less& less, Put put) {
    const bool is_less = less(of_right, of_left), left_is_out = middle < next_left, right_is_in = !(last < right);
    const bool takes_right = right_is_in & (left_is_out | is_less);
    const T taken = takes_right ? of_right : of_left;
    put(taken);
    if (takes_right) {
      right = right.plus(1);
      of_right = existing(right).load();
    } else {
      of_left = next_left.load(); // at the end of the run the right one's first
      next_left = next_left.plus(1);
    }
  }

 private:
  SORTILE_DEVICE simt::shared_cursor<T> existing(const simt::shared_cursor<T>& of_right_run) const {
    return of_right_run < last ? of_right_run : last;
  }
};

/// Passes on `count` elements of the part, which has as many; of its elements before, `start` are of the left run.
/// Returns the place at which the left run goes on. Several steps without a branch between, of elements so small that
/// comparisons are likely to be short.
template <class T, class Less>
SORTILE_DEVICE std::uint32_t merge_part_of_runs(const two_halves<T>& s, const merge_part& part, std::uint32_t start,
                                                std::uint32_t count, const Less& less) {
  merging<T> runs(s, part, start);
  auto to = s.to(part.begin + part.first);
  constexpr std::uint32_t at_once = sizeof(T) <= 8 ? 4 : 1;
  SORTILE_NO_UNROLL
  for (; count >= at_once; count -= at_once, to = to.plus(at_once)) {
    SORTILE_UNROLL
    for (unsigned k = 0; k < at_once; ++k)
      runs.step(less, [&](const T& x) { to.store(int(k), x); });
  }
  SORTILE_NO_UNROLL
  for (; count > 0; --count, to = to.plus(1))
    runs.step(less, [&](const T& x) { to.store(0, x); });
  return runs.next_left - s.from(1);
}

/// Who shares a round of merges.
enum class merged_by { warp, block };

/// Merges pairs of runs into the other half; stable: of equal elements those of the left run come first. Threads that
/// share a pair are neighbours, in the order of their parts; of threads without work, `first` is no less than the pair
/// is long. `starts`: as many as threads, for merged_by::block. All threads of the warp or block call; what they wrote
/// before is seen, and the result stands behind a barrier.
template <class T, class Less>
SORTILE_DEVICE void merge_step(merged_by by, two_halves<T>& s, const simt::shared_view<std::uint32_t>& starts,
                               const merge_part& own, std::uint32_t items, const Less& less) {
  const merge_part part = own.with_right_run();
  const unsigned t = simt::thread_index();
  const std::uint32_t length = part.end - part.begin;
  const std::uint32_t count = part.first >= length ? 0 : length - part.first < items ? length - part.first : items;
  if (by == merged_by::warp)
    simt::warp_barrier();
  else
    simt::block_barrier();
  std::uint32_t left = part.middle, start = 0;
  if (count > 0) {
    start = merge_split(s, part, less);
    left = merge_part_of_runs(s, part, start, count, less);
  }
  const bool is_last = count == 0 || part.first + count == length;
  const auto fits = [&](std::uint32_t next) {
    return count == 0 || left == (is_last ? part.middle : part.begin + next);
  };
  bool all_fit = false;
  if (by == merged_by::warp) {
    const std::uint32_t next = simt::shuffle_down(start, 1); // where the next thread began
    all_fit = simt::warp_all(fits(next));
  } else {
    starts.store(t, start);
    simt::block_barrier();
    all_fit = simt::block_all(fits(is_last ? 0 : starts.load(t + 1)));
  }
  if (!all_fit)
    for (std::uint32_t i = part.begin + part.first; i < part.begin + part.first + count; ++i)
      s.pass(i, s.load(i));
  s.turn();
}

/// Sorts `length` elements, which s.load() gives from 0 on before and after. Each thread sorts runs of up to Own
/// elements in registers. All threads of the block call, which see all elements; the result stands behind a barrier.
template <unsigned Own, class T, class Less>
SORTILE_DEVICE void block_sort(two_halves<T>& s, const simt::shared_view<std::uint32_t>& starts, std::uint32_t length,
                               const Less& less) {
  static_assert(Own % 2 == 1);
  const std::uint32_t needed = (length + simt::block_size() - 1) / simt::block_size() | 1;
  const std::uint32_t items = needed < 3 && Own >= 3 ? 3 : needed, mine = simt::thread_index() * items;
  const auto within = [=](std::uint32_t i) { return i < length ? i : length; };
  const std::uint32_t stop = within(mine + items);
  SORTILE_NO_UNROLL
  for (std::uint32_t first = mine; first < stop; first += Own) {
    T x[Own];
    const std::uint32_t own = stop - first < Own ? stop - first : Own;
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
  for (std::uint32_t run = Own; run < items; run *= 2, s.turn()) // a thread's own pairs
    for (std::uint32_t first = mine; first < stop; first += 2 * run) {
      const auto until = [=](std::uint32_t i) { return i < stop ? i : stop; };
      const merge_part pair{first, until(first + run), until(first + 2 * run), 0};
      merge_part_of_runs(s, pair.with_right_run(), 0, pair.end - first, less);
    }
  SORTILE_NO_UNROLL
  for (unsigned run = items, together = 2; run < length; run *= 2, together *= 2) { // so many threads have a pair
    const std::uint32_t first = (simt::thread_index() & (together - 1)) * items, begin = mine - first;
    const merge_part part{within(begin), within(begin + run), within(begin + 2 * run), first};
    merge_step(together <= simt::warp_size ? merged_by::warp : merged_by::block, s, starts, part, items, less);
  }
}

} // namespace sortile::primitives::inline SORTILE_BACKEND
