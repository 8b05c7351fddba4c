// Measures sorts of arrays in the host's pageable memory, by the library's ordinary call: upload, sort, download.
// Beside it, taking turns, a copy of the same bytes from pinned memory to the device and back, one after the other:
// what the link allows to a sort, which cannot give back its first key before it has the last. By the host's clock.
#pragma once

#include "bench/gpu/sort_results.hpp"

namespace sortile::bench {

/// Standings "pinned copy" and "sortile"; the result is compared with CUB's before anything is timed. Failures are
/// complaints in the result.
sort_result measure_in_host_memory(const sort_row& row, unsigned rounds);

} // namespace sortile::bench
