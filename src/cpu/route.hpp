// Routing of pairs in host memory. The request is checked already.
#pragma once

#include <sortile/route.hpp>

namespace sortile::cpu {

void route(const route_request& request, unsigned threads);
void add_route_steps(const route_request& request, std::vector<plan_step>& steps);

} // namespace sortile::cpu
