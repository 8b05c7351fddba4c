// Places of a sample: one drawn from each of equal stretches, so that a pattern of the input does not meet it.
#pragma once

#include "simt/simt.hpp"

namespace sortile::kernels::inline SORTILE_BACKEND {

/// Place i of S among so many keys: somewhere in its i-th stretch (the finaliser of MurmurHash3, Appleby 2011, as a
/// generator).
SORTILE_HOST_DEVICE std::uint32_t drawn_place(std::uint32_t i, std::uint32_t samples, std::uint32_t keys) {
  std::uint32_t h = (i + 1) * 0x9e3779b9u;
  h = (h ^ h >> 16) * 0x85ebca6bu;
  h = (h ^ h >> 13) * 0xc2b2ae35u;
  const std::uint64_t at = (std::uint64_t{i} << 32 | (h ^ h >> 16)) / samples; // of 2^32
  return std::uint32_t((at & 0xffffffffu) * keys >> 32);
}

} // namespace sortile::kernels::inline SORTILE_BACKEND
