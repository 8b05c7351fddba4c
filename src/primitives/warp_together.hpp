// What nvcc is told before a series of votes or shuffles.
#pragma once

#include "simt/simt.hpp"

namespace sortile::primitives::inline SORTILE_BACKEND {

/// A shuffle whose result nobody wants. By all lanes of a warp, which are together then, and ptxas knows it. Behind a
/// loop that lanes may leave one by one it does not, not even with a barrier between: it makes a second version of what
/// follows, for a warp that has come apart, and shares registers out among both. An LSD pass of 160 ballots took a
/// tenth longer so (CUDA 13.0).
SORTILE_DEVICE void warp_together() {
  simt::shuffle(simt::lane_index(), 0);
}

} // namespace sortile::primitives::inline SORTILE_BACKEND
