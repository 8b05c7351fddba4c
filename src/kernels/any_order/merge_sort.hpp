// Sorts by any order in device memory by merges of up to eight runs at once: for more elements than two levels of
// splitters take (splitter_sort.hpp).
//
//   tiles    each block sorts a tile in shared storage (tile_kernel.hpp)
//   merges   groups of up to eight runs become one run each, until there is one:
//     borders    the groups are cut into slabs that fit a block, and the cuts checked (border_kernels.hpp)
//     merge      each block merges a slab (merge_kernel.hpp)
//
// What comparisons cost is the same for every number of runs merged at once: a level of the merge tree, in shared
// storage, for each power of two. What moves through memory is not: each pass reads and writes every element once.
//
// Stable: ties go to the earlier run in every merge, as in the sort of a tile. The launches follow from n and the type
// alone: nothing is read back, and the sort may be captured in a graph.
//
// Cost for n elements of E bytes, of which a tile holds t: 1 + ceil(log8(n / t)) reads and writes of n E bytes, beside
// 8 bytes for each 200 elements or so; about log2(n) comparisons an element, log2(t) of them more for its samples'
// part.
#pragma once

#include "kernels/any_order/merge_launch.hpp"
#include "kernels/any_order/tile_kernel.hpp"
#include "kernels/arena.hpp"

#include <cstddef>

namespace sortile::kernels::inline SORTILE_BACKEND {

/// The merge of groups of `ways` runs, of `run` elements but for the last.
template <class Element>
merge_layout<equal_lengths> layout_of(std::uint64_t n, std::uint64_t run, unsigned ways) {
  using shape = sort_shape<Element>;
  merge_layout<equal_lengths> m{.lengths = {n, run}, .ways = ways};
  m.cut = slab_cut::of(shape::of_bytes.slab_capacity(shape::most_threads, ways), ways);
  m.groups = pieces_of(n, ways * run);
  const auto slabs = [&](std::uint64_t group) {
    std::uint64_t samples = 0;
    for (std::uint64_t i = group * ways; i < (group + 1) * ways; ++i)
      samples += pieces_of(m.lengths.begin(i + 1) - m.lengths.begin(i), m.cut.distance);
    return pieces_of(samples, m.cut.samples);
  };
  m.slab_step = slabs(0);
  m.all_slabs = (m.groups - 1) * m.slab_step + slabs(m.groups - 1);
  m.chunk_step = pieces_of(ways * pieces_of(run, m.cut.distance), simt::warp_size);
  m.all_chunks = m.groups * m.chunk_step;
  return m;
}

/// Of the borders of merges of such runs by two to most_ways at a time, at most: it grows with n.
template <class Element>
std::size_t most_border_bytes(std::uint64_t n, std::uint64_t run) {
  const auto m = layout_of<Element>(n, run, most_ways);
  const std::uint64_t runs = pieces_of(n, run);
  return ((n / m.cut.distance + runs) / m.cut.samples + runs / 2 + 1) * most_ways * sizeof(std::uint64_t);
}

/// A sort of n elements of the caller's arrays.
template <class Arrays, class Less>
class any_order_merge_sort {
 public:
  using element = typename Arrays::element;
  using shape = sort_shape<element>;

  /// `output_holds_runs`: the output has the form of elements and can hold runs between two passes.
  any_order_merge_sort(std::uint64_t n, bool output_holds_runs)
      : n_(n), plan_(merge_passes::of(pieces_of(n, shape::capacity))) {
    arena a;
    if (plan_.passes > 0) {
      buffers_[0] = a.take(n * sizeof(element));
      buffers_[1] = a.take(output_holds_runs || plan_.passes == 1 ? 0 : n * sizeof(element));
      // Later passes have fewer groups, and no more slabs.
      borders_ = a.take(most_border_bytes<element>(n, shape::capacity));
      unusable_ = a.take((pieces_of(n, shape::capacity) / 2 + 1) * sizeof(std::uint32_t));
    }
    bytes_ = a.bytes();
  }
  std::size_t workspace_bytes() const { return bytes_; }

  /// `output`: the output as elements, or null.
  void launch(const simt::queue& q, const Arrays& arrays, element* output, const Less& order,
              std::byte* workspace) const {
    const by_key<Less> less{order};
    const auto buffer = [&](unsigned which) { // the last pass reads buffer 0
      return which == 1 && output != nullptr ? output : reinterpret_cast<element*>(workspace + buffers_[which]);
    };
    unsigned from = (plan_.passes - 1) % 2;
    const simt::global<element> none{nullptr, 0};
    launch_here(
        q, {.grid = static_cast<unsigned>(pieces_of(n_, shape::capacity))},
        any_order_tile_kernel<Arrays, Less>{.arrays = arrays,
                                            .runs = plan_.passes == 0 ? none : simt::global<element>{buffer(from), n_},
                                            .n = n_,
                                            .tile = shape::capacity,
                                            .is_ranked = false,
                                            .tables = {},
                                            .less = less});
    const merge_words words{reinterpret_cast<std::uint64_t*>(workspace + borders_),
                            reinterpret_cast<std::uint32_t*>(workspace + unusable_)};
    std::uint64_t run = shape::capacity;
    for (unsigned pass = 0; pass < plan_.passes; ++pass, from ^= 1u, run *= plan_.ways) {
      const bool is_last = pass + 1 == plan_.passes;
      launch_merges(q, layout_of<element>(n_, run, plan_.ways), shape::most_threads,
                    equal_runs<element>{{buffer(from), n_}}, words,
                    is_last ? none : simt::global<element>{buffer(from ^ 1u), n_}, is_last, arrays, less);
    }
  }

 private:
  std::uint64_t n_;
  merge_passes plan_;
  std::size_t buffers_[2] = {}, borders_ = 0, unusable_ = 0, bytes_ = 0;
};

} // namespace sortile::kernels::inline SORTILE_BACKEND
