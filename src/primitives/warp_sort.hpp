// Sorts what a thread, and what a warp holds, in registers.
//
//   thread   Batcher's odd-even merge network over the thread's own elements
//   warp     bitonic merges of runs of 1, 2, 4, 8, 16 lanes by shuffles, in the form whose comparators all point
//            upwards: the first step of a merge mirrors the run, the others halve the distance
//
//   lanes    0 1 2 3 | 4 5 6 7      mirror: 0-7 1-6 2-5 3-4     then 0-2 1-3 … , 0-1 2-3 …
//
// A warp takes 15 steps of shuffles, whatever it holds, and log2(Items) steps in registers for every merge. Latency is
// paid once for all Items, so several elements a thread are better than more threads. The loop of merges is not
// unrolled: instructions that run once have to be fetched first.
//
// A single merge of what all lanes hold costs half the shuffles if it may begin in one arrangement and end in another.
// A comparator's two elements meet in one lane: each of two lanes gives half of its elements to the other, then
// compares what it has, two by two. So a bit of the lane and a bit of the item change places. Elements that came
// striped (as they are read, in rows of 32) leave blocked (a thread's are neighbours):
//
//   places       8 7 6 5 | 4 3 2 1 0       bits of an element's place: item | lane
//   in registers * * * * |                 halves of the merge apart by 256, 128, 64, 32
//   exchanges    4 3 2 1 | 8 7 6 5 0       16, 8, 4, 2 lanes apart: 4, 3, 2, 1 are compared as they come
//                0 3 2 1 | 8 7 6 5 4       and 1 lane apart: 0. Lane l has the places l · 16 … l · 16 + 15
//
// Source: Batcher, "Sorting networks and their applications" (1968); Knuth, volume 3, 5.2.2 and 5.3.4.
// Not stable: equal elements are taken to be indistinguishable. T: trivially copyable, with operator<; of 1, 2 or a
// multiple of 4 bytes for a warp.
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

template <class T>
SORTILE_DEVICE void compare_exchange(T& low, T& high) {
  const T a = low, b = high;
  const bool swap = b < a;
  low = swap ? b : a;
  high = swap ? a : b;
}

/// Ascending, in a thread's registers.
template <int N, class T>
SORTILE_DEVICE void sort_in_registers(T (&x)[N]) {
  if constexpr (N > 1)
    [&]<std::size_t... K>(std::index_sequence<K...>) {
      constexpr auto c = merge_network<N>::comparators();
      (compare_exchange(x[c[K].low], x[c[K].high]), ...);
    }
  (std::make_index_sequence<std::size_t(merge_network<N>::count())>());
}

/// Ascending, where x rises to some element and falls from there, or is a rotation of that. N is a power of two.
template <int N, class T>
SORTILE_DEVICE void merge_bitonic(T (&x)[N]) {
  SORTILE_UNROLL
  for (int apart = N / 2; apart > 0; apart /= 2)
    SORTILE_UNROLL
  for (int i = 0; i < N; ++i)
    if ((i & apart) == 0)
      compare_exchange(x[i], x[i + apart]);
}

/// Ascending, across each group of so many neighbouring lanes: the group's lane l gets the elements l · Items … of its
/// order. All lanes of the warp call; Items and Lanes are powers of two.
template <unsigned Lanes, int Items, class T>
SORTILE_DEVICE void sort_in_lanes(T (&x)[Items]) {
  static_assert((Items & (Items - 1)) == 0 && (Lanes & (Lanes - 1)) == 0 && Lanes <= simt::warp_size);
  const auto keep = [](T& mine, const T& other, bool smaller) { mine = (other < mine) == smaller ? other : mine; };
  const unsigned lane = simt::lane_index();
  sort_in_registers(x);
  SORTILE_NO_UNROLL
  for (unsigned run = 1; run < Lanes; run *= 2) {
    const unsigned mirror = 2 * run - 1;
    SORTILE_UNROLL
    for (int i = 0; 2 * i < Items; ++i) { // elements that change places with each other's mirror images
      const int j = Items - 1 - i;
      const T low = simt::shuffle_xor(x[j], mirror), high = i == j ? low : simt::shuffle_xor(x[i], mirror);
      keep(x[i], low, (lane & run) == 0);
      if (i != j)
        keep(x[j], high, (lane & run) == 0);
    }
    SORTILE_NO_UNROLL
    for (unsigned apart = run / 2; apart > 0; apart /= 2) {
      SORTILE_UNROLL
      for (int i = 0; i < Items; ++i)
        keep(x[i], simt::shuffle_xor(x[i], apart), (lane & apart) == 0);
    }
    merge_bitonic(x);
  }
}
/// Across the warp.
template <int Items, class T>
SORTILE_DEVICE void sort_in_warp(T (&x)[Items]) {
  sort_in_lanes<simt::warp_size>(x);
}

/// Ascending, across the lanes, where the elements rise to some element and fall from there, or are a rotation of that:
/// element i · 32 + l of the sequence is lane l's x[i]; then lane l has the elements l · Items … of the order. All
/// lanes of the warp call; Items is a power of two up to 32.
template <int Items, class T>
SORTILE_DEVICE void merge_in_warp(T (&x)[Items]) {
  static_assert((Items & (Items - 1)) == 0 && Items <= int(simt::warp_size));
  const unsigned lane = simt::lane_index();
  if constexpr (Items == 1) {
    SORTILE_UNROLL
    for (unsigned apart = simt::warp_size / 2; apart > 0; apart /= 2) {
      const T other = simt::shuffle_xor(x[0], apart);
      x[0] = (other < x[0]) == ((lane & apart) == 0) ? other : x[0];
    }
  } else {
    constexpr int lane_bits = 5, item_bits = [] {
      int bits = 0;
      while (1 << bits < Items)
        ++bits;
      return bits;
    }();
    merge_bitonic(x);
    SORTILE_UNROLL
    for (int step = 0; step < lane_bits; ++step) {
      const int half = Items >> (1 + step % item_bits);
      const unsigned apart = simt::warp_size >> (1 + step);
      const bool upper = (lane & apart) != 0;
      SORTILE_UNROLL
      for (int i = 0; i < Items; ++i)
        if ((i & half) == 0) {
          const T given = upper ? x[i] : x[i + half];
          x[i] = upper ? x[i + half] : x[i];
          x[i + half] = simt::shuffle_xor(given, apart);
          compare_exchange(x[i], x[i + half]);
        }
    }
    // The item's bits, from the highest on and cyclically, were last compared in steps s, s + 1, …, and these are the
    // place's bits 4 − s, 3 − s, …
    T y[Items];
    SORTILE_UNROLL
    for (int i = 0; i < Items; ++i) {
      int place = 0;
      SORTILE_UNROLL
      for (int step = lane_bits - item_bits; step < lane_bits; ++step)
        place |= (i >> (item_bits - 1 - step % item_bits) & 1) << (lane_bits - 1 - step);
      y[place] = x[i];
    }
    SORTILE_UNROLL
    for (int i = 0; i < Items; ++i)
      x[i] = y[i];
  }
}

} // namespace sortile::primitives::inline SORTILE_BACKEND
