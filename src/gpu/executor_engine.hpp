// The engine called "executor": the GPU engine's kernels, run on the CPU by the executor. For checking and learning;
// slow.
#pragma once

#include "plan/engine.hpp"

namespace sortile::gpu {

const engine& executor_engine();

} // namespace sortile::gpu
