// Who does a request that is no whole sort (a selection, groups, a scan): the CPU engine, or the kernels of another.
#pragma once

#include "plan/engine.hpp"

#include <string>
#include <string_view>

namespace sortile {

struct kernels_choice {
  const selector* kernels = nullptr; ///< null: the CPU engine
  std::string_view engine;
  std::string reason;
};

/// Of a request of n elements. Arrays in host memory are the CPU engine's, unless another is asked for by name.
/// \throws unknown_engine, engine_unusable
kernels_choice kernels_for(std::size_t n, const options& opts, purpose what);

/// A plan that says who, and nothing yet of what is done.
inline plan plan_by(const kernels_choice& who) {
  plan p;
  p.engine = who.engine;
  p.reason = who.reason;
  return p;
}

} // namespace sortile
