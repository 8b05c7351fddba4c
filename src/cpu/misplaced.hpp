// What several threads that have split an array together, each its stretch, still have to exchange.
#pragma once

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <vector>

namespace sortile::cpu {

/// n keys from place a on against as many from place b on.
struct exchange {
  std::size_t a, b, n;
};

/// Keys [begin, end) of which the first so many are low.
struct stretch {
  std::size_t begin, end, lows;
};

/// Stretches that follow each other were split, each by itself: calls f(a, b, n) for high keys before place `lows`,
/// where the low ones of all are to end, which are to change places with as many low ones behind it.
template <class Stretches, class F>
void each_misplaced(const Stretches& stretches, std::size_t lows, F&& f) {
  std::size_t high = 0, high_end = 0, low = 0, low_end = 0; // what is left of a run of each
  for (auto at_high = std::begin(stretches), at_low = at_high;;) {
    for (; high >= high_end; ++at_high) {
      if (at_high == std::end(stretches))
        return;
      high = at_high->begin + at_high->lows, high_end = std::min(at_high->end, lows);
    }
    for (; low >= low_end; ++at_low) {
      if (at_low == std::end(stretches))
        return;
      low = std::max(at_low->begin, lows), low_end = at_low->begin + at_low->lows;
    }
    const std::size_t n = std::min(high_end - high, low_end - low);
    f(high, low, n);
    high += n, low += n;
  }
}

/// The same in pieces for threads.
inline std::vector<exchange> misplaced_stretches(const std::vector<stretch>& stretches, std::size_t lows) {
  constexpr std::size_t most = std::size_t{1} << 16;
  std::vector<exchange> all;
  each_misplaced(stretches, lows, [&](std::size_t a, std::size_t b, std::size_t n) {
    for (std::size_t i = 0; i < n; i += most)
      all.push_back({a + i, b + i, std::min(most, n - i)});
  });
  return all;
}

} // namespace sortile::cpu
