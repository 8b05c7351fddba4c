// Where the arrays of plans lie that are not there yet.
#pragma once

#include <cstddef>
#include <cstdint>

namespace sortile {

/// No array has more: processors of today address 2^57 bytes, of which a process has half. So arrays at two places of
/// nowhere() lie apart.
inline constexpr std::size_t most_array_bytes = std::size_t{1} << 56;

/// An address that is compared, never followed: place 0 to 7, far apart from the others, and `off` bytes behind it.
inline std::byte* nowhere(unsigned place = 0, std::size_t off = 0) {
  return reinterpret_cast<std::byte*>((std::uintptr_t{1} << 60) + (std::uintptr_t{place} << 57) + off);
}

} // namespace sortile
