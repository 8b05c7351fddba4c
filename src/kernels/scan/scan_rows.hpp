// What a warp does with its piece of a tile, in registers.
//
//   piece of the warp = Rows rows of 32·Width items, Width neighbours per lane:
//
//     row 0   lane 0: x0 x1 x2 x3 | lane 1: x4 x5 x6 x7 | … | lane 31: x124 … x127
//     row 1   lane 0: x128 …
//
// So loads and stores are up to 16 bytes per lane and coalesce as they are, with no exchange through shared storage;
// rows are independent of each other up to their totals, which hides the shuffles' latency.
#pragma once

#include "primitives/warp_scan.hpp"

namespace sortile::kernels::inline SORTILE_BACKEND {

/// Items become the folds of `carry` and the items up to and with them; returns the fold of `carry` and the piece.
template <class Op, class T, int Width, int Rows>
SORTILE_DEVICE T scan_rows(simt::vec<T, Width> (&x)[Rows], T carry) {
  constexpr Op op{};
  SORTILE_UNROLL
  for (int r = 0; r < Rows; ++r) {
    SORTILE_UNROLL
    for (int w = 1; w < Width; ++w)
      x[r][w] = op(x[r][w - 1], x[r][w]);
    const T inclusive = primitives::warp_inclusive_scan(x[r][Width - 1], op); // of the lanes' own folds
    const T below = simt::shuffle_up(inclusive, 1);
    const T before = simt::lane_index() == 0 ? carry : op(carry, below);
    SORTILE_UNROLL
    for (int w = 0; w < Width; ++w)
      x[r][w] = op(before, x[r][w]);
    carry = op(carry, simt::shuffle(inclusive, simt::warp_size - 1));
  }
  return carry;
}

/// Items move one place on; the first place takes `before`, the last item is lost: inclusive results become exclusive
/// ones.
template <class T, int Width, int Rows>
SORTILE_DEVICE void shift_rows(simt::vec<T, Width> (&x)[Rows], T before) {
  SORTILE_UNROLL
  for (int r = 0; r < Rows; ++r) {
    const T below = simt::shuffle_up(x[r][Width - 1], 1);
    const T last = simt::shuffle(x[r][Width - 1], simt::warp_size - 1);
    SORTILE_UNROLL
    for (int w = Width - 1; w > 0; --w)
      x[r][w] = x[r][w - 1];
    x[r][0] = simt::lane_index() == 0 ? before : below;
    before = last;
  }
}

} // namespace sortile::kernels::inline SORTILE_BACKEND
