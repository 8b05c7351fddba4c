// Groups of equal keys of arrays in host memory. The requests are checked already.
#pragma once

#include <sortile/groups.hpp>

namespace sortile::cpu {

/// The number of groups.
std::size_t groups(const groups_request& request, const options& opts, unsigned threads);

} // namespace sortile::cpu
