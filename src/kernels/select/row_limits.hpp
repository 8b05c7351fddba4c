// How many results each row of a selection has, as kernels read it.
#pragma once

#include "kernels/select/row_numbers.hpp"
#include "simt/simt.hpp"

namespace sortile::kernels::inline SORTILE_BACKEND {

struct row_limits {
  simt::global<const std::uint32_t> of_32; // one of both, or none: all rows have as many as there is room for
  simt::global<const std::uint64_t> of_64;
  unsigned bytes;

  /// Of `rows` rows.
  static row_limits of(const row_numbers& r, std::uint64_t rows) {
    return {.of_32 = {static_cast<const std::uint32_t*>(r.data), r.bytes_each() == 4 ? rows : 0},
            .of_64 = {static_cast<const std::uint64_t*>(r.data), r.bytes_each() == 8 ? rows : 0},
            .bytes = r.bytes_each()};
  }

  /// The results of this row, at most so many.
  SORTILE_DEVICE std::uint64_t at_most(std::uint64_t most, std::uint64_t row) const {
    if (bytes == 0)
      return most;
    const std::uint64_t wanted = bytes == 4 ? of_32.load(row) : of_64.load(row);
    return wanted < most ? wanted : most;
  }
};

} // namespace sortile::kernels::inline SORTILE_BACKEND
