// Where a sample looks: one key of each part of the array, at a place that is random but always the same.
#pragma once

#include "simt/config.hpp"

#include <cstdint>

namespace sortile::kernels {

/// The place that sample i of so many takes of n keys, n >= samples; parts are shorter than 2^32 keys. By SplitMix64
/// (Steele, Lea and Flood 2014).
SORTILE_HOST_DEVICE constexpr std::uint64_t sample_place(std::uint64_t i, std::uint64_t samples, std::uint64_t n) {
  std::uint64_t z = (i + 1) * 0x9e3779b97f4a7c15u;
  z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
  z = (z ^ z >> 27) * 0x94d049bb133111ebu;
  z ^= z >> 31;
  const std::uint64_t part = n / samples, rest = n % samples;
  const std::uint64_t first = part * i + (i < rest ? i : rest), width = part + (i < rest ? 1 : 0);
  return first + ((z >> 32) * (width & 0xffffffffu) >> 32);
}

} // namespace sortile::kernels
