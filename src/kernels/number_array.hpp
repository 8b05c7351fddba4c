// Numbers of 4 or of 8 bytes each, which only the caller's arguments tell: positions, offsets, how many results a row
// has.
#pragma once

#include "simt/simt.hpp"

#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace sortile::kernels::inline SORTILE_BACKEND {

/// In device memory; or nothing, where there is no array. Memory: void, or const void of what is read alone.
template <class Memory>
struct number_array {
  template <class T>
  using items = simt::global<std::conditional_t<std::is_const_v<Memory>, const T, T>>;

  items<std::uint32_t> narrow; // one of both
  items<std::uint64_t> wide;
  unsigned bytes; ///< of a number; 0: none is there

  static number_array of(Memory* data, std::uint64_t count, std::size_t bytes) {
    const unsigned there = data == nullptr ? 0 : unsigned(bytes);
    return {part<std::uint32_t>(data, count, there), part<std::uint64_t>(data, count, there), there};
  }
  SORTILE_DEVICE bool are_there() const { return bytes != 0; }
  /// Of those that are there.
  SORTILE_DEVICE std::uint64_t load(std::uint64_t i) const { return bytes == 4 ? narrow.load(i) : wide.load(i); }
  /// Where they are there.
  SORTILE_DEVICE void store(std::uint64_t i, std::uint64_t number) const {
    if (bytes == 4)
      narrow[i] = std::uint32_t(number);
    else if (bytes == 8)
      wide[i] = number;
  }

 private:
  template <class T>
  static items<T> part(Memory* data, std::uint64_t count, unsigned bytes) {
    using item = std::conditional_t<std::is_const_v<Memory>, const T, T>;
    return {bytes == sizeof(T) ? static_cast<item*>(data) : nullptr, bytes == sizeof(T) ? count : 0};
  }
};

} // namespace sortile::kernels::inline SORTILE_BACKEND
