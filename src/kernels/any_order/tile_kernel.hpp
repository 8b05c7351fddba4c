// Sorts tiles of the input by any order: each block a tile, in shared storage.
//
// The last tile may be shorter. The tile goes to the workspace as a run, of a merge or of a sort by ranks
// (rank_sort.hpp), or straight to the caller's output where it is the only one. A block reads all of its tile before it
// writes, so input and output may be one array.
#pragma once

#include "kernels/any_order/rank_tables.hpp"
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
  unsigned tile;  // elements of each, up to the shape's capacity
  bool is_ranked; // next, by these tables, of which `runs` are the records
  rank_tables<element> tables;
  by_key<Less> less;

  SORTILE_DEVICE void operator()(shared& s) const {
    const unsigned t = simt::thread_index(), threads = simt::block_size();
    const std::uint64_t begin = std::uint64_t{simt::block_index()} * tile;
    const unsigned length = n - begin < tile ? unsigned(n - begin) : tile;
    auto sorted = s.halves();
    for (unsigned p = t; p < length; p += threads)
      sorted.put(p, arrays.load(begin + p));
    simt::block_barrier();
    primitives::block_sort<shape::own>(sorted, s.starts.view(), length, less);
    simt::block_barrier();
    const bool is_only_one = n <= tile;
    for (unsigned p = t; p < length; p += threads) {
      if (is_only_one)
        arrays.store(p, sorted.load(p));
      else
        runs.store(begin + p, sorted.load(p));
      if (is_ranked)
        tables.clear(std::uint32_t(begin) + p);
    }
  }
};

} // namespace sortile::kernels::inline SORTILE_BACKEND
