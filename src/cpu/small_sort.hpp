// Short sorts, straight from the front door: no plan, no workspace, no allocation.
#pragma once

#include <sortile/request.hpp>

namespace sortile::cpu {

/// Does a short sort at once, and says so. False: nothing was done, and the request goes the long way, which is where
/// every misuse is named. `engine_is_open`: nobody asked for another engine than this one.
bool sort_small(const sort_request& request, const options& opts, bool engine_is_open) noexcept;

} // namespace sortile::cpu
