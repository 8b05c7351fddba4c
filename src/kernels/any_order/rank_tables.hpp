// What the steps of a sort by ranks (rank_sort.hpp) leave for each other.
#pragma once

#include "kernels/any_order/elements.hpp"

namespace sortile::kernels::inline SORTILE_BACKEND {

/// All in the workspace.
template <class Element>
struct rank_tables {
  simt::global<Element> records;        // the elements, tile by tile
  simt::global<std::uint32_t> ranks;    // of a sample: of each of these, among all
  simt::global<std::uint32_t> taken;    // by rank: how many elements have it
  simt::global<std::uint32_t> progress; // [0] whether two elements have one rank, [1] blocks that have found theirs
  std::uint32_t count;                  // of elements
  std::uint32_t tile;                   // of so many, the last one's aside; a multiple of a warp

  /// For each element once, by whom ever, before ranks are found.
  SORTILE_DEVICE void clear(std::uint32_t i) const {
    taken.store(i, 0u);
    if (i < 2)
      progress.store(i, 0u);
  }
};

} // namespace sortile::kernels::inline SORTILE_BACKEND
