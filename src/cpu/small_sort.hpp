// Short sorts, straight from the front door: no plan, no workspace, no allocation.
#pragma once

#include <sortile/request.hpp>

namespace sortile::cpu {

/// Does a short sort at once, and returns true. False: nothing was done, and the request goes on to the front door's
/// checks, which name every misuse. `engine_is_open`: no other engine than this one was asked for.
bool sort_small(const sort_request& request, const options& opts, bool engine_is_open) noexcept;

} // namespace sortile::cpu
