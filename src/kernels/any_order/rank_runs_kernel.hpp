// Finds the rank of each element among sorted tiles (rank_tiles_kernel.hpp), its place in its own, and from every other
// one what comes before it, by a bisection; and writes it to that place of the caller's output, or, of a sample, its
// rank. All multiprocessors take part: a block has the keys of all tiles in shared storage, and 16 or 64 elements, of
// which each is searched for by as many threads as there are for it.
//
// Neighbours in a tile are in order, so that the lanes of a warp mostly ask for the same keys. Of equal elements those
// of earlier tiles come first.
//
// Where `less` is no strict weak order two elements may have one rank, and another none. Who finds its rank taken says
// so, and the block that is the last to come through, and so sees what all have said (count_skewed_kernel.hpp has the
// same order of accesses), writes all elements as they stand in the tiles: none is lost.
//
// Cost: log2(tile) + 1 comparisons for each element and tile, and the keys read by each block.
#pragma once

#include "kernels/any_order/rank_tiles_kernel.hpp"

namespace sortile::kernels::inline SORTILE_BACKEND {

template <class Arrays, class Less>
struct any_order_rank_runs_kernel {
  using key = typename Arrays::key;
  using element = typename Arrays::element;
  static constexpr bool starts_early = true;
  static constexpr unsigned block_threads = 512, most_elements = 64;
  struct shared {
    simt::shared_array<std::uint32_t, most_elements> ranks;
    simt::shared_value<std::uint32_t> repairs;
  };

  Arrays arrays;
  rank_tables<element> tables; // the keys in dynamic storage, too
  unsigned elements;           // of a block: a part of a tile
  bool is_sample;
  by_key<Less> less;

  SORTILE_DEVICE void operator()(shared& s) const {
    const auto keys = simt::dynamic_shared<held<key>>(*this, tables.count);
    const unsigned t = simt::thread_index();
    for (std::uint32_t i = t; i < tables.count; i += block_threads)
      keys.store(i, tables.records.load(i).key);
    if (t < elements)
      s.ranks.store(t, 0u);
    simt::block_barrier();
    const std::uint32_t first = simt::block_index() * elements;
    add_up(s, keys, first);
    simt::block_barrier();
    const std::uint32_t i = first + t;
    if (t < elements && i < tables.count) {
      const std::uint32_t rank = s.ranks.load(t);
      if (is_sample)
        tables.ranks.store(i, rank);
      else
        arrays.store(rank, tables.records.load(i));
      if (tables.taken.fetch_add(rank, 1u) != 0)
        tables.progress.fetch_add(0, 1u);
    }
    simt::block_barrier();
    if (t == 0)
      s.repairs =
          tables.progress.fetch_add(1, 1u, simt::acq_rel) + 1 == simt::grid_size() ? tables.progress.load(0) : 0;
    simt::block_barrier();
    if (s.repairs != 0)
      for (std::uint32_t p = t; p < tables.count; p += block_threads) {
        if (is_sample)
          tables.ranks.store(p, p);
        else
          arrays.store(p, tables.records.load(p));
      }
  }

 private:
  /// What comes before each of the block's elements.
  SORTILE_DEVICE void add_up(shared& s, const simt::shared_view<held<key>>& keys, std::uint32_t first) const {
    const std::uint32_t slot = simt::thread_index() % elements, i = first + slot, own = first / tables.tile;
    const held<key> x = keys.load(i < tables.count ? i : tables.count - 1);
    std::uint32_t rank = 0;
    for (std::uint32_t tile = simt::thread_index() / elements; tile * tables.tile < tables.count;
         tile += block_threads / elements)
      rank += tile == own ? i - own * tables.tile : count_before(keys, tile * tables.tile, x, tile < own);
    s.ranks.fetch_add(slot, rank, simt::relaxed, simt::block_scope);
  }
  /// How many elements of a tile come before x: of equal ones all where the tile is an earlier one than that of x.
  SORTILE_DEVICE std::uint32_t count_before(const simt::shared_view<held<key>>& keys, std::uint32_t begin,
                                            const held<key>& x, bool is_earlier) const {
    const std::uint32_t length = tables.count - begin < tables.tile ? tables.count - begin : tables.tile;
    std::uint32_t count = 0;
    SORTILE_NO_UNROLL
    for (std::uint32_t more = tables.tile; more > 0; more /= 2) {
      if (count + more > length)
        continue;
      const held<key> tried = keys.load(begin + count + more - 1);
      if (is_earlier ? !less.of_keys(x, tried) : less.of_keys(tried, x))
        count += more;
    }
    return count;
  }
};

} // namespace sortile::kernels::inline SORTILE_BACKEND
