// The engines of this build, in the order of preference.
#include "cpu/cpu_engine.hpp"
#include "plan/engine.hpp"

#include <array>

namespace sortile {

std::span<const engine* const> all_engines() {
  static const std::array<const engine*, 1> engines{&cpu::cpu_engine()};
  return engines;
}

} // namespace sortile
