// What a split around three pivots has made: parts of which one may have a single key alone.
#pragma once

#include <cstddef>

namespace sortile::cpu {

/// The first three parts of n images, which end before begins[0], begins[1] and begins[2]: calls equals(begin, n) for a
/// part in which all are one key, that is `lowest`, the least that is possible there, and others(begin, n, lowest) for
/// one with more. Returns where the fourth part begins; `lowest` is that part's then.
template <class T, class Equals, class Others>
std::size_t each_of_three(const T (&pivots)[3], const std::size_t (&begins)[3], T& lowest, Equals&& equals,
                          Others&& others) {
  std::size_t begin = 0;
  for (std::size_t i = 0; i < 3; ++i) {
    if (static_cast<T>(lowest + 1) == pivots[i])
      equals(begin, begins[i] - begin);
    else
      others(begin, begins[i] - begin, lowest);
    begin = begins[i];
    lowest = pivots[i];
  }
  return begin;
}

} // namespace sortile::cpu
