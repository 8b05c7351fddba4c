// How many results each row of a selection has, as kernels read it.
#pragma once

#include "kernels/number_array.hpp"
#include "kernels/select/row_numbers.hpp"

namespace sortile::kernels::inline SORTILE_BACKEND {

struct row_limits {
  const_number_array results; // none: all rows have as many as there is room for

  /// Of `rows` rows.
  static row_limits of(const row_numbers& r, std::uint64_t rows) {
    return {const_number_array::of(r.data, rows, r.bytes)};
  }

  /// The results of this row, at most so many.
  SORTILE_DEVICE std::uint64_t at_most(std::uint64_t most, std::uint64_t row) const {
    if (!results.are_there())
      return most;
    const std::uint64_t wanted = results.load(row);
    return wanted < most ? wanted : most;
  }
};

} // namespace sortile::kernels::inline SORTILE_BACKEND
