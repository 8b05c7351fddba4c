// From a key type, which is a value at run time, to the instance of a template that does it.
#pragma once

#include <sortile/types.hpp>

#include <cstdint>

namespace sortile {

/// Calls f with a value of the unsigned type that keys of a type are stored as.
template <class F>
decltype(auto) with_word(key_type type, F&& f) {
  switch (key_bytes(type)) {
  case 1:
    return f(std::uint8_t{});
  case 2:
    return f(std::uint16_t{});
  case 4:
    return f(std::uint32_t{});
  case 8:
    return f(std::uint64_t{});
  default:
    return f(uint128{});
  }
}

constexpr bool is_scanned(key_type type) {
  return type == key_type::u32 || type == key_type::i32 || type == key_type::u64 || type == key_type::i64;
}

/// Calls f with an integer of a type that is_scanned().
template <class F>
decltype(auto) with_integer(key_type type, F&& f) {
  switch (type) {
  case key_type::u32:
    return f(std::uint32_t{});
  case key_type::i32:
    return f(std::int32_t{});
  case key_type::u64:
    return f(std::uint64_t{});
  default:
    return f(std::int64_t{});
  }
}

} // namespace sortile
