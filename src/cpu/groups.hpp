// Groups of equal keys of arrays in host memory. The requests are checked already.
#pragma once

#include <sortile/groups.hpp>

#include <vector>

namespace sortile::cpu {

void add_groups_steps(const groups_request& request, const options& opts, unsigned threads,
                      std::vector<plan_step>& steps);

/// The number of groups.
std::size_t groups(const groups_request& request, const options& opts, unsigned threads);

} // namespace sortile::cpu
