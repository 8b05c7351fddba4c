// Sorts what a block holds: some elements in each thread's registers, put in order within a warp, then merged in shared
// storage.
//
//   warp     runs of 32 · Items elements by shuffles (warp_sort.hpp), no shared storage, no barrier
//   rounds   neighbouring runs of g warps become runs of 2g: each warp makes 32 · Items elements of the merged run. It
//            finds where its part of both runs begins and ends (merge path: Green, McColl and Bader 2012; Deo and
//            Sarkar 1991), reads the left part forwards and the right part backwards, which is one bitonic sequence,
//            and merges that in registers
//
//   left       … a0 a1 a2 a3 a4 | …          warp's part: 5 + 3 elements, its rows of lanes
//   right      … b0 b1 b2 | …                a0 a1 a2 a3
//                                            a4 b2 b1 b0
//
// The whole warp searches: half of the lanes for the part's beginning, the others for its end, each lane at one of
// sixteen places at even distances. For runs of 4096 elements three reads one after the other are enough, once for 32 ·
// Items elements; a binary search by every thread takes twelve.
//
// Nothing but the search depends on the keys, so the time does not depend on what is sorted. Radix ranking slows down
// where digits are skewed; this does not.
//
// Cost. Shared memory and shuffles move one row of 32 words per clock of a multiprocessor, and that bounds the sort.
// Each row of 32 elements of a word takes 15 such clocks in the warp; and in each round 1 to 2 for reading, 2.5 for the
// merge's exchanges and 1 for writing, beside 20 a warp for the search. Steps within a thread cost a quarter of that.
// So many elements per thread are good, as they take fewer rounds: 4096 elements are 8 warps of 16 a thread and 3
// rounds, or 32 warps of 4 a thread and 5. Few elements should be spread over more warps, since a warp's steps wait for
// each other: 4 a thread up to 2048 elements.
//
// A radix sort in its place was estimated and not built. A row of 32 keys takes 15 clocks for each digit of 8 bits
// (radix_order.hpp), so 60 for 32 bits, beside 3600 for the columns; merging 4096 words takes about 50 a row. Pairs are
// sorted by radix_order.hpp, since merging elements of two registers would take twice as long.
//
// Not stable: equal elements are taken to be indistinguishable. A caller that needs stability makes them differ, with
// the place that they came from as their lowest bits.
//
// Shared storage: the elements, with 16 unused bytes after every 128, so that neighbouring threads, Items elements
// apart, use different banks; merge_sort_place() says where element i lies. Aligned to 16 bytes. Items: a power of two
// up to 32. T: up to 32 bytes, a multiple of 4, trivially copyable, with operator<.
#pragma once

#include "primitives/warp_sort.hpp"

namespace sortile::primitives::inline SORTILE_BACKEND {

/// Where element i stands in storage that block_merge_sort has written: 128 bytes of elements, then 16 bytes or an
/// element unused.
template <class T>
SORTILE_HOST_DEVICE constexpr std::uint32_t merge_sort_place(std::uint32_t i) {
  constexpr unsigned row = sizeof(T) <= 4 ? 32 : sizeof(T) <= 8 ? 16 : sizeof(T) <= 16 ? 8 : 4;
  constexpr unsigned gap = sizeof(T) < 16 ? 16 / sizeof(T) : 1;
  return i + i / row * gap;
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
  /// the block call; `warps` is the same in all. `s` may be in use until the call.
  static SORTILE_DEVICE void sort(const simt::shared_view<T>& s, T (&x)[Items], unsigned warps) {
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
        merge(s, x, run, warps * warp_elements);
      simt::block_barrier();
      if (works)
        write(s, x);
    }
  }
  /// Sorts load(i) for all i < n, with as many warps as these take; `greatest` is above all of them, or equal. Else as
  /// above.
  template <class Load>
  static SORTILE_DEVICE void sort_loaded(const simt::shared_view<T>& s, std::uint32_t n, const T& greatest, Load load) {
    const unsigned used = warps(n);
    T x[Items];
    SORTILE_UNROLL
    for (int i = 0; i < Items; ++i)
      x[i] = is_there(i, used, n) ? load(place(i, used)) : greatest;
    sort(s, x, used);
  }
  /// The same of made(load(i), i), where loads wait for memory: all of a thread's are on their way together.
  template <class Load, class Made>
  static SORTILE_DEVICE void sort_loaded(const simt::shared_view<T>& s, std::uint32_t n, const T& greatest, Load load,
                                         Made made) {
    const unsigned used = warps(n);
    decltype(load(0u)) loaded[Items] = {};
    SORTILE_UNROLL
    for (int i = 0; i < Items; ++i)
      if (is_there(i, used, n))
        loaded[i] = load(place(i, used));
    T x[Items];
    SORTILE_UNROLL
    for (int i = 0; i < Items; ++i)
      x[i] = is_there(i, used, n) ? made(loaded[i], place(i, used)) : greatest;
    sort(s, x, used);
  }

