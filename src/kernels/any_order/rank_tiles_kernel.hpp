// Sorts tiles of few elements by any order: each block a tile, of which each element is compared with all others. The
// first step of a sort by ranks (rank_sort.hpp).
//
// An element's rank is the number of those before it that do not come after it, and of those behind it that come before
// it. Where `less` is no strict weak order two elements may have one rank; then the tile stays as it is.
//
//   warp   32 elements, and 32 others or the same ones: in each of 16 steps a lane asks of its own element and one of
//          the others, and the others' counts move on by a lane
//
// Cost: 32 comparisons an element, since each pair is asked once; none waits for another, and a thread has 16.
#pragma once

#include "kernels/any_order/rank_tables.hpp"
#include "kernels/sample_place.hpp"

namespace sortile::kernels::inline SORTILE_BACKEND {

template <class Arrays, class Less>
struct any_order_rank_tiles_kernel {
  using key = typename Arrays::key;
  using element = typename Arrays::element;
  static constexpr bool starts_early = true;
  static constexpr unsigned rank_tile = 2 * simt::warp_size; // of the tables, too
  static constexpr unsigned block_threads = 4 * simt::warp_size, steps = simt::warp_size / 2;
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
    const std::uint32_t t = simt::thread_index(), i = begin + t;
    const bool exists = t < length, is_sample = tables.count < n;
    const element own = arrays.load(is_sample ? sample_place(exists ? i : begin, tables.count, n) : exists ? i : begin);
    if (t < rank_tile) {
      s.keys.store(t, own.key);
      s.ranks.store(t, 0u);
      s.taken.store(t, 0u);
    }
    simt::block_barrier();
    compare(s, length);
    simt::block_barrier();
    const std::uint32_t rank = exists ? s.ranks.load(t) : 0;
    const bool is_alone = !exists || s.taken.fetch_add(rank, 1u, simt::relaxed, simt::block_scope) == 0;
    const std::uint32_t place = begin + (simt::block_all(is_alone) ? rank : t);
    if (!exists)
      return;
    tables.records.store(place, own);
    tables.clear(i);
    if (is_sample)
      numbers.store(place, std::uint16_t(i));
  }

 private:
  /// Each of the two groups of 32 elements by a warp; both with each other by two.
  SORTILE_DEVICE void compare(shared& s, std::uint32_t length) const {
    const unsigned lane = simt::lane_index(), warp = simt::warp_index();
    const bool is_one = warp < 2;
    const unsigned a = is_one ? warp : 0, b = is_one ? warp : 1;
    unsigned turned = lane + (is_one ? 1 : (warp - 2) * steps);
    const std::uint32_t own = a * simt::warp_size + lane;
    std::uint32_t before_own = 0, before_other = 0, other = 0;
    for (unsigned step = 0; step < steps; ++step, ++turned) {
      before_other = simt::shuffle(before_other, (lane + 1) % simt::warp_size);
      other = b * simt::warp_size + turned % simt::warp_size;
      const std::uint32_t left = own < other ? own : other, right = own < other ? other : own;
      const bool is_asked = right < length && !(is_one && step + 1 == steps && lane >= steps); // not twice
      const bool right_first = less.of_keys(s.keys.load(right), s.keys.load(left));
      before_own += is_asked && right_first == (own == left) ? 1 : 0;
      before_other += is_asked && right_first == (other == left) ? 1 : 0;
    }
    s.ranks.fetch_add(own, before_own, simt::relaxed, simt::block_scope);
    s.ranks.fetch_add(other, before_other, simt::relaxed, simt::block_scope);
  }
};

} // namespace sortile::kernels::inline SORTILE_BACKEND
