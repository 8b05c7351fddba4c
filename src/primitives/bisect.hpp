// Bisection: where a condition stops holding, or begins to. By one thread, log2 of the range in dependent reads.
#pragma once

#include "simt/config.hpp"

#include <type_traits>

namespace sortile::primitives {

/// The last i of [low, high] with holds(i). It has to hold for low, and for none after the first for which it does not
/// hold.
template <class Integer, class Holds>
SORTILE_DEVICE Integer last_that(std::type_identity_t<Integer> low, Integer high, Holds holds) {
  while (low < high) {
    const Integer middle = low + (high - low + 1) / 2;
    if (holds(middle))
      low = middle;
    else
      high = middle - 1;
  }
  return low;
}

/// The first i of [low, high) with holds(i), else high. It has to hold for all after the first for which it holds.
template <class Integer, class Holds>
SORTILE_DEVICE Integer first_that(std::type_identity_t<Integer> low, Integer high, Holds holds) {
  while (low < high) {
    const Integer middle = low + (high - low) / 2;
    if (holds(middle))
      high = middle;
    else
      low = middle + 1;
  }
  return low;
}

} // namespace sortile::primitives