 private:
  /// Which element is the thread's item i, of those that the first `warps` warps load in rows.
  static SORTILE_DEVICE std::uint32_t place(int i, unsigned warps) {
    return simt::thread_index() + unsigned(i) * (warps * simt::warp_size);
  }
  static SORTILE_DEVICE bool is_there(int i, unsigned warps, std::uint32_t n) {
    return simt::thread_index() < warps * simt::warp_size && place(i, warps) < n;
  }

  /// Two runs that become one, [begin, middle) and [middle, end).
  struct pair_of_runs {
    unsigned begin, middle, end;
  };

  static SORTILE_DEVICE T at(const simt::shared_view<T>& s, std::uint32_t i) { return s.load(merge_sort_place<T>(i)); }
  /// Of elements that may be written together: within 16 bytes, and so within a row.
  static constexpr int together = 16 % sizeof(T) != 0 ? 1 : int(16 / sizeof(T)) < Items ? int(16 / sizeof(T)) : Items;

  static SORTILE_DEVICE void write(const simt::shared_view<T>& s, const T (&x)[Items]) {
    SORTILE_UNROLL
    for (int i = 0; i < Items; i += together) {
      const std::uint32_t to = merge_sort_place<T>(simt::thread_index() * unsigned(Items) + unsigned(i));
      if constexpr (together == 1) {
        s.store(to, x[i]);
      } else {
        simt::vec<T, together> v;
        SORTILE_UNROLL
        for (int j = 0; j < together; ++j)
          v[j] = x[i + j];
        simt::store_vector<together>(s, to, v);
      }
    }
  }
  /// This warp's part of two runs merged; blocked.
  static SORTILE_DEVICE void merge(const simt::shared_view<T>& s, T (&x)[Items], unsigned run, unsigned total) {
    const unsigned first = simt::warp_index() * warp_elements, begin = first & ~(2 * run - 1);
    const pair_of_runs runs{begin, smaller(begin + run, total), smaller(begin + 2 * run, total)};
    const unsigned before = first - begin, half_warp = simt::lane_index() / lanes_a_search;
    const unsigned found = split(s, runs, before + half_warp * warp_elements);
    const unsigned from_left = simt::shuffle(found, 0), left = simt::shuffle(found, lanes_a_search) - from_left;
    // This part of the right run ends before + warp_elements − from_left − left elements behind its beginning; the
    // lane's elements lie a row of lanes apart.
    const unsigned right_end = runs.middle + (before + warp_elements - from_left - left), lane = simt::lane_index();
    const unsigned rising = merge_sort_place<T>(begin + from_left + lane),
                   falling = merge_sort_place<T>(right_end - 1 + left - lane);
    SORTILE_UNROLL
    for (int i = 0; i < Items; ++i) {
      constexpr unsigned row = merge_sort_place<T>(simt::warp_size);
      if (unsigned(i) * simt::warp_size + lane < left)
        x[i] = s.load(rising + unsigned(i) * row);
      else
        x[i] = s.load(falling - unsigned(i) * row);
    }
    merge_in_warp(x);
  }
  /// How many of the first `before` elements of both runs merged are of the left one, `before` being the same in all
  /// lanes of a half-warp; so is the result.
  static SORTILE_DEVICE unsigned split(const simt::shared_view<T>& s, const pair_of_runs& runs, unsigned before) {
    const unsigned lane = simt::lane_index() % lanes_a_search, others = simt::lane_index() - lane;
    const unsigned right = runs.end - runs.middle;
    unsigned low = before > right ? before - right : 0, high = smaller(before, runs.middle - runs.begin);
    SORTILE_NO_UNROLL
    while (simt::warp_any(low < high)) {
      const unsigned first = low, span = high - low;
      const auto tried = [=](unsigned l) { return first + span * l / lanes_a_search; };
      const unsigned mine = tried(lane);
      const bool too_few = span != 0 && !(at(s, runs.middle + (before - 1 - mine)) < at(s, runs.begin + mine));
      // Places rise with the lanes, so those where it is too few come first.
      const unsigned few = simt::popcount(simt::ballot(too_few) >> others & ((1u << lanes_a_search) - 1));
      low = few > 0 ? tried(few - 1) + 1 : low;
      high = few < lanes_a_search ? tried(few) : high;
    }
    return low;
  }
  static constexpr unsigned lanes_a_search = simt::warp_size / 2;
  static SORTILE_DEVICE unsigned smaller(unsigned a, unsigned b) { return a < b ? a : b; }
};

} // namespace sortile::primitives::inline SORTILE_BACKEND
