// Reductions and scans across the lanes of a warp.
//
// A scan takes five steps, in which each lane adds what the lane 2^k below has gathered (Hillis and Steele, 1986). A
// work-efficient tree takes as many on its way up alone, and with 32 lanes in lock-step idle lanes cost as much as busy
// ones. 32-bit integers reduce in one instruction. All lanes of the warp call; operands keep the order of the lanes.
#pragma once

#include "primitives/operators.hpp"
#include "simt/simt.hpp"

namespace sortile::primitives::inline SORTILE_BACKEND {

/// Whether one instruction folds a warp's values.
template <class T, class Op>
inline constexpr bool reduced_by_hardware = std::is_integral_v<T> && sizeof(T) == 4 &&
                                            (std::is_same_v<Op, plus> || std::is_same_v<Op, maximum> ||
                                             std::is_same_v<Op, minimum>);

/// The fold of the lanes 0 … last, in this order, in every lane.
template <class T, class Op>
SORTILE_DEVICE T warp_reduce(T v, Op op, unsigned last = simt::warp_size - 1) {
  const unsigned lane = simt::lane_index();
  if constexpr (reduced_by_hardware<T, Op>) {
    const T kept = lane <= last ? v : Op::template identity<T>();
    if constexpr (std::is_same_v<Op, plus>)
      return simt::warp_reduce_add(kept);
    else if constexpr (std::is_same_v<Op, maximum>)
      return simt::warp_reduce_max(kept);
    else
      return simt::warp_reduce_min(kept);
  } else {
    // Lane l holds the fold of l … min(l + 2·delta − 1, last) after the step; lane 0 ends with all.
    SORTILE_UNROLL
    for (unsigned delta = 1; delta < simt::warp_size; delta *= 2) {
      const T above = simt::shuffle_down(v, delta);
      if (lane + delta <= last)
        v = op(v, above);
    }
    return simt::shuffle(v, 0);
  }
}

/// The fold of the lanes from `last` down to 0: for a look-back, whose lane 0 has the nearest tile, which comes last.
template <class T, class Op>
SORTILE_DEVICE T warp_reduce_backwards(T v, Op op, unsigned last) {
  if constexpr (reduced_by_hardware<T, Op>) // commutative
    return warp_reduce(v, op, last);
  else
    return warp_reduce(
        v, [op](T a, T b) { return op(b, a); }, last);
}

/// The fold of the lanes 0 … this one.
template <class T, class Op>
SORTILE_DEVICE T warp_inclusive_scan(T v, Op op) {
  const unsigned lane = simt::lane_index();
  SORTILE_UNROLL
  for (unsigned delta = 1; delta < simt::warp_size; delta *= 2) {
    const T below = simt::shuffle_up(v, delta);
    if (lane >= delta)
      v = op(below, v);
  }
  return v;
}

/// What a lane needs to know of the lanes before it, and of all.
template <class T>
struct warp_prefix {
  T before; ///< the fold of `initial` and the lanes below
  T total;  ///< the fold of all lanes, without `initial`
};

template <class T, class Op>
SORTILE_DEVICE warp_prefix<T> warp_exclusive_scan(T v, Op op, T initial) {
  const T inclusive = warp_inclusive_scan(v, op);
  const T below = simt::shuffle_up(inclusive, 1);
  return {simt::lane_index() == 0 ? initial : op(initial, below), simt::shuffle(inclusive, simt::warp_size - 1)};
}

} // namespace sortile::primitives::inline SORTILE_BACKEND
