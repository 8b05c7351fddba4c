// Strided segments to rows that lie one behind the other, and back, in tiles of 32 by 32 through shared storage: both
// sides read and write neighbours, where one of the strides is 1.
#pragma once

#include "simt/simt.hpp"

#include <sortile/types.hpp>

namespace sortile::kernels::inline SORTILE_BACKEND {

template <class T, bool Gathers>
struct segment_transpose_kernel {
  static constexpr bool starts_early = true;
  static constexpr unsigned block_threads = 256, side = 32, rows_at_once = block_threads / side;

  struct shared {
    simt::shared_array<T, side*(side + 1)> tile; // [element][segment]
  };

  simt::global<const T> from;
  simt::global<T> to;
  std::uint64_t count, length, stride, step; // of the segments

  SORTILE_DEVICE void operator()(shared& s) const {
    const std::uint64_t across = (count + side - 1) / side, along = (length + side - 1) / side;
    for (std::uint64_t t = simt::block_index(); t < across * along; t += simt::grid_size()) {
      const std::uint64_t first_segment = t % across * side, first_element = t / across * side;
      if (Gathers)
        load<false>(s, first_segment, first_element);
      else
        load<true>(s, first_segment, first_element);
      simt::block_barrier();
      if (Gathers)
        store<true>(s, first_segment, first_element);
      else
        store<false>(s, first_segment, first_element);
      simt::block_barrier();
    }
  }

 private:
  template <bool Packed>
  SORTILE_DEVICE std::uint64_t place(std::uint64_t segment, std::uint64_t element) const {
    return Packed ? segment * length + element : segment * stride + element * step;
  }
  /// f(segment, element, place in the tile) with neighbouring elements (Packed) or segments side by side in a warp.
  template <bool Packed, class F>
  SORTILE_DEVICE void each(std::uint64_t first_segment, std::uint64_t first_element, F f) const {
    const unsigned lane = simt::thread_index() % side, row = simt::thread_index() / side;
    SORTILE_UNROLL
    for (unsigned r = 0; r < side; r += rows_at_once) {
      const unsigned segment = Packed ? row + r : lane, element = Packed ? lane : row + r;
      if (first_segment + segment < count && first_element + element < length)
        f(place<Packed>(first_segment + segment, first_element + element), element * (side + 1) + segment);
    }
  }
  template <bool Packed>
  SORTILE_DEVICE void load(shared& s, std::uint64_t first_segment, std::uint64_t first_element) const {
    each<Packed>(first_segment, first_element, [&](std::uint64_t i, unsigned at) { s.tile[at] = from.load(i); });
  }
  template <bool Packed>
  SORTILE_DEVICE void store(shared& s, std::uint64_t first_segment, std::uint64_t first_element) const {
    each<Packed>(first_segment, first_element, [&](std::uint64_t i, unsigned at) { to.store(i, s.tile.load(at)); });
  }
};

} // namespace sortile::kernels::inline SORTILE_BACKEND
