// What nvcc is told before a series of votes or shuffles.
#pragma once

#include "simt/simt.hpp"

namespace sortile::primitives::inline SORTILE_BACKEND {

/// A shuffle whose result nobody uses. All lanes of a warp take part, so ptxas knows that they are together. It does
/// not know that after a loop that lanes may leave one by one, not even after a barrier. Then it compiles what follows
/// twice, the second time for a warp that has come apart, and divides the registers between both. An LSD pass with 160
/// ballots took a tenth longer that way (CUDA 13.0).
SORTILE_DEVICE void warp_together() {
  simt::shuffle(simt::lane_index(), 0);
}

} // namespace sortile::primitives::inline SORTILE_BACKEND
