// How a pass of an LSD sort comes by the keys and the values of a tile.
#pragma once

#include "simt/simt.hpp"

namespace sortile::kernels::inline SORTILE_BACKEND {

/// By all threads of a block; `at` is the tile's number. Tile: a stable_tile, of so many items a thread.
template <class Tile, int Items>
struct lsd_tile_loads {
  static SORTILE_DEVICE std::uint64_t first_of(std::uint32_t at) { return std::uint64_t{at} * Tile::size; }

  /// All items are set, also beyond the last tile: else old keys would keep their registers.
  template <class T>
  static SORTILE_DEVICE void load(const simt::global<const T>& from, std::uint64_t n, std::uint32_t at, T (&x)[Items]) {
    const std::uint64_t first = first_of(at);
    if (first + Tile::size <= n) {
      SORTILE_UNROLL
      for (int i = 0; i < Items; ++i)
        x[i] = from.load(first + Tile::position(i));
    } else {
      SORTILE_UNROLL
      for (int i = 0; i < Items; ++i)
        x[i] = first + Tile::position(i) < n ? from.load(first + Tile::position(i)) : T{};
    }
  }

  /// Asks the L2 for what this warp will load: a lane a sector. (Whole lines of 128 bytes by one request each, or the
  /// next tile's keys as well, cost 4 to 15 % with 8-byte keys and values.)
  template <class T>
  static SORTILE_DEVICE void prefetch(const simt::global<const T>& from, std::uint64_t n, std::uint32_t at) {
    constexpr unsigned sector = 32 / sizeof(T), sectors = unsigned(Items) * simt::warp_size / sector;
    const std::uint64_t first = first_of(at) + simt::warp_index() * unsigned(Items) * simt::warp_size;
    SORTILE_UNROLL
    for (unsigned l = 0; l < sectors; l += simt::warp_size) {
      const std::uint64_t i = first + (l + simt::lane_index()) * sector;
      if (l + simt::lane_index() < sectors && i < n)
        simt::prefetch(from, i);
    }
  }
};

} // namespace sortile::kernels::inline SORTILE_BACKEND
