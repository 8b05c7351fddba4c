// Copies values of any size from one array to another in device memory, each as a whole: with another spacing (to widen
// small values, to align misaligned ones), or by position (a gather: out[i] = in[indices[i]]). Plain C++.
//
// A value is moved in units of 4 bytes where both arrays and both sizes allow it, else byte by byte; neighbouring
// threads move neighbouring units, so that long values are read in whole sectors wherever they lie.
//
// Asynchronous on the queue; allocates nothing.
#pragma once

#include "simt/queue.hpp"

#include <cstddef>
#include <cstdint>

namespace sortile::kernels {

struct move_values_request {
  std::uint64_t n = 0;
  const void* in = nullptr;
  std::size_t in_bytes = 0; ///< from one value to the next
  void* out = nullptr;      ///< apart from `in`
  std::size_t out_bytes = 0;
  const void* indices = nullptr; ///< null: value i comes from value i
  unsigned index_bytes = 0;      ///< 4 or 8 where there are indices
  std::uint64_t in_n = 0;        ///< values of `in` that indices may name; 0: n

  /// Bytes of a value that are copied; bytes of `out` beyond them stay as they are.
  std::size_t value_bytes() const { return in_bytes < out_bytes ? in_bytes : out_bytes; }
};

/// Throws invalid_argument, or simt::error where the launch is refused.
void move_values(const simt::queue& q, const move_values_request& request);

} // namespace sortile::kernels
