// The digits of a tile's keys, between ranking and placing (partition_kernel.hpp).
#pragma once

#include "simt/simt.hpp"

namespace sortile::kernels::inline SORTILE_BACKEND {

/// Digits of a thread's keys, four a register, from ranking to placing: a map's are dear. Of none, each is found again.
template <int Items>
struct kept_digits {
  std::uint32_t four[Items / 4] = {};

  SORTILE_DEVICE void set(int i, std::uint32_t digit) {
    constexpr std::uint32_t into[] = {0x3214, 0x3240, 0x3410, 0x4210};
    four[i / 4] = simt::permute_bytes(four[i / 4], digit, into[i % 4]);
  }
  template <class Find>
  SORTILE_DEVICE std::uint32_t or_else(int i, Find) const {
    return four[i / 4] >> 8 * (i % 4) & 0xff;
  }
};
template <>
struct kept_digits<0> {
  static SORTILE_DEVICE void set(int, std::uint32_t) {}
  template <class Find>
  static SORTILE_DEVICE std::uint32_t or_else(int, Find find) {
    return find();
  }
};

} // namespace sortile::kernels::inline SORTILE_BACKEND
