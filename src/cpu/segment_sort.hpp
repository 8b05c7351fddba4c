// Sorts within segments of arrays in host memory: what the engine "cpu" offers as engine::segments().
#pragma once

#include "plan/engine.hpp"

namespace sortile::cpu {

const segment_sorter& cpu_segments();

} // namespace sortile::cpu
