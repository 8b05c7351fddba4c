// What the front doors share: from how many elements on a call asks for threads, and names for failures to allocate.
#pragma once

#include "plan/engine.hpp"

#include <sortile/error.hpp>

#include <cstddef>
#include <new>
#include <string>

namespace sortile {

constexpr std::size_t door_alone_below = 4096; // elements, for which asking for the processors takes too long

/// Threads for a call on n elements in host memory.
inline unsigned door_threads(std::size_t n, const options& opts) {
  return n < door_alone_below ? 1 : resolve_threads(opts);
}

/// Where there is no memory for a message either. Copying it takes none.
inline const out_of_memory nothing_left("sortile: out of memory");

/// Runs `work`, in which the standard library may fail to allocate, and gives that failure its name.
template <class Work>
auto with_named_failures(const char* operation, Work&& work) {
  try {
    return work();
  } catch (const std::bad_alloc&) {
  }
  std::string message;
  try {
    message = std::string("sortile: out of memory in ") + operation;
  } catch (const std::bad_alloc&) {
    throw nothing_left;
  }
  throw out_of_memory(message);
}

} // namespace sortile
