// The groups of a sorted array, in one read.
//
//   sorted    2 2 2 5 | 7 7 9 9       tiles; within one, each warp has rows of 32 neighbours
//   begins    1 0 0 1 | 1 0 1 0       a key whose image differs from the one before it; a ballot a row
//   group     0 0 0 1 | 2 2 3 3       the beginnings up to the key, less one: those of the rows and warps before,
//                                     and of the tiles before, which a look-back finds (look_back.hpp)
//
// The thread that has a group's first key writes what is wanted of the group; each key's thread writes the key's group.
// A group ends where the next one begins, so counts are differences, which the next launch makes.
//
// Bytes moved: the keys and positions once, the outputs once; `inverse` is a scatter.
#pragma once

#include "kernels/groups/group_arrays.hpp"
#include "primitives/look_back.hpp"

namespace sortile::kernels::inline SORTILE_BACKEND {

template <class Word, class Index>
struct find_groups_kernel {
  static constexpr unsigned block_threads = detail::find_groups_threads, items = detail::find_groups_items;
  static constexpr unsigned warps = block_threads / simt::warp_size;
  static constexpr unsigned at_once = sizeof(Word) <= 8 ? 8 : 4; ///< rows of which a thread's loads wait together
  using chain = primitives::look_back_chain<std::uint64_t>;

  struct shared {
    simt::shared_value<primitives::tile_ticket> ticket;
    simt::shared_array<std::uint64_t, warps> begins; // before each warp's keys
  };

  simt::global<const Word> sorted;
  group_arrays<Word, Index> of_groups; // `order` is read
  simt::global<std::uint64_t> groups;  // [1]
  chain tiles_before;
  std::uint64_t n;
  key_codec<Word> codec;
  std::uint32_t tiles;

  SORTILE_DEVICE void operator()(shared& s) const {
    if (simt::thread_index() == 0)
      s.ticket = tiles_before.draw(tiles);
    simt::block_barrier();
    const primitives::tile_ticket ticket = s.ticket;
    const std::uint64_t at = std::uint64_t{ticket.tile} * detail::find_groups_tile +
                             simt::warp_index() * simt::warp_size * items + simt::lane_index();
    unsigned begins[items];
    const std::uint32_t sum = find_begins(at, begins);
    const std::uint64_t upto = primitives::prefixes_of_warps(tiles_before, ticket, s.begins, std::uint64_t{sum},
                                                             primitives::plus{}, std::uint64_t{0});
    const std::uint64_t before = s.begins.load(simt::warp_index());
    if (is_wanted(of_groups.inverse))
      write_inverse(at, before, begins);
    write_groups(at, before, begins);
    if (ticket.tile == tiles - 1 && simt::thread_index() == 0) {
      groups[0] = upto;
      if (is_wanted(of_groups.offsets))
        of_groups.offsets[upto] = Index(n);
    }
  }

