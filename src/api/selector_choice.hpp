// Who does a request that is no whole sort (a selection, groups, a scan): the CPU engine, or the kernels of another.
#pragma once

#include "plan/engine.hpp"

#include <new>
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

/// Runs `work`, in which the standard library may fail to allocate, and gives that failure its name.
template <class Work>
auto with_named_failures(const char* operation, Work&& work) {
  try {
    return work();
  } catch (const std::bad_alloc&) {
    throw out_of_memory(std::string("sortile: out of memory in ") + operation);
  }
}

} // namespace sortile
