// Inputs of the scan tests, and what must come out.
#pragma once

#include "kernels/scan/scan.hpp"
#include "primitives/operators.hpp"
#include "tests/simt/fixture.hpp"

#include <cstring>

namespace sortile::simt_tests {
inline namespace SORTILE_BACKEND {

template <class T>
std::vector<T> values(std::size_t n, std::uint32_t seed = 1) {
  const auto bits = noise(n * sizeof(T) / 4 + 2, seed);
  std::vector<T> v(n);
  if constexpr (std::is_floating_point_v<T>)
    for (std::size_t i = 0; i < n; ++i)
      v[i] = T(int(bits[i] % 17) - 8); // sums of these are exact
  else
    std::memcpy(v.data(), bits.data(), n * sizeof(T));
  return v;
}

template <class Op, class T>
std::vector<T> scanned(const std::vector<T>& in, scan_kind kind, T initial) {
  std::vector<T> out(in.size());
  T sum = initial;
  for (std::size_t i = 0; i < in.size(); ++i) {
    T next;
    if constexpr (std::is_integral_v<T> && std::is_same_v<Op, primitives::plus>)
      next = T(std::make_unsigned_t<T>(sum) + std::make_unsigned_t<T>(in[i]));
    else
      next = Op{}(sum, in[i]);
    out[i] = kind == scan_kind::inclusive ? next : sum;
    sum = next;
  }
  return out;
}

} // namespace SORTILE_BACKEND
} // namespace sortile::simt_tests
