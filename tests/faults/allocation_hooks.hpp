// Counts what the program allocates, and makes an allocation fail on demand: operator new and mmap are replaced in this
// executable. Those of C are counted beside them, and do not fail.
#pragma once

#include <cstddef>

namespace sortile::testing {

struct allocation_count {
  std::size_t allocations = 0;
  std::size_t bytes = 0;
  std::size_t of_c = 0;       ///< calls of malloc, calloc and realloc, which operator new does not make
  std::size_t live_bytes = 0; ///< allocated and not given back; exact for operator new and mmap
};

/// Since the program began, by all threads.
allocation_count allocations_so_far();

/// The allocation number `countdown` from now on fails, once (0: the next one); a negative number: none.
void fail_allocation(long countdown);

/// From the allocation number `countdown` on every one of the calling thread fails, until fail_allocation(-1).
void fail_allocations_from(long countdown);

/// Whether the failure asked for has happened.
bool allocation_has_failed();

} // namespace sortile::testing
