// Where the arrays of plans lie that are not there yet.
#pragma once

#include <cstddef>
#include <cstdint>

namespace sortile {

/// An address that is compared, never followed: place 0 to 7, far apart from the others, and `off` bytes behind it.
inline std::byte* nowhere(unsigned place = 0, std::size_t off = 0) {
  return reinterpret_cast<std::byte*>((std::uintptr_t{1} << 60) + (std::uintptr_t{place} << 57) + off);
}

} // namespace sortile
