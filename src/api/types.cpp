// Names of key types, and the conversions of the 16-bit floats.
#include <sortile/error.hpp>
#include <sortile/types.hpp>

#include <array>
#include <bit>
#include <cmath>
#include <limits>
#include <string>

namespace sortile {
namespace {

struct type_names {
  key_type type;
  std::string_view own;
  std::string_view numpy;
};

constexpr std::array names{
    type_names{key_type::u8, "u8", "uint8"},       type_names{key_type::u16, "u16", "uint16"},
    type_names{key_type::u32, "u32", "uint32"},    type_names{key_type::u64, "u64", "uint64"},
    type_names{key_type::u128, "u128", "uint128"}, type_names{key_type::i8, "i8", "int8"},
    type_names{key_type::i16, "i16", "int16"},     type_names{key_type::i32, "i32", "int32"},
    type_names{key_type::i64, "i64", "int64"},     type_names{key_type::i128, "i128", "int128"},
    type_names{key_type::f16, "f16", "float16"},   type_names{key_type::bf16, "bf16", "bfloat16"},
    type_names{key_type::f32, "f32", "float32"},   type_names{key_type::f64, "f64", "float64"},
};

/// Rounds the low `dropped` bits of `u` away, to nearest, ties to even. A carry runs into the bits above, as it should.
std::uint32_t shift_right_rounding(std::uint32_t u, unsigned dropped) {
  if (dropped == 0)
    return u;
  if (dropped > 31)
    return 0;
  const std::uint32_t kept = u >> dropped;
  const std::uint32_t rest = u & ((1u << dropped) - 1);
  const std::uint32_t tie = 1u << (dropped - 1);
  return kept + (rest > tie || (rest == tie && (kept & 1) != 0) ? 1u : 0u);
}

} // namespace

std::string_view name(key_type type) {
  for (const type_names& entry : names)
    if (entry.type == type)
      return entry.own;
  return "no key type";
}

key_type key_type_named(std::string_view text) {
  for (const type_names& entry : names)
    if (entry.own == text || entry.numpy == text)
      return entry.type;
  std::string message = "no key type is called '" + std::string(text) + "'; there are";
  for (const type_names& entry : names)
    message += " " + std::string(entry.own);
  throw invalid_argument(message);
}

half::half(float value) {
  const std::uint32_t u = std::bit_cast<std::uint32_t>(value);
  const std::uint32_t sign = (u >> 16) & 0x8000;
  const std::uint32_t magnitude = u & 0x7fffffff;
  std::uint32_t image;
  if (magnitude > 0x7f800000) {
    image = 0x7e00 | ((magnitude >> 13) & 0x1ff); // quiet, with what fits of the payload
  } else if (magnitude >= 0x38800000) {           // 2^-14 and above: a normal half, or too large for one
    image = shift_right_rounding(magnitude - 0x38000000, 13);
    if (image > 0x7c00)
      image = 0x7c00;
  } else { // a multiple of 2^-24, or nothing
    const std::uint32_t exponent = magnitude >> 23;
    image = exponent < 102 ? 0 : shift_right_rounding((magnitude & 0x7fffff) | 0x800000, 126 - exponent);
  }
  bits = static_cast<std::uint16_t>(sign | image);
}

half::operator float() const {
  const std::uint32_t sign = static_cast<std::uint32_t>(bits & 0x8000) << 16;
  const std::uint32_t magnitude = bits & 0x7fff;
  if (magnitude >= 0x7c00)
    return std::bit_cast<float>(sign | 0x7f800000 | ((magnitude & 0x3ff) << 13));
  if (magnitude < 0x400)
    return std::copysign(std::ldexp(static_cast<float>(magnitude), -24), std::bit_cast<float>(sign | 0x3f800000));
  return std::bit_cast<float>(sign | ((magnitude << 13) + 0x38000000));
}

bfloat16::bfloat16(float value) {
  const std::uint32_t u = std::bit_cast<std::uint32_t>(value);
  const bool nan = (u & 0x7fffffff) > 0x7f800000;
  bits = static_cast<std::uint16_t>(nan ? (u >> 16) | 0x40 : shift_right_rounding(u, 16));
}

bfloat16::operator float() const {
  return std::bit_cast<float>(static_cast<std::uint32_t>(bits) << 16);
}

} // namespace sortile
