// The engines of this build, in the order of preference.
#include "cpu/cpu_engine.hpp"
#include "gpu/cuda_engine.hpp"
#include "gpu/executor_engine.hpp"
#include "plan/engine.hpp"

#include <array>

namespace sortile {

std::span<const engine* const> all_engines() {
  static const std::array<const engine*, 3> engines{&gpu::cuda_engine(), &cpu::cpu_engine(), &gpu::executor_engine()};
  return engines;
}

} // namespace sortile
