// Sorts what a block holds: a few elements in each thread's registers, then merges in shared storage.
//
//   thread   an odd-even merge network (Batcher 1968) puts its Items elements in order
//   rounds   neighbouring runs of g threads become runs of 2g: each thread finds by binary search where its Items
//            elements of the merged run begin in both (merge path: Green, McColl and Bader 2012; Deo and Sarkar 1991),
//            merges them into registers, and writes them back when all have read
//
//   g = 1    0 3 | 1 2 | 0 1 | 2 3 | …        runs of 2 · Items
//   g = 2    0 1 2 3   | 0 1 2 3   | …        runs of 4 · Items, and so on
//
// While a merged run stays within a warp (2g ≤ 32), warp barriers do; then two block barriers a round. Work is
// n log n and the time does not depend on the keys: where radix ranking has to fear crowded digits, this does not.
//
// Not stable: equal elements are taken to be indistinguishable. Whoever needs stability makes them differ, with the
// place that they came from as their lowest bits.
//
// Items is odd, so that threads side by side, Items elements apart, meet in different banks. Shared storage: the
// elements. T: up to 32 bytes, trivially copyable, with operator<.
#pragma once

#include "simt/simt.hpp"

#include <array>
#include <utility>

namespace sortile::primitives::inline SORTILE_BACKEND {

/// Comparators of Batcher's odd-even merge sort for N elements, in order (Knuth, volume 3, 5.2.2, algorithm M).
template <int N>
struct merge_network {
  struct comparator {
    int low, high;
  };
  template <class F>
  static constexpr void each(F&& f) {
    int top = 1;
    while (2 * top < N)
      top *= 2;
    for (int p = top; p > 0; p /= 2)
      for (int q = top, r = 0, d = p; d > 0; d = q - p, q /= 2, r = p)
        for (int i = 0; i + d < N; ++i)
          if ((i & p) == r)
            f(i, i + d);
  }
  static constexpr int count() {
    int n = 0;
    each([&](int, int) { ++n; });
    return n;
  }
  static constexpr auto comparators() {
    std::array < comparator, N<2 ? 1 : std::size_t(count())> all{};
    std::size_t k = 0;
    each([&](int low, int high) { all[k++] = {low, high}; });
    return all;
  }
};

template <int K, int N, class T>
SORTILE_DEVICE void compare_exchange(T (&x)[N]) {
  constexpr auto c = merge_network<N>::comparators()[std::size_t(K)];
  const T a = x[c.low], b = x[c.high];
  const bool swap = b < a;
  x[c.low] = swap ? b : a;
  x[c.high] = swap ? a : b;
}

/// Ascending, in a thread's registers.
template <int N, class T>
SORTILE_DEVICE void sort_in_registers(T (&x)[N]) {
  if constexpr (N > 1)
    [&]<std::size_t... K>(std::index_sequence<K...>) {
      (compare_exchange<int(K)>(x), ...);
    }
  (std::make_index_sequence<std::size_t(merge_network<N>::count())>());
}

template <unsigned Threads, int Items, class T>
class block_merge_sort {
 public:
  static_assert(Items % 2 == 1, "an even number of items a thread meets itself in the banks");
  static constexpr unsigned capacity = Threads * unsigned(Items);

  /// Threads that have elements, if each but the last has Items of them.
  static SORTILE_DEVICE unsigned active(std::uint32_t n) { return (n + unsigned(Items) - 1) / unsigned(Items); }

  /// Sorts the active(n) · Items elements that the first active(n) threads hold; they stand in `s` when all threads
  /// have passed a block barrier after the call. All threads of the block call; `n` is the same in all, at most
  /// capacity. `s` may be in use until the call.
  static SORTILE_DEVICE void sort(const simt::shared_view<T>& s, T (&x)[Items], std::uint32_t n) {
    const unsigned threads = active(n), total = threads * unsigned(Items), t = simt::thread_index();
    const bool works = t < threads;
    if (works)
      sort_in_registers(x);
    simt::block_barrier();
    if (works)
      write(s, x);
    for (unsigned g = 1; g < threads; g *= 2) {
      barrier(g);
      if (works)
        merge(s, x, g, total);
      barrier(g);
      if (works)
        write(s, x);
    }
  }

 private:
  static SORTILE_DEVICE void barrier(unsigned g) {
    if (2 * g > simt::warp_size)
      simt::block_barrier();
    else
      simt::warp_barrier();
  }
  static SORTILE_DEVICE void write(const simt::shared_view<T>& s, const T (&x)[Items]) {
    SORTILE_UNROLL
    for (int i = 0; i < Items; ++i)
      s.store(simt::thread_index() * unsigned(Items) + unsigned(i), x[i]);
  }
  /// This thread's part of two runs of g threads merged.
  static SORTILE_DEVICE void merge(const simt::shared_view<T>& s, T (&x)[Items], unsigned g, unsigned total) {
    const unsigned t = simt::thread_index(), run = g * unsigned(Items);
    const unsigned begin = t / (2 * g) * (2 * run), middle = smaller(begin + run, total);
    const unsigned end = smaller(begin + 2 * run, total), before = t * unsigned(Items) - begin;
    const unsigned from_left = split(s, begin, middle, end, before);
    unsigned i = begin + from_left, j = middle + (before - from_left);
    T a = s.load(smaller(i, end - 1)), b = s.load(smaller(j, end - 1)); // behind the end others write already
    SORTILE_UNROLL
    for (int k = 0; k < Items; ++k) {
      const bool left = j >= end || (i < middle && !(b < a));
      x[k] = left ? a : b;
      if (k + 1 == Items)
        break;
      i += left ? 1 : 0;
      j += left ? 0 : 1;
      const T next = s.load(smaller(left ? i : j, end - 1));
      a = left ? next : a;
      b = left ? b : next;
    }
  }
  /// How many of the first `before` elements of [begin, middle) and [middle, end) merged are of the left run.
  static SORTILE_DEVICE unsigned split(const simt::shared_view<T>& s, unsigned begin, unsigned middle, unsigned end,
                                       unsigned before) {
    unsigned low = before > end - middle ? before - (end - middle) : 0, high = smaller(before, middle - begin);
    while (low < high) {
      const unsigned half = (low + high) / 2;
      if (s.load(middle + (before - 1 - half)) < s.load(begin + half))
        high = half;
      else
        low = half + 1;
    }
    return low;
  }
  static SORTILE_DEVICE unsigned smaller(unsigned a, unsigned b) { return a < b ? a : b; }
};

} // namespace sortile::primitives::inline SORTILE_BACKEND
