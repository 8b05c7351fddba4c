// What quantiles lie between: keys as numbers.
#pragma once

#include <sortile/types.hpp>

#include <cstdint>
#include <cstring>

namespace sortile::cpu {

/// A key as a double, to interpolate with.
inline double number_of(key_type type, const void* key) {
  const auto as = [key]<class T>(T) {
    T value;
    std::memcpy(&value, key, sizeof value);
    return static_cast<double>(value);
  };
  switch (type) {
  case key_type::u8:
    return as(std::uint8_t{});
  case key_type::u16:
    return as(std::uint16_t{});
  case key_type::u32:
    return as(std::uint32_t{});
  case key_type::u64:
    return as(std::uint64_t{});
  case key_type::u128:
    return as(uint128{});
  case key_type::i8:
    return as(std::int8_t{});
  case key_type::i16:
    return as(std::int16_t{});
  case key_type::i32:
    return as(std::int32_t{});
  case key_type::i64:
    return as(std::int64_t{});
  case key_type::i128:
    return as(int128{});
  case key_type::f16:
    return static_cast<double>(static_cast<float>(*static_cast<const half*>(key)));
  case key_type::bf16:
    return static_cast<double>(static_cast<float>(*static_cast<const bfloat16*>(key)));
  case key_type::f32:
    return as(float{});
  case key_type::f64:
    return as(double{});
  }
  return 0;
}

} // namespace sortile::cpu
