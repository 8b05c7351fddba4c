// From the width of an element, which is a value at run time, to code that moves such elements.
#pragma once

#include <cstddef>
#include <cstring>
#include <type_traits>

namespace sortile::cpu {

/// Calls f with a width: 1, 2, 4, 8 and 16 as a constant of its type, so that an element is moved by a load and a
/// store, others as a number.
template <class F>
decltype(auto) with_width(std::size_t width, const F& f) {
  switch (width) {
  case 1:
    return f(std::integral_constant<std::size_t, 1>{});
  case 2:
    return f(std::integral_constant<std::size_t, 2>{});
  case 4:
    return f(std::integral_constant<std::size_t, 4>{});
  case 8:
    return f(std::integral_constant<std::size_t, 8>{});
  case 16:
    return f(std::integral_constant<std::size_t, 16>{});
  default:
    return f(width);
  }
}

/// Writes the element at position(i) of `from` as the i-th one, n of them, apart from where they are.
template <class Position>
void take_elements(const void* from, void* to, std::size_t width, std::size_t n, const Position& position) {
  with_width(width, [=](auto w) { // copies: for all that is known, stores of bytes change what is in memory
    const auto* const source = static_cast<const std::byte*>(from);
    auto* const target = static_cast<std::byte*>(to);
    const std::size_t count = n;
    const Position at = position;
    for (std::size_t i = 0; i < count; ++i)
      std::memcpy(target + i * w, source + at(i) * w, w);
  });
}

/// Writes the i-th element of `from` to the place(i)-th one, n of them, apart from where they are.
template <class Place>
void put_elements(const void* from, void* to, std::size_t width, std::size_t n, const Place& place) {
  with_width(width, [=](auto w) {
    const auto* const source = static_cast<const std::byte*>(from);
    auto* const target = static_cast<std::byte*>(to);
    const std::size_t count = n;
    const Place at = place;
    for (std::size_t i = 0; i < count; ++i)
      std::memcpy(target + at(i) * w, source + i * w, w);
  });
}

} // namespace sortile::cpu
