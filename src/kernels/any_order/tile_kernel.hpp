// Sorts tiles of the input by any order: each block a tile, in shared storage.
//
// The last tile may be shorter. The tile goes to the workspace as a run of a merge, or straight to the caller's output
// where it is the only one. A block reads all of its tile before it writes, so input and output may be one array.
#pragma once

#include "kernels/any_order/sort_shape.hpp"

namespace sortile::kernels::inline SORTILE_BACKEND {

template <class Arrays, class Less>
struct any_order_tile_kernel {
  using element = typename Arrays::element;
  using shape = sort_shape<element>;
  static constexpr bool starts_early = true;
  static constexpr unsigned block_threads = shape::most_threads, min_blocks = shape::min_blocks;
  using shared = sort_storage<element>;

  Arrays arrays;
  simt::global<element> runs; // for more than one tile
  std::uint64_t n;
  by_key<Less> less;

  SORTILE_DEVICE void operator()(shared& s) const {
    const unsigned t = simt::thread_index(), threads = simt::block_size();
    const std::uint64_t begin = std::uint64_t{simt::block_index()} * shape::capacity;
    const unsigned length = n - begin < shape::capacity ? unsigned(n - begin) : shape::capacity;
    auto tile = s.halves();
    for (unsigned p = t; p < length; p += threads)
      tile.put(p, arrays.load(begin + p));
    simt::block_barrier();
    primitives::block_sort<shape::own>(tile, s.starts.view(), length, less);
    simt::block_barrier();
    const bool is_only_one = n <= shape::capacity;
    for (unsigned p = t; p < length; p += threads) {
      if (is_only_one)
        arrays.store(p, tile.load(p));
      else
        runs.store(begin + p, tile.load(p));
    }
  }
};

} // namespace sortile::kernels::inline SORTILE_BACKEND
