// How many results each row of a selection has: unsigned numbers in device memory. Plain C++.
#pragma once

#include <cstdint>

namespace sortile::kernels {

struct row_numbers {
  const void* data = nullptr; ///< null: each row has as many as there is room for
  unsigned bytes = 0;         ///< 4 or 8

  unsigned bytes_each() const { return data == nullptr ? 0 : bytes; }
  /// From this row on.
  row_numbers from(std::uint64_t row) const {
    return {data == nullptr ? nullptr : static_cast<const char*>(data) + row * bytes, bytes};
  }
};

} // namespace sortile::kernels