 private:
  /// begins[i] becomes the lanes of row i whose keys begin a group, of rows from `at` on; returns how many there are.
  SORTILE_DEVICE std::uint32_t find_begins(std::uint64_t at, unsigned (&begins)[items]) const {
    const bool first_lane = simt::lane_index() == 0;
    Word before = first_lane && at > 0 && at <= n ? codec.image(sorted.load(at - 1)) : Word{0};
    std::uint32_t sum = 0;
    each_rows([&](unsigned row) {
      Word x[at_once] = {};
      load(
          sorted, at, row, [&](unsigned i) { return place_in(at, i) < n; }, x);
      SORTILE_UNROLL
      for (unsigned r = 0; r < at_once; ++r) {
        const Word image = codec.image(x[r]), left = simt::shuffle_up(image, 1);
        const std::uint64_t p = place_in(at, row + r);
        begins[row + r] = simt::ballot(p < n && (p == 0 || image != (first_lane ? before : left)));
        sum += simt::popcount(begins[row + r]);
        before = simt::shuffle(image, simt::warp_size - 1);
      }
    });
    return sum;
  }
  /// f(row) for every at_once-th row: so many are asked for together.
  template <class F>
  static SORTILE_DEVICE void each_rows(F f) {
    SORTILE_UNROLL
    for (unsigned row = 0; row < items; row += at_once)
      f(row);
  }
  /// Of the rows from `row` on: rows' elements of which wanted(row) holds.
  template <class T, class Wanted>
  SORTILE_DEVICE void load(const simt::global<const T>& array, std::uint64_t at, unsigned row, Wanted wanted,
                           T (&x)[at_once]) const {
    SORTILE_UNROLL
    for (unsigned r = 0; r < at_once; ++r)
      if (wanted(row + r))
        x[r] = array.load(place_in(at, row + r));
  }
  static SORTILE_DEVICE std::uint64_t place_in(std::uint64_t at, unsigned row) { return at + row * simt::warp_size; }
  /// The group of the lane's key in a row of which the lanes of `begins` have a group's first key; `before`: groups
  /// that began before the row.
  static SORTILE_DEVICE std::uint64_t group_of(std::uint64_t before, unsigned begins) {
    return before + simt::popcount(begins & (simt::lanes_below() | 1u << simt::lane_index())) - 1;
  }

  SORTILE_DEVICE void write_inverse(std::uint64_t at, std::uint64_t before, const unsigned (&begins)[items]) const {
    each_rows([&](unsigned row) {
      Index from[at_once] = {};
      load(
          simt::global<const Index>(of_groups.order), at, row, [&](unsigned i) { return place_in(at, i) < n; }, from);
      SORTILE_UNROLL
      for (unsigned r = 0; r < at_once; ++r) {
        if (place_in(at, row + r) < n)
          of_groups.inverse[std::uint64_t(from[r])] = Index(group_of(before, begins[row + r]));
        before += simt::popcount(begins[row + r]);
      }
    });
  }
  SORTILE_DEVICE void write_groups(std::uint64_t at, std::uint64_t before, const unsigned (&begins)[items]) const {
    each_rows([&](unsigned row) {
      const auto has_first = [&](unsigned i) { return (begins[i] >> simt::lane_index() & 1) != 0; };
      Word key[at_once] = {};
      Index from[at_once] = {};
      if (is_wanted(of_groups.keys))
        load(sorted, at, row, has_first, key);
      if (is_wanted(of_groups.first))
        load(simt::global<const Index>(of_groups.order), at, row, has_first, from);
      SORTILE_UNROLL
      for (unsigned r = 0; r < at_once; ++r) {
        const unsigned i = row + r;
        const std::uint64_t group = group_of(before, begins[i]);
        before += simt::popcount(begins[i]);
        if (!has_first(i))
          continue;
        if (is_wanted(of_groups.keys))
          of_groups.keys[group] = key[r];
        if (is_wanted(of_groups.first))
          of_groups.first[group] = from[r];
        if (is_wanted(of_groups.offsets))
          of_groups.offsets[group] = Index(place_in(at, i));
      }
    });
  }
};

template <class Index>
struct count_groups_kernel {
  static constexpr bool starts_early = true;
  static constexpr unsigned block_threads = 256;

  simt::global<const Index> offsets;
  simt::global<const std::uint64_t> groups;
  simt::global<std::uint64_t> groups_out; // the same number, where the caller wants it
  simt::global<Index> counts;

  SORTILE_DEVICE void operator()() const {
    const std::uint64_t end = groups.load(0), stride = std::uint64_t{simt::grid_size()} * block_threads;
    for (auto g = std::uint64_t{simt::block_index()} * block_threads + simt::thread_index(); g < end; g += stride)
      counts[g] = Index(offsets.load(g + 1) - offsets.load(g));
    if (simt::block_index() == 0 && simt::thread_index() == 0)
      groups_out[0] = end;
  }
};

} // namespace sortile::kernels::inline SORTILE_BACKEND
