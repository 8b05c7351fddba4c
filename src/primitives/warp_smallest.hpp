// The smallest of what lanes hold, in order, in registers: sorted runs are merged, and half of each merge is dropped.
//
//   thread   a lane's elements are sorted (warp_sort.hpp)
//   merge    of two runs that hold as many elements as are kept: of each element and its mirror image in the other run
//            the smaller one remains. Each of the two lanes does that for half of its own, so that what remains lies in
//            twice as many lanes, half of them upside down; it rises and falls, and is merged as it lies
//
//   lanes    0      1           run 0: a 0 … 3, run 1: b 0 … 3       kept: 4
//            a0 a1  b0 b1       a0 with b3, a1 with b2 in lane 0; b0 with a3, b1 with a2 in lane 1
//
//   place    lanes of one run are put between those of the other: one shuffle for each element
//
// The kept elements of 8 lanes with 32 each, 64 of 256, take 680 comparators' halves for a lane, where a sort of all
// takes 1300: each merge after the first has half as many as the one before.
//
// Source: Batcher, "Sorting networks and their applications" (1968). Not stable: equal elements are taken to be
// indistinguishable.
#pragma once

#include "primitives/lanes_reduce.hpp"
#include "primitives/warp_sort.hpp"

namespace sortile::primitives::inline SORTILE_BACKEND {

namespace detail {

/// The smaller or the greater one.
template <class T>
SORTILE_DEVICE T one_of(const T& a, const T& b, bool smaller) {
  return (b < a) == smaller ? b : a;
}

/// Runs of `run` lanes are in order.
template <unsigned Lanes, int Kept, unsigned run, int Items, class T>
SORTILE_DEVICE void smallest_of_runs(T (&x)[Items], T (&smallest)[unsigned(Kept) / Lanes], T& left) {
  if constexpr (run == Lanes) {
    SORTILE_UNROLL
    for (int i = 0; i < Items; ++i)
      smallest[i] = x[i];
  } else {
    constexpr unsigned mirror = 2 * run - 1;
    constexpr bool drops = run * Items == unsigned(Kept);
    constexpr int remain = drops ? Items / 2 : Items;
    const bool upper = (simt::lane_index() & run) != 0;
    T y[remain];
    SORTILE_UNROLL
    for (int i = 0; i < remain; ++i) {
      const T other = simt::shuffle_xor(x[Items - 1 - i], mirror);
      y[i] = one_of(x[i], other, drops || !upper);
      if (drops) {
        const T greater = one_of(x[i], other, false);
        left = greater < left ? greater : left;
      }
    }
    SORTILE_UNROLL
    for (unsigned apart = run / 2; apart > 0; apart /= 2)
      SORTILE_UNROLL
    for (int i = 0; i < remain; ++i)
      y[i] = one_of(y[i], simt::shuffle_xor(y[i], apart), ((simt::lane_index() & apart) != 0) == (drops && upper));
    if constexpr (drops) { // the run's other half lies in the mirror image
      T z[remain];
      SORTILE_UNROLL
      for (int i = 0; i < remain; ++i)
        z[i] = one_of(y[i], simt::shuffle_xor(y[remain - 1 - i], mirror), !upper);
      merge_bitonic(z);
      const unsigned in_run = simt::lane_index() & mirror, from = in_run % 2 == 0 ? in_run / 2 : mirror - in_run / 2;
      SORTILE_UNROLL
      for (int i = 0; i < remain; ++i)
        y[i] = simt::shuffle(z[i], from, simt::full_warp, 2 * run);
    } else {
      merge_bitonic(y);
    }
    smallest_of_runs<Lanes, Kept, 2 * run>(y, smallest, left);
  }
}

} // namespace detail

/// Of what each group of so many neighbouring lanes holds, the Kept smallest, ascending: the group's lane l gets the
/// elements l · Kept / Lanes … of their order. `left` becomes the smallest of the others, where Kept is less than all.
/// All lanes of the warp call; T is an unsigned integer; Items, Lanes and Kept are powers of two, Kept ≥ Items, Lanes.
template <unsigned Lanes, int Kept, int Items, class T>
SORTILE_DEVICE void smallest_in_lanes(T (&x)[Items], T (&smallest)[unsigned(Kept) / Lanes], T& left) {
  left = T(~T{0});
  sort_in_registers(x);
  detail::smallest_of_runs<Lanes, Kept, 1>(x, smallest, left);
  left = lanes_reduce<Lanes>(left, minimum{});
}

} // namespace sortile::primitives::inline SORTILE_BACKEND
