// A row's keys in the registers of neighbouring lanes: where each stands, what holds of how many, and the next in
// order.
//
//   lane       0               1              …
//   items      keys 0 … W − 1  W … 2 W − 1    loads of W keys
//              L W …           L W + W …
//
// A set of a lane's items has a bit for each. All lanes of the warp call what adds up or compares rows.
#pragma once

#include "primitives/lanes_reduce.hpp"

namespace sortile::kernels::inline SORTILE_BACKEND {

/// x[at], by halves: arrays are in registers only where what is read is known to the compiler. Size: a power of two.
template <unsigned Size, class T>
SORTILE_DEVICE T item_at(const T (&x)[Size], unsigned at) {
  if constexpr (Size == 1) {
    return x[0];
  } else {
    T half[Size / 2];
    SORTILE_UNROLL
    for (unsigned i = 0; i < Size / 2; ++i)
      half[i] = (at & Size / 2) != 0 ? x[i + Size / 2] : x[i];
    return item_at(half, at);
  }
}

/// Image: an unsigned integer. Lanes: of a row. Items: keys a lane. Width: of those, neighbours in the row.
template <class Image, unsigned Lanes, unsigned Items, unsigned Width>
struct lane_row {
  using keys = Image[Items];

  /// In its row.
  static SORTILE_DEVICE unsigned lane() { return simt::lane_index() % Lanes; }
  /// In the row, of this lane's item.
  static SORTILE_DEVICE std::uint32_t position(unsigned item) {
    return (item / Width * Lanes + lane()) * Width + item % Width;
  }

  /// Items of which that holds.
  template <class Wanted>
  static SORTILE_DEVICE std::uint32_t where(const keys& x, Wanted wanted) {
    std::uint32_t found = 0;
    SORTILE_UNROLL
    for (unsigned i = 0; i < Items; ++i)
      found |= wanted(x[i]) ? 1u << i : 0u;
    return found;
  }

  /// Over the row's lanes.
  static SORTILE_DEVICE std::uint32_t sum(std::uint32_t v) {
    return primitives::lanes_reduce<Lanes>(v, primitives::plus{});
  }

  /// Of items at so many of the first positions, among those given.
  static SORTILE_DEVICE std::uint32_t before(std::uint32_t of, std::uint32_t wanted) {
    std::uint32_t end = 0; // no more than wanted lie before it
    SORTILE_NO_UNROLL
    for (std::uint32_t bit = Lanes * Items; bit > 0; bit /= 2)
      if (sum(simt::popcount(of & below(end | bit))) <= wanted)
        end |= bit;
    return below(end);
  }
  /// Items at positions below `end`.
  static SORTILE_DEVICE std::uint32_t below(std::uint32_t end) {
    std::uint32_t found = 0;
    SORTILE_UNROLL
    for (unsigned i = 0; i < Items; ++i)
      found |= position(i) < end ? 1u << i : 0u;
    return found;
  }

  /// Whether that holds of one of the lane's elements among the first `upto`, and the element behind it.
  template <unsigned Groups, class T, class Wanted>
  static SORTILE_DEVICE bool any_neighbours(const T (&x)[Groups], std::uint32_t upto, Wanted wanted) {
    const T next = simt::shuffle_down(x[0], 1, simt::full_warp, Lanes);
    bool found = false;
    SORTILE_UNROLL
    for (unsigned g = 0; g < Groups; ++g)
      found |= lane() * Groups + g < upto && wanted(x[g], g + 1 < Groups ? x[(g + 1) % Groups] : next);
    return found;
  }

  /// The row's smallest that is not below `begin`, or all ones.
  static SORTILE_DEVICE Image smallest_from(const keys& x, Image begin) {
    Image found = Image(~Image{0});
    SORTILE_UNROLL
    for (unsigned i = 0; i < Items; ++i)
      found = x[i] >= begin && x[i] < found ? x[i] : found;
    return primitives::lanes_reduce<Lanes>(found, primitives::minimum{});
  }
  /// The row's greatest that is not above `end`, or 0.
  static SORTILE_DEVICE Image greatest_upto(const keys& x, Image end) {
    Image found = 0;
    SORTILE_UNROLL
    for (unsigned i = 0; i < Items; ++i)
      found = x[i] <= end && x[i] > found ? x[i] : found;
    return primitives::lanes_reduce<Lanes>(found, primitives::maximum{});
  }
};

} // namespace sortile::kernels::inline SORTILE_BACKEND
