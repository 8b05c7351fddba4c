// A byte for each of a thread's pairs, four a register.
#pragma once

#include "simt/simt.hpp"

namespace sortile::kernels::inline SORTILE_BACKEND {

/// Indices are known where loops are unrolled.
template <int Items>
struct thread_bytes {
  std::uint32_t packed[(Items + 3) / 4];

  SORTILE_DEVICE std::uint32_t operator[](int i) const { return packed[i / 4] >> (i % 4 * 8) & 0xff; }
  /// Once for each i, of what was 0.
  SORTILE_DEVICE void set(int i, std::uint32_t x) { packed[i / 4] += x << (i % 4 * 8); }
};

} // namespace sortile::kernels::inline SORTILE_BACKEND
