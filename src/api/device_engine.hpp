// Which engine runs kernels that the caller's translation unit has compiled: it follows from the compiler.
#pragma once

#include "plan/engine.hpp"

namespace sortile {

/// "cuda" for kernels compiled by nvcc, "executor" for those of a host compiler. `operation` is for messages.
/// \throws engine_unusable where no engine can do it, or its engine is not the one asked for
const struct_sorter& engine_of_caller(bool on_executor, const char* operation, options opts, purpose what);

} // namespace sortile
