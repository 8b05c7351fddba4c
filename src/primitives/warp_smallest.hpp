// The smallest of what lanes hold, in order, in registers: sorted runs are merged, and half of each merge is dropped.
//
//   thread   a lane's words are sorted (warp_sort.hpp)
//   merge    of two runs that hold as many words as are kept: of each word and its mirror image in the other run
//            the smaller one remains. Each of the two lanes does that for half of its own, so that what remains lies in
//            twice as many lanes, half of them upside down; it rises and falls, and is merged as it lies
//
//   lanes    0      1           run 0: a 0 … 3, run 1: b 0 … 3       kept: 4
//            a0 a1  b0 b1       a0 with b3, a1 with b2 in lane 0; b0 with a3, b1 with a2 in lane 1
//
//   place    lanes of one run are put between those of the other: one shuffle for each word
//
// Two lanes may keep fewer than are wanted: of 64 of the 256 in eight lanes, two have 16 on the average, and 33 or more
// of a million random rows. `left` tells whether that was so.
//
// Source: Batcher, "Sorting networks and their applications" (1968). Not stable: equal words are taken to be
// indistinguishable.
#pragma once

#include "primitives/lanes_reduce.hpp"
#include "primitives/warp_sort.hpp"

namespace sortile::primitives::inline SORTILE_BACKEND {

namespace detail {

/// The smaller or the greater one.
SORTILE_DEVICE std::uint32_t one_of(std::uint32_t a, std::uint32_t b, bool smaller) {
  return (b < a) == smaller ? b : a;
}

/// Runs of `run` lanes are in order.
template <unsigned Lanes, int Kept, unsigned run, int Items>
SORTILE_DEVICE void smallest_of_runs(std::uint32_t (&x)[Items], std::uint32_t (&smallest)[unsigned(Kept) / Lanes],
                                     std::uint32_t& left) {
  if constexpr (run == Lanes) {
    SORTILE_UNROLL
    for (int i = 0; i < Items; ++i)
      smallest[i] = x[i];
  } else {
    constexpr unsigned mirror = 2 * run - 1;
    constexpr bool drops = run * Items == unsigned(Kept) || (run == 1 && Lanes >= 8 && 2 * Items == Kept);
    constexpr int remain = drops ? Items / 2 : Items;
    const bool upper = (simt::lane_index() & run) != 0;
    std::uint32_t y[remain];
    SORTILE_UNROLL
    for (int i = 0; i < remain; ++i) {
      const std::uint32_t other = simt::shuffle_xor(x[Items - 1 - i], mirror);
      y[i] = one_of(x[i], other, drops || !upper);
      if (drops) {
        const std::uint32_t greater = other < x[i] ? x[i] : other;
        left = greater < left ? greater : left;
      }
    }
    SORTILE_UNROLL
    for (unsigned apart = run / 2; apart > 0; apart /= 2)
      SORTILE_UNROLL
    for (int i = 0; i < remain; ++i)
      y[i] = one_of(y[i], simt::shuffle_xor(y[i], apart), ((simt::lane_index() & apart) != 0) == (drops && upper));
    if constexpr (drops) { // the run's other half lies in the mirror image
      std::uint32_t z[remain];
      SORTILE_UNROLL
      for (int i = 0; i < remain; ++i)
        z[i] = one_of(y[i], simt::shuffle_xor(y[remain - 1 - i], mirror), !upper);
      merge_bitonic(z);
      const unsigned in_run = simt::lane_index() & mirror, from = in_run % 2 == 0 ? in_run / 2 : mirror - in_run / 2;
      SORTILE_UNROLL
      for (int i = 0; i < remain; ++i)
        y[i] = run == 1 ? z[i] : simt::shuffle(z[i], from, simt::full_warp, 2 * run);
    } else {
      merge_bitonic(y);
    }
    smallest_of_runs<Lanes, Kept, 2 * run>(y, smallest, left);
  }
}

} // namespace detail

/// Of what each group of so many neighbouring lanes holds, the Kept smallest, ascending: the group's lane l gets the
/// words l · Kept / Lanes … of their order. `left` becomes the smallest of the others, where Kept is less than all. If
/// that is below the last one, two lanes had more than Kept / 2 of the smallest, and they are not all here. All lanes
/// of the warp call; Items, Lanes and Kept are powers of two, Kept ≥ Items, Lanes.
template <unsigned Lanes, int Kept, int Items>
SORTILE_DEVICE void smallest_in_lanes(std::uint32_t (&x)[Items], std::uint32_t (&smallest)[unsigned(Kept) / Lanes],
                                      std::uint32_t& left) {
  left = ~0u;
  sort_in_registers(x);
  detail::smallest_of_runs<Lanes, Kept, 1>(x, smallest, left);
  left = lanes_reduce<Lanes>(left, minimum{});
}

} // namespace sortile::primitives::inline SORTILE_BACKEND
