// Launches of kernels that are compiled in the caller's translation unit.
#pragma once

#include "simt/simt.hpp"

namespace sortile::kernels::inline SORTILE_BACKEND {

namespace {

/// A kernel as a type of this translation unit. A launch of more than 48 KiB of shared storage needs the device's
/// leave, which is given to the function of one unit and remembered by type; and several units may sort by the same
/// order.
template <class Kernel>
struct of_this_unit : Kernel {};

} // namespace

template <class Kernel>
void launch_here(const simt::queue& q, const simt::launch_config& config, const Kernel& kernel) {
  simt::launch(q, config, of_this_unit<Kernel>{kernel});
}

} // namespace sortile::kernels::inline SORTILE_BACKEND
