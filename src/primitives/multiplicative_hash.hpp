// Knuth's multiplicative hashing (The Art of Computer Programming 3, 6.4): the highest bits of the product of a key and
// 2^64 divided by the golden ratio. Of keys of 128 bits the lower half.
#pragma once

#include "simt/config.hpp"

#include <cstdint>

namespace sortile::primitives {

template <unsigned Bits, class Word>
SORTILE_HOST_DEVICE std::uint32_t multiplicative_hash(Word x) {
  static_assert(Bits > 0 && Bits <= 32);
  return std::uint32_t((std::uint64_t(x) * 0x9e3779b97f4a7c15u) >> (64 - Bits));
}

} // namespace sortile::primitives
