// Copies the first elements of each of many rows, or gathers them by position: as many of k as a row has, which may be
// read from device memory. What selections end with whose rows differ. Plain C++; asynchronous, allocates nothing.
#pragma once

#include "kernels/select/row_numbers.hpp"
#include "simt/queue.hpp"

#include <sortile/segments.hpp>

#include <cstddef>

namespace sortile::kernels {

/// Result i of row r is element r · stride + i of `in`, or begin of segment r + i; or the one that positions[r · k + i]
/// names. It goes to element r · k + i of `out`; where a row has fewer than k, those behind stay as they are.
struct first_of_rows_request {
  std::uint64_t rows = 0, k = 0, stride = 0;
  segments where{};      ///< no count: rows of at least k elements
  std::uint64_t n = 0;   ///< elements of `in`
  row_numbers results{}; ///< of each row, at most
  const void* in = nullptr;
  std::size_t bytes = 0; ///< of an element
  const void* positions = nullptr;
  unsigned position_bytes = 0;    ///< 4 or 8 where there are positions
  bool positions_in_rows = false; ///< they count from the beginning of their row
  void* out = nullptr;            ///< apart from all others
};

/// Throws invalid_argument, or simt::error where the launch is refused.
void first_of_rows(const simt::queue& q, const first_of_rows_request& request);

} // namespace sortile::kernels
