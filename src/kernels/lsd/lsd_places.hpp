// Where the staged keys of a tile go in a pass of an LSD sort, and the order in which a block's threads write them.
#pragma once

#include "simt/simt.hpp"

#include <type_traits>

namespace sortile::kernels::inline SORTILE_BACKEND {

/// Of tiles of Threads · Items keys.
template <unsigned Threads, int Items>
struct lsd_places {
  static constexpr unsigned radix = 256, size = Threads * unsigned(Items);

  /// Where the tile's first key of a digit goes, less its staged place: halves of 64 bits. Of fewer than 2^32 keys,
  /// those left out among them, only the lower halves are read: a place is looked up once a key and once a value, and
  /// shared storage is what a pass waits for.
  struct storage {
    simt::shared_array<std::uint32_t, radix> low, high;
  };

  /// Of digit d, whose keys are staged from `offset` on.
  static SORTILE_DEVICE void set(storage& s, std::uint32_t d, std::uint64_t place, std::uint32_t offset) {
    place -= offset;
    s.low[d] = std::uint32_t(place);
    s.high[d] = std::uint32_t(place >> 32);
  }
  /// Of the staged place p, where a key of digit d lies.
  template <bool Far>
  static SORTILE_DEVICE auto of(storage& s, std::uint32_t d, std::uint32_t p) {
    const std::uint32_t low = s.low.load(d);
    if constexpr (Far)
      return (std::uint64_t{s.high.load(d)} << 32 | low) + p;
    else
      return low + p; // modulo 2^32
  }
  /// f(i, p, p < m, far) for the staged places p of thread t; that all are within, and whether any may be far, is asked
  /// once.
  template <class F>
  static SORTILE_DEVICE void each(unsigned t, std::uint32_t m, bool may_be_far, F f) {
    if (m == size && !may_be_far) {
      SORTILE_UNROLL
      for (int i = 0; i < Items; ++i)
        f(i, unsigned(i) * Threads + t, true, std::false_type{});
    } else {
      SORTILE_UNROLL
      for (int i = 0; i < Items; ++i) {
        const std::uint32_t p = unsigned(i) * Threads + t;
        f(i, p, p < m, std::true_type{});
      }
    }
  }
};

} // namespace sortile::kernels::inline SORTILE_BACKEND
