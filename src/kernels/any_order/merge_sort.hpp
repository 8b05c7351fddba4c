// Sorts by any order in device memory by merges of up to eight runs at once: for more elements than two levels of
// splitters take (splitter_sort.hpp), and for merges of two ranges.
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

#include "kernels/any_order/border_kernels.hpp"
#include "kernels/any_order/launch_here.hpp"
#include "kernels/any_order/merge_kernel.hpp"
#include "kernels/arena.hpp"

#include <cstddef>

namespace sortile::kernels::inline SORTILE_BACKEND {

/// The blocks of a merge of n elements: fewer threads each where there are few blocks.
template <class Element>
constexpr unsigned slab_threads(std::uint64_t n) {
  using shape = sort_shape<Element>;
  constexpr std::uint64_t enough_blocks = 512;
  unsigned threads = shape::most_threads / 4;
  while (threads < shape::most_threads && merge_layout::pieces(n, 2 * threads * shape::each) >= enough_blocks)
    threads *= 2;
  return threads;
}

/// The passes of merges of so many runs.
struct merge_plan {
  unsigned passes = 0, ways = 2;

  static constexpr merge_plan of(std::uint64_t runs) {
    merge_plan p;
    for (std::uint64_t left = runs; left > 1; left = merge_layout::pieces(left, most_ways))
      ++p.passes;
    while (power(p.ways, p.passes) < runs)
      ++p.ways;
    return p;
  }

 private:
  static constexpr std::uint64_t power(std::uint64_t base, unsigned exponent) {
    std::uint64_t result = 1;
    for (; exponent > 0; --exponent)
      result *= base;
    return result;
  }
};

/// The merge of groups of `ways` runs, of `run` elements but for the last.
template <class Element>
merge_layout layout_of(std::uint64_t n, std::uint64_t run, unsigned ways, unsigned threads, bool rest_is_one_run) {
  merge_layout m{.n = n, .run = run, .ways = ways, .rest_is_one_run = rest_is_one_run};
  constexpr unsigned shares = 32; // of a block's elements, of which each run may leave one empty
  m.distance = slab_capacity<Element>(threads) / shares;
  m.samples = slab_capacity<Element>(threads) / m.distance - ways;
  m.groups = rest_is_one_run ? 1 : merge_layout::pieces(n, ways * run);
  m.slabs_a_group = m.slabs(0);
  return m;
}

/// The words of a merge that lie in the workspace.
struct merge_words {
  std::uint64_t* borders;
  std::uint32_t* unusable;

  static std::size_t border_bytes(const merge_layout& m) { return m.all_slabs() * most_ways * sizeof(std::uint64_t); }
  static std::size_t unusable_bytes(const merge_layout& m) { return m.groups * sizeof(std::uint32_t); }
  /// Of merges of such runs by two to most_ways at a time, at most: it grows with n.
  template <class Element>
  static std::size_t most_border_bytes(std::uint64_t n, std::uint64_t run, unsigned threads) {
    const merge_layout m = layout_of<Element>(n, run, most_ways, threads, false);
    const std::uint64_t runs = merge_layout::pieces(n, run);
    return ((n / m.distance + runs) / m.samples + runs / 2 + 1) * most_ways * sizeof(std::uint64_t);
  }
};

/// Queues one pass of merges, to `merged` or, the last one, to the caller's arrays.
template <class Arrays, class Runs, class Less>
void launch_merges(const simt::queue& q, const merge_layout& layout, unsigned threads, const Runs& runs,
                   const merge_words& words, simt::global<typename Arrays::element> merged, bool is_last,
                   const Arrays& arrays, const by_key<Less>& less) {
  const std::uint64_t samples_a_run = merge_layout::pieces(layout.longest(), layout.distance);
  const std::uint64_t blocks_a_group = merge_layout::pieces(layout.ways * samples_a_run, simt::warp_size);
  const std::uint64_t places = layout.all_slabs() * most_ways;
  const simt::global<std::uint32_t> unusable{words.unusable, layout.groups};
  simt::launch(q,
               {.grid = static_cast<unsigned>(layout.groups * blocks_a_group), .block = layout.ways * simt::warp_size},
               slab_border_kernel<Runs, Less>{.runs = runs,
                                              .layout = layout,
                                              .samples_a_run = samples_a_run,
                                              .blocks_a_group = blocks_a_group,
                                              .borders = {{words.borders, places}},
                                              .unusable = unusable,
                                              .less = less});
  const slab_borders<const std::uint64_t> borders{{words.borders, places}};
  constexpr unsigned a_block = slab_check_kernel::block_threads;
  simt::launch(q, {.grid = static_cast<unsigned>(merge_layout::pieces(layout.all_slabs(), a_block))},
               slab_check_kernel{.layout = layout,
                                 .capacity = slab_capacity<typename Arrays::element>(threads),
                                 .borders = borders,
                                 .unusable = unusable});
  launch_here(q, {.grid = static_cast<unsigned>(layout.all_slabs()), .block = threads},
              slab_merge_kernel<Arrays, Runs, Less>{.runs = runs,
                                                    .layout = layout,
                                                    .borders = borders,
                                                    .unusable = unusable,
                                                    .merged = merged,
                                                    .is_last = is_last,
                                                    .arrays = arrays,
                                                    .less = less});
}

/// A sort of n elements of the caller's arrays.
template <class Arrays, class Less>
class any_order_merge_sort {
 public:
  using element = typename Arrays::element;
  using shape = sort_shape<element>;

