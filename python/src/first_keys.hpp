// The first k keys of each row of an array, or of each of its segments, and their positions, as Python's callers want
// them: NaN and NaT at their place, and a filler where a row has fewer.
#pragma once

#include "call.hpp"
#include "lane_rows.hpp"

#include <sortile/segments.hpp>

#include <cstddef>
#include <cstdint>
#include <vector>

namespace sortile::python {

struct first_keys {
  const lane_rows& keys;        ///< not prepared yet
  segments where;               ///< of form strided: rows, without gaps
  std::size_t k = 0;            ///< results that there is room for; above a row's length in segments alone
  const void* counts = nullptr; ///< for each row an unsigned number; none: k for all
  std::size_t count_bytes = 8;  ///< 4 or 8
  std::byte* values = nullptr;
  std::int64_t* positions = nullptr; ///< from the beginning of each row on; −1 behind its last one
  const void* fill = nullptr;        ///< what values have there, an element; null: zeros

  /// The interpreter's lock is not needed.
  void run(const call& how) const;

 private:
  std::size_t results_of(std::size_t row) const;
  void select(const void* from, const void* counts_of_rows, std::size_t bytes, const options& opts) const;
  void select_with_nan_last(const call& how) const;
  void select_again(const std::vector<std::uint64_t>& wanted, const options& opts) const;
  void finish_row(std::size_t row, bool counted_from_second) const;
};

} // namespace sortile::python
