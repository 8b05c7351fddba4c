// The fold of what some neighbouring lanes of a warp hold, in each of them: lanes exchange with those 1, 2, 4, … apart
// (a butterfly). Where the group is the whole warp and its lanes keep an order, warp_reduce (warp_scan.hpp).
#pragma once

#include "primitives/operators.hpp"
#include "simt/simt.hpp"

namespace sortile::primitives::inline SORTILE_BACKEND {

/// Of each group of so many lanes, a power of two. All lanes of the warp call; op commutes.
template <unsigned Lanes, class T, class Op>
SORTILE_DEVICE T lanes_reduce(T v, Op op) {
  SORTILE_UNROLL
  for (unsigned apart = 1; apart < Lanes; apart *= 2)
    v = op(v, simt::shuffle_xor(v, apart));
  return v;
}

} // namespace sortile::primitives::inline SORTILE_BACKEND
