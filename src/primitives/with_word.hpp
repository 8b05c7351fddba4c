// From a key type, which is a value at run time, to the kernels' instance for its width.
#pragma once

#include <sortile/types.hpp>

#include <cstdint>

namespace sortile::gpu {

/// Calls f with a value of the unsigned type that keys of a type are stored as.
template <class F>
decltype(auto) with_word(key_type type, F&& f) {
  switch (key_bytes(type)) {
  case 1:
    return f(std::uint8_t{});
  case 2:
    return f(std::uint16_t{});
  case 4:
    return f(std::uint32_t{});
  case 8:
    return f(std::uint64_t{});
  default:
    return f(uint128{});
  }
}

} // namespace sortile::gpu
