// Functions of doubles that give the same bits on every machine: on hosts with and without fused multiply-add, and in
// kernels. The workloads need them, because an array that is made in a GPU's memory is the one that the host makes.
//
// A compiler may turn a * b + c into one operation, rounded once, and does so in kernels; library functions differ
// between machines in their last bits. So every product here whose result is added to is written as fma(), or as
// rounded_product(), which is never fused; sums, quotients and roots are rounded as IEEE 754 says everywhere. Accurate
// to a few units in the last place, which no distribution can tell from exact.
#pragma once

#include "simt/rounding.hpp"

#include <bit>
#include <cmath>
#include <cstdint>

namespace sortile::testing::portable {

using simt::rounded_product;

/// A polynomial by Horner's rule: coefficients from the constant on.
template <int Count>
SORTILE_HOST_DEVICE double polynomial(const double (&coefficients)[Count], double x) {
  double sum = coefficients[Count - 1];
  for (int k = Count - 2; k >= 0; --k)
    sum = std::fma(sum, x, coefficients[k]);
  return sum;
}

/// For positive normal numbers. With s = (m - 1) / (m + 1) the logarithm of m is 2 (s + s^3 / 3 + s^5 / 5 + ...).
SORTILE_HOST_DEVICE double log2(double x) {
  constexpr double c = 2.8853900817779268; // 2 / ln 2
  constexpr double series[] = {c, c / 3, c / 5, c / 7, c / 9, c / 11, c / 13, c / 15, c / 17, c / 19, c / 21};
  constexpr std::uint64_t fraction = (std::uint64_t{1} << 52) - 1, one = std::uint64_t{1023} << 52;
  constexpr std::uint64_t root_of_2 = 0x6a09e667f3bcd; // fraction bits
  const std::uint64_t bits = std::bit_cast<std::uint64_t>(x);
  const bool upper = (bits & fraction) > root_of_2; // then m is halved, so that it lies around 1
  const double m = std::bit_cast<double>((bits & fraction) | (upper ? one - (fraction + 1) : one));
  const double exponent = static_cast<double>(static_cast<int>(bits >> 52) - 1023 + (upper ? 1 : 0));
  const double s = (m - 1) / (m + 1);
  return std::fma(s, polynomial(series, rounded_product(s, s)), exponent);
}

/// 2^x for |x| up to 1000; beyond, as there. x must not be a product that could be fused: see rounded_product().
SORTILE_HOST_DEVICE double exp2(double x) {
  constexpr double series[] = {1, // ln(2)^k / k!
                               0.69314718055994531,
                               0.24022650695910071,
                               0.055504108664821580,
                               0.0096181291076284772,
                               0.0013333558146428443,
                               0.00015403530393381610,
                               1.5252733804059840e-5,
                               1.3215486790144309e-6,
                               1.0178086009239699e-7,
                               7.0549116208011233e-9,
                               4.4455382718708114e-10,
                               2.5678435993488201e-11,
                               1.3691488853904128e-12};
  const double within = x < -1000 ? -1000 : x > 1000 ? 1000 : x;
  const double whole = std::floor(within + 0.5);
  const double power = polynomial(series, within - whole); // 0.7 to 1.42
  return std::bit_cast<double>(std::bit_cast<std::uint64_t>(power) +
                               (static_cast<std::uint64_t>(static_cast<std::int64_t>(whole)) << 52));
}

/// The cosine of a share u of a full turn, 0 <= u < 1.
SORTILE_HOST_DEVICE double cosine_of_turn(double u) {
  constexpr double cosines[] = {1, // (-1)^k (2 pi)^2k / (2k)!
                                -19.739208802178716,
                                64.939394022668291,
                                -85.456817206693728,
                                60.244641371876661,
                                -26.426256783374398,
                                7.9035363713184698,
                                -1.7143907110886694,
                                0.28200596845579096};
  constexpr double sines[] = {6.2831853071795865, // (-1)^k (2 pi)^(2k + 1) / (2k + 1)!
                              -41.341702240399760, 81.605249276075055, -76.705859753061386,  42.058693944897655,
                              -15.094642576822991, 3.8199525848482820, -0.71812230177850050, 0.10422916220813981};
  const double quarters = std::floor(std::fma(u, 4.0, 0.5));
  const double rest = std::fma(quarters, -0.25, u); // at most an eighth of a turn, exactly
  const int quarter = static_cast<int>(quarters) & 3;
  const double square = rounded_product(rest, rest);
  const double value =
      (quarter & 1) == 0 ? polynomial(cosines, square) : rounded_product(rest, polynomial(sines, square));
  return quarter == 1 || quarter == 2 ? -value : value;
}

} // namespace sortile::testing::portable
