// Sorts tiles of the input by any order: each block a tile, in shared storage.
//
// A block reads its tile, each thread sorts Items neighbours in registers, and neighbouring runs are merged until one
// is left (primitives/block_merge.hpp). The last tile may be shorter; rounds that a short tile does not need are left
// out. The tile goes to the workspace as a run of a merge, or straight to the caller's output where it is the only one.
// A block reads all of its tile before it writes, so input and output may be one array.
#pragma once

#include "kernels/any_order/elements.hpp"
#include "primitives/block_merge.hpp"

namespace sortile::kernels::inline SORTILE_BACKEND {

/// Threads of a block at most, and elements a thread: an odd number of them, of which a block holds at most 96 KiB.
template <class Element>
struct merge_shape {
  static constexpr unsigned most_threads = 512;
  static constexpr unsigned fits = 96 * 1024 / (most_threads * unsigned(sizeof(Element)));
  static constexpr unsigned items = fits >= 17 ? 17 : fits <= 3 ? 3 : fits - (fits + 1) % 2;
  /// So many blocks' registers are kept within a multiprocessor.
  static constexpr unsigned min_blocks = sizeof(Element) <= 8 ? 2 : 1;
};

template <class Arrays, class Less>
struct any_order_tile_kernel {
  using element = typename Arrays::element;
  using shape = merge_shape<element>;
  static constexpr unsigned block_threads = shape::most_threads, items = shape::items;
  static constexpr unsigned min_blocks = shape::min_blocks;
  struct shared {
    simt::shared_array<element, block_threads * items> elements;
    simt::shared_array<std::uint32_t, block_threads> starts;
  };

  Arrays arrays;
  simt::global<element> runs; // for more than one tile
  std::uint64_t n;
  by_key<Less> less;

  SORTILE_DEVICE void operator()(shared& s) const {
    const unsigned t = simt::thread_index(), threads = simt::block_size();
    const std::uint64_t begin = std::uint64_t{simt::block_index()} * threads * items;
    const unsigned tile = threads * items, length = n - begin < tile ? unsigned(n - begin) : tile;
    element x[items];
    SORTILE_UNROLL
    for (unsigned i = 0; i < items; ++i)
      if (t + i * threads < length)
        x[i] = arrays.load(begin + t + i * threads);
    SORTILE_UNROLL
    for (unsigned i = 0; i < items; ++i)
      if (t + i * threads < length)
        s.elements.store(t + i * threads, x[i]);
    simt::block_barrier();
    sort_own(s, x, length);
    SORTILE_NO_UNROLL
    for (unsigned run = items; run < length; run *= 2)
      primitives::merge_step<items>(s.elements.view(), s.starts.view(), part_of(t, run, length), less);
    simt::block_barrier();
    const bool only_one = n <= tile;
    SORTILE_UNROLL
    for (unsigned i = 0; i < items; ++i)
      if (const unsigned p = t + i * threads; p < length) {
        if (only_one)
          arrays.store(p, s.elements.load(p));
        else
          runs.store(begin + p, s.elements.load(p));
      }
  }

 private:
  /// The thread's own neighbours, in their place.
  SORTILE_DEVICE void sort_own(shared& s, element (&x)[items], unsigned length) const {
    const unsigned first = simt::thread_index() * items;
    const unsigned own = first >= length ? 0 : length - first < items ? length - first : items;
    SORTILE_UNROLL
    for (unsigned i = 0; i < items; ++i)
      if (i < own)
        x[i] = s.elements.load(first + i);
    primitives::sort_stably(x, own, less);
    SORTILE_UNROLL
    for (unsigned i = 0; i < items; ++i)
      if (i < own)
        s.elements.store(first + i, x[i]);
  }
  SORTILE_DEVICE static primitives::merge_part part_of(unsigned t, unsigned run, unsigned length) {
    const unsigned place = t * items, begin = place / (2 * run) * (2 * run);
    const auto within = [=](unsigned i) { return i < length ? i : length; };
    return {within(begin), within(begin + run), within(begin + 2 * run), place - begin};
  }
};

} // namespace sortile::kernels::inline SORTILE_BACKEND
