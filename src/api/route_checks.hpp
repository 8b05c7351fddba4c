// What the front door asks of routings before anything is planned. Each function throws invalid_argument.
#pragma once

#include <sortile/route.hpp>

namespace sortile::checks {

/// Of a routing whose arrays are not there yet: type, sizes and options.
void route_shape(const route_request& request, const options& opts);
void route(const route_request& request, const options& opts);
/// The caller's workspace, in device memory.
void workspace(const route_request& request, const options& opts, std::size_t wanted);

} // namespace sortile::checks
