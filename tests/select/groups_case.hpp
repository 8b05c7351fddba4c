// Groups of a random case's keys as a test makes them: on guarded buffers, checked against the oracle.
#pragma once

#include "tests/select/select_case.hpp"

#include <sortile/groups.hpp>

namespace sortile::testing {

/// Of the case its type, n, workload, seed, direction, bits, engine, threads, workspace and place count. `width`: bytes
/// of the numbers; `wanted`: a bit for each of keys_out, first, counts, offsets, order, inverse.
verdict check_groups(const top_k_case& c, std::size_t width, unsigned wanted);

} // namespace sortile::testing
