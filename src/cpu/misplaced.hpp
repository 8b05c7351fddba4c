// What several threads that have split an array together, each its stretch, still have to exchange.
#pragma once

#include "cpu/parallel.hpp"

#include <algorithm>
#include <vector>

namespace sortile::cpu {

/// n keys from place a on against as many from place b on.
struct exchange {
  std::size_t a, b, n;
};

/// An array of n keys was split in low.size() stretches, of which stretch i begins with low[i] low keys: the high ones
/// before place `lows`, where the low ones of all are to end, against the low ones behind it. In pieces for threads.
inline std::vector<exchange> misplaced_stretches(std::size_t n, const std::vector<std::size_t>& low, std::size_t lows) {
  struct stretch {
    std::size_t begin, n;
  };
  std::vector<stretch> high_before, low_behind;
  for (std::size_t i = 0; i < low.size(); ++i) {
    const std::size_t begin = part_begin(n, low.size(), i), middle = begin + low[i],
                      end = part_begin(n, low.size(), i + 1);
    if (middle < std::min(end, lows))
      high_before.push_back({middle, std::min(end, lows) - middle});
    if (std::max(begin, lows) < middle)
      low_behind.push_back({std::max(begin, lows), middle - std::max(begin, lows)});
  }
  constexpr std::size_t most = std::size_t{1} << 16;
  std::vector<exchange> all;
  for (std::size_t i = 0, j = 0; i < high_before.size() && j < low_behind.size();) {
    stretch &a = high_before[i], &b = low_behind[j];
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
