// The oracle, see oracle.hpp.
#include "testing/oracle.hpp"

#include "testing/key_space.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <numeric>

namespace sortile::testing {

namespace {

template <class T>
T load(const void* from) {
  T value;
  std::memcpy(&value, from, sizeof value);
  return value;
}

/// Calls fn with the key as a number that C++ compares by value: an integer or a floating-point number.
template <class Function>
decltype(auto) with_value(key_type type, const void* key, Function&& fn) {
  switch (type) {
  case key_type::u8:
    return fn(load<std::uint8_t>(key));
  case key_type::u16:
    return fn(load<std::uint16_t>(key));
  case key_type::u32:
    return fn(load<std::uint32_t>(key));
  case key_type::u64:
    return fn(load<std::uint64_t>(key));
  case key_type::u128:
    return fn(load<uint128>(key));
  case key_type::i8:
    return fn(load<std::int8_t>(key));
  case key_type::i16:
    return fn(load<std::int16_t>(key));
  case key_type::i32:
    return fn(load<std::int32_t>(key));
  case key_type::i64:
    return fn(load<std::int64_t>(key));
  case key_type::i128:
    return fn(load<int128>(key));
  case key_type::f32:
    return fn(load<float>(key));
  case key_type::f64:
    return fn(load<double>(key));
  default:
    return fn(value_of(type, load<std::uint16_t>(key)));
  }
}

/// The promise for values: numbers as C++ compares them, so −0 equals +0; every NaN above all numbers, equal to each
/// other.
template <class T>
bool less(T a, T b) {
  if constexpr (std::is_floating_point_v<T>) {
    if (std::isnan(a) || std::isnan(b))
      return !std::isnan(a) && std::isnan(b);
  }
  return a < b;
}

/// 2^exponent for exponent ≤ 128, where 2^128 is taken as 0: arithmetic modulo 2^128.
uint128 power_of_two(unsigned exponent) {
  uint128 power = 1;
  for (unsigned i = 0; i < exponent; ++i)
    power *= 2;
  return power;
}

bool whole(const ordering& by) {
  return by.bits.begin == 0 && (by.bits.end == bit_window::whole_key || by.bits.end == key_bits(by.type));
}

/// Bits [begin, end) of the image, by division.
uint128 windowed_image(const ordering& by, const void* key) {
  const unsigned end = by.bits.end == bit_window::whole_key ? key_bits(by.type) : by.bits.end;
  if (by.bits.begin == end)
    return 0;
  const uint128 image = image_of(by.type, key);
  const uint128 below_end = end == 128 ? image : image % power_of_two(end);
  return by.bits.begin == 128 ? 0 : below_end / power_of_two(by.bits.begin);
}

/// Keys turned into comparable numbers once, then sorted by position: a template a type of number.
template <class T>
std::vector<std::uint64_t> stable_order_of(const std::vector<T>& numbers, order direction) {
  std::vector<std::uint64_t> positions(numbers.size());
  std::iota(positions.begin(), positions.end(), std::uint64_t{0});
  std::stable_sort(positions.begin(), positions.end(), [&](std::uint64_t a, std::uint64_t b) {
    return direction == order::ascending ? less(numbers[a], numbers[b]) : less(numbers[b], numbers[a]);
  });
  return positions;
}

const std::byte* element(const void* array, std::size_t bytes, std::size_t i) {
  return static_cast<const std::byte*>(array) + bytes * i;
}

} // namespace

double value_of(key_type type, std::uint16_t bits) {
  const unsigned fraction = fraction_bits(type);
  const int exponent_limit = (1 << (15 - fraction)) - 1;
  const int bias = exponent_limit / 2;
  const int exponent = (bits >> fraction) & exponent_limit;
  const int significand = bits & ((1 << fraction) - 1);
  double magnitude = 0;
  if (exponent == exponent_limit)
    magnitude = significand == 0 ? std::numeric_limits<double>::infinity() : std::numeric_limits<double>::quiet_NaN();
  else if (exponent == 0)
    magnitude = std::ldexp(significand, 1 - bias - static_cast<int>(fraction));
  else
    magnitude = std::ldexp(significand + (1 << fraction), exponent - bias - static_cast<int>(fraction));
  return (bits & 0x8000) != 0 ? -magnitude : magnitude;
}

uint128 image_of(key_type type, const void* key) {
  const uint128 half_range = power_of_two(key_bits(type) - 1);
  const uint128 greatest = half_range + (half_range - 1);
  if (!is_float(type)) {
    const uint128 number = with_value(type, key, [](auto value) { return static_cast<uint128>(value); });
    return (is_signed_integer(type) ? number + half_range : number) & greatest;
  }
  const uint128 bits = with_word(type, [&]<class Word>(Word) { return uint128{load<Word>(key)}; });
  if (with_value(type, key, [](auto value) { return std::isnan(static_cast<double>(value)); }))
    return greatest;
  const uint128 magnitude = bits % half_range;
  const bool negative = bits >= half_range && magnitude != 0;
  return negative ? half_range - 1 - magnitude : half_range + magnitude;
}

bool comes_before(const ordering& by, const void* a, const void* b) {
  if (by.direction == order::descending)
    std::swap(a, b);
  if (!whole(by))
    return windowed_image(by, a) < windowed_image(by, b);
  return with_value(by.type, a, [&]<class T>(T first) {
    return less(first, with_value(by.type, b, [](auto second) { return static_cast<T>(second); }));
  });
}

std::vector<std::uint64_t> stable_order(const ordering& by, const void* keys, std::size_t n) {
  const std::size_t bytes = key_bytes(by.type);
  if (!whole(by)) {
    std::vector<uint128> images(n);
    for (std::size_t i = 0; i < n; ++i)
      images[i] = windowed_image(by, element(keys, bytes, i));
    return stable_order_of(images, by.direction);
  }
  if (n == 0)
    return {};
  return with_value(by.type, keys, [&]<class T>(T) {
    std::vector<T> numbers(n);
    for (std::size_t i = 0; i < n; ++i)
      with_value(by.type, element(keys, bytes, i), [&](auto value) { numbers[i] = static_cast<T>(value); });
    return stable_order_of(numbers, by.direction);
  });
}

std::vector<std::uint64_t> stable_row_order(const std::vector<oracle_column>& columns, std::size_t n) {
  std::vector<std::uint64_t> positions(n);
  std::iota(positions.begin(), positions.end(), std::uint64_t{0});
  std::stable_sort(positions.begin(), positions.end(), [&](std::uint64_t a, std::uint64_t b) {
    for (const oracle_column& column : columns) {
      const std::size_t bytes = key_bytes(column.by.type);
      const std::byte* key_a = element(column.data, bytes, a);
      const std::byte* key_b = element(column.data, bytes, b);
      if (comes_before(column.by, key_a, key_b))
        return true;
      if (comes_before(column.by, key_b, key_a))
        return false;
    }
    return false;
  });
  return positions;
}

std::vector<std::byte> gather(const void* elements, std::size_t bytes, const std::vector<std::uint64_t>& positions) {
  std::vector<std::byte> result(bytes * positions.size());
  for (std::size_t i = 0; i < positions.size() && bytes != 0; ++i)
    std::memcpy(result.data() + bytes * i, element(elements, bytes, positions[i]), bytes);
  return result;
}

} // namespace sortile::testing
