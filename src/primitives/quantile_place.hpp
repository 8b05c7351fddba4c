// A quantile: the ranks of the two keys between which it lies, how far, and what it is there. Host and kernels compute
// alike, to the last bit.
#pragma once

#include "simt/rounding.hpp"

#include <sortile/select.hpp>

#include <cstdint>
#include <limits>

namespace sortile {

/// Between two numbers, exact at both ends, and between equal ones, infinite ones too, that number. Between a finite
/// and an infinite one it is the infinite one, and between both infinities a NaN.
SORTILE_HOST_DEVICE double between(double a, double b, double fraction) {
  if (fraction == 0 || a == b)
    return a;
  constexpr double most = std::numeric_limits<double>::max();
  const double length = b - a;
  if (length > most) // infinite, if only by rounding
    return simt::rounded_product(a, 1 - fraction) + simt::rounded_product(b, fraction);
  return fraction < 0.5 ? a + simt::rounded_product(length, fraction) : b - simt::rounded_product(length, 1 - fraction);
}

struct quantile_place {
  std::uint64_t low = 0, high = 0;
  double fraction = 0;

  quantile_place() = default;

  /// Of n sorted keys, one at least.
  SORTILE_HOST_DEVICE quantile_place(double probability, std::uint64_t n, quantile_method method) {
    const double place = simt::rounded_product(probability, static_cast<double>(n - 1));
    const auto whole = static_cast<std::uint64_t>(place); // static_cast<double>(n - 1) may lie above n - 1
    low = whole < n - 1 ? whole : n - 1;
    high = low < n - 1 && place > static_cast<double>(low) ? low + 1 : low;
    fraction = high == low ? 0 : place - static_cast<double>(low);
    const bool up = fraction > 0.5 || (fraction == 0.5 && low % 2 == 1);
    if (method == quantile_method::lower || (method == quantile_method::nearest && !up))
      high = low;
    else if (method == quantile_method::higher || method == quantile_method::nearest)
      low = high;
    if (low == high)
      fraction = 0;
    else if (method == quantile_method::midpoint)
      fraction = 0.5;
  }
};

} // namespace sortile
