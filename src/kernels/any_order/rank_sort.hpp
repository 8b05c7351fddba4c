// Sorts few elements by any order: more than one block is quick with, and too few for splitters. And finds the ranks of
// a sample, for splitters.
//
//   tiles    of 64 elements, each compared with all others of its tile               (rank_tiles_kernel.hpp)
//            of more than 4096 elements, and no sample, 512 by merges                 (tile_kernel.hpp)
//   ranks    of each element in the other tiles, by bisections, and its place        (rank_runs_kernel.hpp)
//
// Few elements wait for one comparison after the other. A block that merges 4096 has nine rounds of bisections and
// merges, 150 comparisons in a row; here 30 follow one another, and all multiprocessors take part. More than 16384 are
// compared too often: some 10 times for each tile that there is.
//
// Stable. The result is the same every time. Where `less` is no strict weak order and ranks collide, the elements stay
// tile by tile: none is lost.
//
// Cost for n elements of E bytes: 32 + n / 9 comparisons an element, or 20 + n / 51; about 4 n E, and n keys read from
// the second-level cache for each 16 elements, or 64. Workspace: the elements, and 8 bytes for each.
//
// Sources: rank sort (Knuth 1998, 5.2, comparison counting); Satish, Harris and Garland 2009 (ranks among sorted
// tiles).
#pragma once

#include "kernels/any_order/launch_here.hpp"
#include "kernels/any_order/rank_runs_kernel.hpp"
#include "kernels/any_order/tile_kernel.hpp"
#include "kernels/arena.hpp"

namespace sortile::kernels::inline SORTILE_BACKEND {

/// Of `count` elements of the caller's n, all or a sample: the steps that rank them.
template <class Arrays, class Less>
class any_order_ranking {
 public:
  using key = typename Arrays::key;
  using element = typename Arrays::element;
  static constexpr unsigned most_compared = 4096, merged_tile = 512;

  any_order_ranking() = default; // of none
  any_order_ranking(arena& a, std::uint32_t count)
      : count_(count), records_(a.take(count * sizeof(element))), ranks_(a.take(count * sizeof(std::uint32_t))),
        taken_(a.take(count * sizeof(std::uint32_t))), progress_(a.take(2 * sizeof(std::uint32_t))) {}

  std::uint32_t count() const { return count_; }
  rank_tables<element> tables(std::byte* workspace) const {
    const auto words = [&](std::size_t offset, std::uint32_t count) {
      return simt::global<std::uint32_t>{reinterpret_cast<std::uint32_t*>(workspace + offset), count};
    };
    return {{reinterpret_cast<element*>(workspace + records_), count_},
            words(ranks_, count_),
            words(taken_, count_),
            words(progress_, 2),
            count_,
            compared::rank_tile};
  }

  /// `numbers` for a sample.
  void launch(const simt::queue& q, const Arrays& arrays, std::uint64_t n, simt::global<std::uint16_t> numbers,
              const by_key<Less>& less, std::byte* workspace) const {
    using ranks = any_order_rank_runs_kernel<Arrays, Less>;
    const bool is_sample = count_ < n, is_compared = is_sample || count_ <= most_compared;
    rank_tables<element> t = tables(workspace);
    if (!is_compared)
      t.tile = merged_tile;
    const auto blocks = [this](unsigned each) { return (count_ + each - 1) / each; };
    if (is_compared)
      launch_here(q, {.grid = blocks(t.tile)},
                  compared{.arrays = arrays, .n = n, .tables = t, .numbers = numbers, .less = less});
    else
      launch_here(q, {.grid = blocks(t.tile)},
                  any_order_tile_kernel<Arrays, Less>{.arrays = arrays,
                                                      .runs = t.records,
                                                      .n = n,
                                                      .tile = t.tile,
                                                      .is_ranked = true,
                                                      .tables = t,
                                                      .less = less});
    // Few are spread over all multiprocessors; of many, a block is not to read all keys for few of them.
    const unsigned elements = count_ <= 4096 ? 16 : ranks::most_elements;
    launch_here(q, {.grid = blocks(elements), .dynamic_shared = count_ * sizeof(held<key>)},
                ranks{.arrays = arrays, .tables = t, .elements = elements, .is_sample = is_sample, .less = less});
  }

 private:
  using compared = any_order_rank_tiles_kernel<Arrays, Less>;

  std::uint32_t count_ = 0;
  std::size_t records_ = 0, ranks_ = 0, taken_ = 0, progress_ = 0;
};

template <class Arrays, class Less>
class any_order_rank_sort {
 public:
  using key = typename Arrays::key;
  using element = typename Arrays::element;
  static constexpr std::uint64_t fits = 64 * 1024 / sizeof(key), most = fits < 16384 ? fits : 16384;
  using ranking = any_order_ranking<Arrays, Less>;
  static_assert(most <= ranking::most_compared || ranking::merged_tile <= sort_shape<element>::capacity);

  /// n: up to `most`.
  explicit any_order_rank_sort(std::uint64_t n) : ranking_(arena_, static_cast<std::uint32_t>(n)), n_(n) {}
  std::size_t workspace_bytes() const { return arena_.bytes(); }

  void launch(const simt::queue& q, const Arrays& arrays, const Less& order, std::byte* workspace) const {
    ranking_.launch(q, arrays, n_, {nullptr, 0}, {order}, workspace);
  }

 private:
  arena arena_;
  ranking ranking_;
  std::uint64_t n_;
};

} // namespace sortile::kernels::inline SORTILE_BACKEND
