// Numbers of 4 or of 8 bytes each, which only the caller's arguments tell: positions, offsets, how many results a row
// has.
#pragma once

#include "simt/simt.hpp"

#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace sortile::kernels::inline SORTILE_BACKEND {

/// In device memory; or nothing, where there is no array. Of std::uint32_t and std::uint64_t, or both const.
template <class Narrow, class Wide>
struct numbers_of_either_width {
  using memory = std::conditional_t<std::is_const_v<Narrow>, const void, void>;

  simt::global<Narrow> narrow; // one of both
  simt::global<Wide> wide;
  unsigned bytes; ///< of a number; 0: none is there

  static numbers_of_either_width of(memory* data, std::uint64_t count, std::size_t bytes) {
    const unsigned there = data == nullptr ? 0 : unsigned(bytes);
    return {part<Narrow>(data, count, there), part<Wide>(data, count, there), there};
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
  static simt::global<T> part(memory* data, std::uint64_t count, unsigned bytes) {
    return {bytes == sizeof(T) ? static_cast<T*>(data) : nullptr, bytes == sizeof(T) ? count : 0};
  }
};

using number_array = numbers_of_either_width<std::uint32_t, std::uint64_t>;
using const_number_array = numbers_of_either_width<const std::uint32_t, const std::uint64_t>;

} // namespace sortile::kernels::inline SORTILE_BACKEND
