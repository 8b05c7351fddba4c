// A sort of rows, or of segments, by addresses alone, as frameworks ask for it: in host memory, or in that of a device.
#pragma once

#include <sortile/segments.hpp>

#include <cstddef>
#include <string>

namespace sortile::python {

/// What is made of each row. The numbers are those of sortile/_gpu.py. Positions count from the beginning of their row.
/// Of the first k keys of each row, as top_k gives them, there are positions alone.
enum class product { keys, positions, keys_and_positions, keys_and_values, first_positions };

/// `rows` rows of n keys, one behind the other; values and results likewise.
struct rows_call {
  product wanted = product::keys;
  key_type type = key_type::u8;
  std::size_t rows = 0, n = 0;
  const void* keys_in = nullptr;
  void* keys_out = nullptr;
  std::size_t value_bytes = 0; ///< of a value or a position
  const void* values_in = nullptr;
  void* values_out = nullptr;
  std::size_t k = 0; ///< of first_positions
};

/// \throws invalid_argument where a number names no type or product
void run_rows(const rows_call& call, const options& opts);

/// How run_rows() would sort them; not of first_positions.
std::string explain_rows(const rows_call& call, const options& opts);

/// The only row, by segments of it; all products but first_positions.
void run_segments(const rows_call& call, const segments& where, const options& opts);

} // namespace sortile::python
