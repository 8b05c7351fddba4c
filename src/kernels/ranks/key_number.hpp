// The double that is nearest to a key, as a conversion on the host has it.
#pragma once

#include "simt/simt.hpp"

#include <sortile/types.hpp>

namespace sortile::kernels::inline SORTILE_BACKEND {

/// 2^exponent, of normal numbers.
SORTILE_DEVICE double power_of_two(int exponent) {
  return __builtin_bit_cast(double, std::uint64_t(1023 + exponent) << 52);
}

/// To the nearest, to even where two are as near.
SORTILE_DEVICE double number_of_wide(uint128 u) {
  const auto high = std::uint64_t(u >> 64);
  if (high == 0)
    return double(std::uint64_t(u));
  const unsigned above = simt::leading_zeros(high);
  const uint128 moved = u << above;
  const std::uint64_t rest =
      std::uint64_t(moved) != 0 ? 1 : 0; // a bit below those that are kept says that there is more
  return double(std::uint64_t(moved >> 64) | rest) * power_of_two(int(64 - above));
}

SORTILE_DEVICE double number_of_half(std::uint16_t u) {
  const double sign = (u & 0x8000u) != 0 ? -1.0 : 1.0;
  const int exponent = u >> 10 & 31;
  const unsigned fraction = u & 1023u;
  if (exponent == 31)
    return __builtin_bit_cast(double, std::uint64_t(u & 0x8000u) << 48 | std::uint64_t{0x7ff} << 52 |
                                          std::uint64_t{fraction} << 42);
  return exponent == 0 ? sign * fraction * power_of_two(-24) : sign * (1024 + fraction) * power_of_two(exponent - 25);
}

template <class Word>
SORTILE_DEVICE double number_of(key_type type, Word u) {
  const bool negative = u >> (8 * sizeof(Word) - 1) != 0;
  if constexpr (sizeof(Word) == 16) {
    return type == key_type::i128 && negative ? -number_of_wide(Word(0) - u) : number_of_wide(u);
  } else {
    if constexpr (sizeof(Word) == 2) {
      if (type == key_type::f16)
        return number_of_half(u);
      if (type == key_type::bf16)
        return double(__builtin_bit_cast(float, std::uint32_t{u} << 16));
    }
    if constexpr (sizeof(Word) == 4)
      if (type == key_type::f32)
        return double(__builtin_bit_cast(float, u));
    if constexpr (sizeof(Word) == 8)
      if (type == key_type::f64)
        return __builtin_bit_cast(double, u);
    const bool is_signed =
        type == key_type::i8 || type == key_type::i16 || type == key_type::i32 || type == key_type::i64;
    return is_signed && negative ? -double(std::uint64_t(Word(Word{0} - u))) : double(std::uint64_t{u});
  }
}

} // namespace sortile::kernels::inline SORTILE_BACKEND
