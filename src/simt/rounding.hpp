// Arithmetic that the host and kernels round alike. Stands alone, as config.hpp.
#pragma once

#include "simt/config.hpp"

#include <cmath>

namespace sortile::simt {

/// a * b, rounded by itself: never fused with a sum that it goes into, which compilers do in kernels.
SORTILE_HOST_DEVICE double rounded_product(double a, double b) {
#if defined(__CUDA_ARCH__)
  return __dmul_rn(a, b);
#else
  return std::fma(a, b, -0.0);
#endif
}

} // namespace sortile::simt
