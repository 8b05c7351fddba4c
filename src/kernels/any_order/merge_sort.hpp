// Sorts by any order in device memory: a merge sort that merges up to eight runs at once.
//
//   tiles    each block sorts a tile in shared storage (tile_kernel.hpp)
//   merges   groups of up to eight runs become one run each, until there is one:
//     borders    the groups are cut into slabs that fit a block, and the cuts looked at (border_kernels.hpp)
//     merge      each block merges a slab (merge_kernel.hpp)
//
// What comparisons cost is the same for every number of runs merged at once: a level of the merge tree, in shared
// storage, for each power of two. What moves through memory is not. Runs of 8704 keys of 4 bytes become 2^28 sorted
// keys in five merges of eight runs, where merges of two take fifteen; each reads and writes every element once.
//
// Stable: ties go to the earlier run in every merge, as in the sort of a tile. The launches follow from n and the type
// alone: nothing is read back, and the sort may be captured in a graph.
//
// How large blocks are: 512 threads where there are tiles enough for all multiprocessors, else 256 or 128, unless that
// took another pass of merges. A tile of few elements is sorted by one block in one launch.
//
// Cost for n elements of E bytes, of which a tile holds t: 1 + ceil(log8(n / t)) reads and writes of n E bytes, beside
// 8 bytes for each 200 elements or so; about log2(n) comparisons an element, log2(t) of them more for its samples'
// part.
#pragma once

#include "kernels/any_order/border_kernels.hpp"
#include "kernels/any_order/merge_kernel.hpp"
#include "kernels/arena.hpp"

#include <cstddef>

namespace sortile::kernels::inline SORTILE_BACKEND {

namespace {

/// A kernel as a type of this translation unit. A launch of more than 48 KiB of shared storage needs the device's
/// leave, which is given to the function of one unit and remembered by type; and several units may sort by the same
/// order.
template <class Kernel>
struct of_this_unit : Kernel {};

} // namespace

template <class Kernel>
void launch_here(const simt::queue& q, const simt::launch_config& config, const Kernel& kernel) {
  simt::launch(q, config, of_this_unit<Kernel>{kernel});
}

/// The blocks of a sort or merge of n elements, of which a thread has `items`.
struct merge_plan {
  unsigned threads = 0, passes = 0, ways = 2;

  /// Blocks from which on the next larger ones are used.
  static constexpr std::uint64_t enough_blocks = 512;

  static constexpr merge_plan of(std::uint64_t n, unsigned items, unsigned most_threads) {
    merge_plan p;
    const auto tiles = [&](unsigned threads) { return merge_layout::pieces(n, std::uint64_t{threads} * items); };
    p.passes = passes_for(tiles(most_threads));
    for (p.threads = most_threads / 4; p.threads < most_threads; p.threads *= 2)
      if (passes_for(tiles(p.threads)) == p.passes && tiles(2 * p.threads) < enough_blocks)
        break;
    while (power(p.ways, p.passes) < tiles(p.threads))
      ++p.ways;
    return p;
  }

 private:
  static constexpr unsigned passes_for(std::uint64_t runs) {
    unsigned passes = 0;
    for (; runs > 1; runs = merge_layout::pieces(runs, most_ways))
      ++passes;
    return passes;
  }
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
class any_order_sort {
 public:
  using element = typename Arrays::element;
  using shape = merge_shape<element>;

  /// `output_holds_runs`: the output has the form of elements and can hold runs between two passes.
  any_order_sort(std::uint64_t n, bool output_holds_runs)
      : n_(n), plan_(merge_plan::of(n, shape::items, shape::most_threads)) {
    arena a;
    if (plan_.passes > 0) {
      buffers_[0] = a.take(n * sizeof(element));
      buffers_[1] = a.take(output_holds_runs || plan_.passes == 1 ? 0 : n * sizeof(element));
      const merge_layout first = layout(tile()); // later passes have fewer groups, and no more slabs
      borders_ = a.take(merge_words::border_bytes(first));
      unusable_ = a.take(merge_words::unusable_bytes(first));
    }
    bytes_ = a.bytes();
  }
  std::size_t workspace_bytes() const { return bytes_; }

  /// `output`: the output as elements, or null.
  void launch(const simt::queue& q, const Arrays& arrays, element* output, const Less& order,
              std::byte* workspace) const {
    if (n_ == 0)
      return;
    const by_key<Less> less{order};
    const auto buffer = [&](unsigned which) { // the last pass reads buffer 0
      return which == 1 && output != nullptr ? output : reinterpret_cast<element*>(workspace + buffers_[which]);
    };
    unsigned from = (plan_.passes - 1) % 2;
    const simt::global<element> none{nullptr, 0};
    launch_here(
        q, {.grid = static_cast<unsigned>(merge_layout::pieces(n_, tile())), .block = plan_.threads},
        any_order_tile_kernel<Arrays, Less>{.arrays = arrays,
                                            .runs = plan_.passes == 0 ? none : simt::global<element>{buffer(from), n_},
                                            .n = n_,
                                            .less = less});
    const merge_words words{reinterpret_cast<std::uint64_t*>(workspace + borders_),
                            reinterpret_cast<std::uint32_t*>(workspace + unusable_)};
    std::uint64_t run = tile();
    for (unsigned pass = 0; pass < plan_.passes; ++pass, from ^= 1u, run *= plan_.ways) {
      const bool is_last = pass + 1 == plan_.passes;
      launch_merges(q, layout(run), plan_.threads, one_array<element>{{buffer(from), n_}}, words,
                    is_last ? none : simt::global<element>{buffer(from ^ 1u), n_}, is_last, arrays, less);
    }
  }

 private:
  std::uint64_t tile() const { return std::uint64_t{plan_.threads} * shape::items; }
  merge_layout layout(std::uint64_t run) const { return layout_of<element>(n_, run, plan_.ways, plan_.threads, false); }

  std::uint64_t n_;
  merge_plan plan_;
  std::size_t buffers_[2] = {}, borders_ = 0, unusable_ = 0, bytes_ = 0;
};

/// A merge of two sorted arrays into a third.
template <class Key, class Less>
class any_order_merge {
 public:
  using element = key_alone<Key>;
  using shape = merge_shape<element>;

  any_order_merge(std::uint64_t first, std::uint64_t second)
      : threads_(merge_plan::of(first + second, shape::items, shape::most_threads).threads),
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
