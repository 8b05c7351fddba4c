// The engines that differential tests run: every usable one that is meant for production, by name. The executor, which
// is slow, has a file of its own.
#pragma once

#include <sortile/request.hpp>

#include <string>
#include <vector>

namespace sortile::testing {

inline std::vector<std::string> usable_engines() {
  std::vector<std::string> names;
  for (const engine_info& engine : engines())
    if (engine.usable && engine.name != "executor")
      names.push_back(engine.name);
  return names;
}

/// Sanitizers slow everything down tenfold: long loops run a part of their cases under them.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
inline constexpr unsigned slow_build = 8;
#else
inline constexpr unsigned slow_build = 1;
#endif

} // namespace sortile::testing
