// The two compilations of profile.cu.
#pragma once

#include "simt/queue.hpp"

namespace sortile::simt_cost {

template <class Backend>
void profile();

} // namespace sortile::simt_cost