  /// `output_holds_runs`: the output has the form of elements and can hold runs between two passes.
  any_order_merge_sort(std::uint64_t n, bool output_holds_runs)
      : n_(n), plan_(merge_plan::of(merge_layout::pieces(n, shape::capacity))) {
    arena a;
    if (plan_.passes > 0) {
      buffers_[0] = a.take(n * sizeof(element));
      buffers_[1] = a.take(output_holds_runs || plan_.passes == 1 ? 0 : n * sizeof(element));
      // Later passes have fewer groups, and no more slabs.
      borders_ = a.take(merge_words::most_border_bytes<element>(n, shape::capacity, shape::most_threads));
      unusable_ = a.take((merge_layout::pieces(n, shape::capacity) / 2 + 1) * sizeof(std::uint32_t));
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
        q, {.grid = static_cast<unsigned>(merge_layout::pieces(n_, shape::capacity))},
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
      launch_merges(q, layout(run), shape::most_threads, one_array<element>{{buffer(from), n_}}, words,
                    is_last ? none : simt::global<element>{buffer(from ^ 1u), n_}, is_last, arrays, less);
    }
  }

 private:
  merge_layout layout(std::uint64_t run) const {
    return layout_of<element>(n_, run, plan_.ways, shape::most_threads, false);
  }

  std::uint64_t n_;
  merge_plan plan_;
  std::size_t buffers_[2] = {}, borders_ = 0, unusable_ = 0, bytes_ = 0;
};

/// A merge of two sorted arrays into a third.
template <class Key, class Less>
class any_order_merge {
 public:
  using element = key_alone<Key>;

  any_order_merge(std::uint64_t first, std::uint64_t second)
      : threads_(slab_threads<element>(first + second)),
        layout_(layout_of<element>(first + second, first, 2, threads_, true)) {
    arena a;
    borders_ = a.take(merge_words::border_bytes(layout_));
    unusable_ = a.take(merge_words::unusable_bytes(layout_));
    bytes_ = a.bytes();
  }
  std::size_t workspace_bytes() const { return bytes_; }

  void launch(const simt::queue& q, const Key* first, const Key* second, Key* out, const Less& order,
              std::byte* workspace) const {
    if (layout_.n == 0)
      return;
    const two_arrays<element> runs{{reinterpret_cast<const element*>(first), layout_.run},
                                   {reinterpret_cast<const element*>(second), layout_.n - layout_.run},
                                   layout_.run};
    const keys_alone<Key> arrays{{nullptr, 0}, {reinterpret_cast<held<Key>*>(out), layout_.n}};
    launch_merges(q, layout_, threads_, runs,
                  {reinterpret_cast<std::uint64_t*>(workspace + borders_),
                   reinterpret_cast<std::uint32_t*>(workspace + unusable_)},
                  simt::global<element>{nullptr, 0}, true, arrays, by_key<Less>{order});
  }

 private:
  unsigned threads_;
  merge_layout layout_;
  std::size_t borders_ = 0, unusable_ = 0, bytes_ = 0;
};

} // namespace sortile::kernels::inline SORTILE_BACKEND
