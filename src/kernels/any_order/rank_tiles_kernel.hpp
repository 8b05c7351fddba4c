// Sorts tiles of few elements by any order: each block a tile, of which each element is compared with all others, by
// several threads. The first step of a sort by ranks (rank_sort.hpp).
//
// An element's rank is the number of those before it that do not come after it, and of those behind it that come before
// it. Where `less` is no strict weak order two elements may have one rank; then the tile stays as it is.
//
// Cost: 128 comparisons an element, none of which waits for another; a thread has 32 of them.
#pragma once

#include "kernels/any_order/rank_tables.hpp"
#include "kernels/sample_place.hpp"

namespace sortile::kernels::inline SORTILE_BACKEND {

template <class Arrays, class Less>
struct any_order_rank_tiles_kernel {
  using key = typename Arrays::key;
  using element = typename Arrays::element;
  static constexpr bool starts_early = true;
  static constexpr unsigned rank_tile = 128;                                                    // of the tables, too
  static constexpr unsigned block_threads = 512, share = rank_tile * rank_tile / block_threads; // comparisons
  struct shared {
    simt::shared_array<held<key>, rank_tile> keys;
    simt::shared_array<std::uint32_t, rank_tile> ranks, taken;
  };

  Arrays arrays;
  std::uint64_t n; // of the arrays: as many as there are to sort, or a sample of them is sorted
  rank_tables<element> tables;
  simt::global<std::uint16_t> numbers; // of a sample: its numbers
  by_key<Less> less;

  SORTILE_DEVICE void operator()(shared& s) const {
    const std::uint32_t begin = simt::block_index() * rank_tile, left = tables.count - begin;
    const std::uint32_t length = left < rank_tile ? left : rank_tile;
    const std::uint32_t t = simt::thread_index() % rank_tile, part = simt::thread_index() / rank_tile, i = begin + t;
    const bool exists = t < length, is_sample = tables.count < n;
    const element own = arrays.load(is_sample ? sample_place(exists ? i : begin, tables.count, n) : exists ? i : begin);
    if (part == 0) {
      s.keys.store(t, own.key);
      s.ranks.store(t, 0u);
      s.taken.store(t, 0u);
    }
    simt::block_barrier();
    if (exists) {
      const std::uint32_t first = part * share, last = first + share;
      std::uint32_t before = 0;
      for (std::uint32_t j = first; j < (last < t ? last : t); ++j)
        before += less.of_keys(own.key, s.keys.load(j)) ? 0 : 1;
      for (std::uint32_t j = first > t ? first : t + 1; j < (last < length ? last : length); ++j)
        before += less.of_keys(s.keys.load(j), own.key) ? 1 : 0;
      s.ranks.fetch_add(t, before, simt::relaxed, simt::block_scope);
    }
    simt::block_barrier();
    const bool is_own = exists && part == 0;
    const std::uint32_t rank = s.ranks.load(t);
    const bool is_alone = !is_own || s.taken.fetch_add(rank, 1u, simt::relaxed, simt::block_scope) == 0;
    const std::uint32_t place = begin + (simt::block_all(is_alone) ? rank : t);
    if (!is_own)
      return;
    tables.records.store(place, own);
    tables.clear(i);
    if (is_sample)
      numbers.store(place, std::uint16_t(i));
  }
};

} // namespace sortile::kernels::inline SORTILE_BACKEND
