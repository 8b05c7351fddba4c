// What the sample sort compares: a key's image, and the place that it came from where ties are to be told apart. They
// are packed into as few words as possible, so that most comparisons are of one register or two.
//
//   image of             alone     with its place
//   8, 16, 32 bits       32        image · 2^32 + place, 64
//   64                   64        image · 2^64 + place, 128
//   128                  128       a struct of 24 bytes
//
// Places are below 2^32 − 1, so `greatest` is above every element with a place; without places it may equal one, and
// cannot be told from it.
#pragma once

#include "simt/simt.hpp"

#include <sortile/types.hpp>

namespace sortile::kernels::inline SORTILE_BACKEND {

struct placed_128 {
  std::uint64_t high, low;
  std::uint32_t place;

  friend SORTILE_DEVICE bool operator<(const placed_128& a, const placed_128& b) {
    if (a.high != b.high)
      return a.high < b.high;
    return a.low != b.low ? a.low < b.low : a.place < b.place;
  }
};

/// Elements are of type T; Word is the key's.
template <class Word, class T>
struct packing {
  static SORTILE_DEVICE T pack(Word image, std::uint32_t place) {
    if constexpr (std::is_same_v<T, placed_128>)
      return {std::uint64_t(image >> 64), std::uint64_t(image), place};
    else if constexpr (sizeof(T) == 16 && sizeof(Word) == 8)
      return T(image) << 64 | place;
    else if constexpr (sizeof(T) == 8 && sizeof(Word) <= 4)
      return T(image) << 32 | place;
    else
      return image;
  }
  static SORTILE_DEVICE Word image(const T& e) {
    if constexpr (std::is_same_v<T, placed_128>)
      return Word(e.high) << 64 | e.low;
    else if constexpr (sizeof(T) == 16 && sizeof(Word) == 8)
      return Word(e >> 64);
    else if constexpr (sizeof(T) == 8 && sizeof(Word) <= 4)
      return Word(e >> 32);
    else
      return Word(e);
  }
  /// Where elements have none: 0.
  static SORTILE_DEVICE std::uint32_t place(const T& e) {
    if constexpr (std::is_same_v<T, placed_128>)
      return e.place;
    else if constexpr (sizeof(T) > sizeof(Word) && sizeof(T) >= 8)
      return std::uint32_t(e);
    else
      return 0;
  }
  static SORTILE_DEVICE T greatest() {
    if constexpr (std::is_same_v<T, placed_128>)
      return {~std::uint64_t{0}, ~std::uint64_t{0}, ~0u};
    else
      return T(~T{0});
  }
};

template <class Word, bool Placed>
using sample_element =
    std::conditional_t<sizeof(Word) <= 4, std::conditional_t<Placed, std::uint64_t, std::uint32_t>,
                       std::conditional_t<sizeof(Word) == 8, std::conditional_t<Placed, uint128, std::uint64_t>,
                                          std::conditional_t<Placed, placed_128, uint128>>>;

} // namespace sortile::kernels::inline SORTILE_BACKEND
