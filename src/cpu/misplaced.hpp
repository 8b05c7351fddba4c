// What several threads that have split an array together, each its stretch, still have to exchange.
#pragma once

#include <algorithm>
#include <cstddef>
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

/// Stretches that follow each other were split, each by itself: the high keys before place `lows`, where the low ones of
/// all are to end, against the low ones behind it. In pieces for threads.
inline std::vector<exchange> misplaced_stretches(const std::vector<stretch>& stretches, std::size_t lows) {
  struct run {
    std::size_t begin, n;
  };
  std::vector<run> high_before, low_behind;
  for (const stretch& s : stretches) {
    const std::size_t middle = s.begin + s.lows;
    if (middle < std::min(s.end, lows))
      high_before.push_back({middle, std::min(s.end, lows) - middle});
    if (std::max(s.begin, lows) < middle)
      low_behind.push_back({std::max(s.begin, lows), middle - std::max(s.begin, lows)});
  }
  constexpr std::size_t most = std::size_t{1} << 16;
  std::vector<exchange> all;
  for (std::size_t i = 0, j = 0; i < high_before.size() && j < low_behind.size();) {
    run &a = high_before[i], &b = low_behind[j];
    const std::size_t count = std::min({a.n, b.n, most});
    all.push_back({a.begin, b.begin, count});
    a.begin += count, a.n -= count;
    b.begin += count, b.n -= count;
    i += a.n == 0;
    j += b.n == 0;
  }
  return all;
}

} // namespace sortile::cpu
