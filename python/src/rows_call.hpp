// A sort of rows by addresses alone, as frameworks ask for it: on the CPU or in device memory.
#pragma once

#include <sortile/request.hpp>

#include <cstddef>

namespace sortile::python {

/// What is made of each row. The numbers are those of sortile/_gpu.py.
enum class product { keys, positions, keys_and_positions, keys_and_values };

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
};

/// \throws invalid_argument where a number names no type or product
void need_known(const rows_call& call);

/// The sort of one of its rows.
sort_request request_of(const rows_call& call, std::size_t row);

/// One row after another, with these options: each by all threads, or queued on the options' stream.
void run_rows_in_turn(const rows_call& call, const options& opts);

/// Rows in host memory: short ones side by side.
void run_rows_on_host(const rows_call& call, const options& opts);

} // namespace sortile::python
