// Copies the keys or the values of a list of runs to one array: end to end, or by the number that an element has
// through all runs. Elements of any size, at any place. Plain C++.
//
// Each thread looks for its element's run by bisection, and keeps it until an element lies outside. Values are moved in
// units of 4 bytes where all arrays allow it, else byte by byte.
//
// Asynchronous on the queue; allocates nothing; the list is read before the call returns.
#pragma once

#include "simt/queue.hpp"

#include <sortile/request.hpp>

#include <cstddef>
#include <cstdint>
#include <span>

namespace sortile::kernels {

struct move_runs_request {
  std::span<const sorted_run> runs{}; ///< in host memory
  bool values = false;                ///< theirs, in place of the keys
  std::size_t bytes = 0;              ///< of an element
  void* out = nullptr;                ///< apart from everything
  const void* numbers = nullptr;      ///< null: end to end; else which element goes to each place
  unsigned number_bytes = 0;          ///< 4 or 8
  void* table = nullptr;              ///< run_table_bytes(), aligned to 128
  bool is_listed = false;             ///< the table has been written for these runs
};

/// Bytes of the table of so many runs, none of them empty.
std::size_t run_table_bytes(std::size_t runs);

/// Throws invalid_argument, or simt::error where a launch is refused.
void move_runs(const simt::queue& q, const move_runs_request& request);

} // namespace sortile::kernels
