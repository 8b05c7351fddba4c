// Bisection: where a condition that holds at first stops holding. By one thread, log2 of the range in dependent reads.
#pragma once

#include "simt/config.hpp"

#include <cstdint>

namespace sortile::primitives {

/// The last i of [low, high] with holds(i). It has to hold for low, and for none after the first for which it does not
/// hold.
template <class Holds>
SORTILE_DEVICE std::uint32_t last_that(std::uint32_t low, std::uint32_t high, Holds holds) {
  while (low < high) {
    const std::uint32_t middle = low + (high - low + 1) / 2;
    if (holds(middle))
      low = middle;
    else
      high = middle - 1;
  }
  return low;
}

} // namespace sortile::primitives
