// The first k ≤ 64 keys of rows of up to 1024, in order, by one warp a row, the whole row in registers.
//
//   bound      each lane puts its keys into G groups and takes the smallest image of each. The k-th smallest of these
//              32 · G images is a bound: at least k keys, of k groups, do not exceed it
//
//              lanes      0     1     2   …  31          G = 1, k = 3
//              smallest   7     3     9   …   4          sorted: 3 4 7 …  bound 7
//
//   candidates keys up to the bound, with their positions, put together through shared memory: for random keys about
//              32 G ln(32 G / (32 G − k)), so with k ≤ 16 G fewer than the 32 · G that a warp sorts at once
//   sort       by image, then by position, in registers (warp_sort.hpp)
//   fallback   where there are more candidates (equal keys, or rows made so): the k-th image bit by bit, by counting;
//              then the keys below it, and the first of those that equal it
//
// No two candidates are equal, so the result does not depend on the order in which they are put together. Bytes moved:
// the rows once, and the results. Shared memory: 32 · G candidates a warp.
#pragma once

#include "kernels/sample/sample_elements.hpp"
#include "kernels/select/select_rows.hpp"
#include "primitives/key_codec.hpp"
#include "primitives/warp_sort.hpp"

namespace sortile::kernels::inline SORTILE_BACKEND {

/// Items: keys a lane. Groups: of a lane's keys, a power of two, at most Items; k ≤ 16 · Groups.
template <class Word, unsigned Items, unsigned Groups>
struct select_short_rows_kernel {
  static constexpr unsigned block_threads = 128, warps = block_threads / simt::warp_size;
  static constexpr std::uint32_t capacity = simt::warp_size * Groups;
  using element = sample_element<Word, true>;
  using packed = packing<Word, element>;

  struct shared {
    simt::shared_array<element, warps * capacity> candidates;
  };

  simt::global<const Word> keys;
  simt::global<Word> keys_out;
  simt::global<std::uint32_t> positions_32; // one of both where positions are wanted
  simt::global<std::uint64_t> positions_64;
  std::uint64_t rows, stride;
  std::uint32_t n, k;
  key_codec<Word> codec;
  unsigned position_bytes;
  bool writes_keys, positions_in_all;

  SORTILE_DEVICE void operator()(shared& s) const {
    const auto mine = s.candidates.subview(simt::warp_index() * capacity, capacity);
    const std::uint64_t all_warps = std::uint64_t{simt::grid_size()} * warps;
    for (std::uint64_t row = std::uint64_t{simt::block_index()} * warps + simt::warp_index(); row < rows;
         row += all_warps) {
      select(mine, row);
      simt::warp_barrier();
    }
  }

 private:
  using row_keys = Word[Items]; // images; those that a row lacks are all ones

  SORTILE_DEVICE std::uint32_t position(unsigned item) const { return item * simt::warp_size + simt::lane_index(); }

  SORTILE_DEVICE void select(const simt::shared_view<element>& candidates, std::uint64_t row) const {
    row_keys x;
    SORTILE_UNROLL
    for (unsigned i = 0; i < Items; ++i)
      x[i] = position(i) < n ? keys.load(row * stride + position(i)) : Word{0};
    SORTILE_UNROLL
    for (unsigned i = 0; i < Items; ++i)
      x[i] = position(i) < n ? codec.image(x[i]) : Word(~Word{0});
    const Word most = bound(x);
    std::uint32_t count = append(candidates, x, 0, capacity, [=](Word u) { return u <= most; });
    if (count > capacity) {
      const Word kth = kth_image(x);
      simt::warp_barrier(); // what is overwritten has been written
      count = append(candidates, x, 0, capacity, [=](Word u) { return u < kth; });
      append(candidates, x, count, k, [=](Word u) { return u == kth; });
      count = k; // what the first attempt has left behind these does not count
    }
    simt::warp_barrier();
    write(candidates, row, count < capacity ? count : capacity);
  }

  SORTILE_DEVICE Word bound(const row_keys& x) const {
    Word smallest[Groups];
    SORTILE_UNROLL
    for (unsigned g = 0; g < Groups; ++g)
      smallest[g] = x[g];
    SORTILE_UNROLL
    for (unsigned i = Groups; i < Items; ++i)
      smallest[i % Groups] = x[i] < smallest[i % Groups] ? x[i] : smallest[i % Groups];
    primitives::sort_in_warp(smallest);
    Word found = 0;
    SORTILE_UNROLL
    for (unsigned g = 0; g < Groups; ++g)
      found = g == (k - 1) % Groups ? smallest[g] : found;
    return simt::shuffle(found, (k - 1) / Groups);
  }

  /// Writes the keys that are wanted behind the first `count` candidates, in the order of their positions, as far as
  /// there is room; returns how many candidates there are then, or would be.
  template <class Wanted>
  SORTILE_DEVICE std::uint32_t append(const simt::shared_view<element>& candidates, const row_keys& x,
                                      std::uint32_t count, std::uint32_t room, Wanted wanted) const {
    SORTILE_UNROLL
    for (unsigned i = 0; i < Items; ++i) {
      const bool is_wanted = position(i) < n && wanted(x[i]);
      const unsigned found = simt::ballot(is_wanted);
      const std::uint32_t at = count + std::uint32_t(simt::popcount(found & simt::lanes_below()));
      if (is_wanted && at < room)
        candidates[at] = packed::pack(x[i], position(i));
      count += std::uint32_t(simt::popcount(found));
    }
    return count;
  }

  /// The largest image below which there are fewer than k keys: that of the k-th.
  SORTILE_DEVICE Word kth_image(const row_keys& x) const {
    Word image = 0;
    SORTILE_NO_UNROLL
    for (unsigned bit = codec.bits; bit > 0; --bit) {
      const Word tried = Word(image | Word(Word{1} << (bit - 1)));
      std::uint32_t below = 0;
      SORTILE_UNROLL
      for (unsigned i = 0; i < Items; ++i)
        below += position(i) < n && x[i] < tried;
      if (simt::warp_reduce_add(below) < k)
        image = tried;
    }
    return image;
  }

  SORTILE_DEVICE void write(const simt::shared_view<element>& candidates, std::uint64_t row,
                            std::uint32_t count) const {
    element e[Groups];
    SORTILE_UNROLL
    for (unsigned g = 0; g < Groups; ++g)
      e[g] = position(g) < count ? candidates.load(position(g)) : packed::greatest();
    primitives::sort_in_warp(e);
    SORTILE_UNROLL
    for (unsigned g = 0; g < Groups; ++g)
      if (const std::uint32_t i = simt::lane_index() * Groups + g; i < k)
        put(row, i, packed::place(e[g]));
  }
  SORTILE_DEVICE void put(std::uint64_t row, std::uint32_t i, std::uint32_t place) const {
    const std::uint64_t to = row * k + i, from = row * stride + place;
    if (writes_keys)
      keys_out[to] = keys.load(from);
    const std::uint64_t position = positions_in_all ? from : place;
    if (position_bytes == 4)
      positions_32[to] = std::uint32_t(position);
    else if (position_bytes == 8)
      positions_64[to] = position;
  }
};

} // namespace sortile::kernels::inline SORTILE_BACKEND
