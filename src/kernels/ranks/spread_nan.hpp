// Rows of numbers whose last one tells whether the others are any: where it is NaN, all become NaN. Of quantiles of
// floats the last is that of 1, the largest key, and NaN is larger than all others. The others may be written
// elsewhere, as floats of 32 bits too. Plain C++.
#pragma once

#include "simt/queue.hpp"

#include <cstdint>

namespace sortile::kernels {

struct spread_nan_request {
  double* numbers = nullptr; ///< [rows][count]
  std::uint64_t rows = 0, count = 0;
  void* results = nullptr;   ///< [rows][count − 1], beside the numbers; null: these are overwritten
  unsigned result_bytes = 8; ///< of a result: 8, or 4
};

/// Asynchronous on the queue; allocates nothing.
void spread_nan(const simt::queue& q, const spread_nan_request& request);

} // namespace sortile::kernels
