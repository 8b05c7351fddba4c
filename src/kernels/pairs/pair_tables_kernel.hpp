// From the scan's counts, one row per chunk, to the place of every chunk's first pair in every bucket.
//
//   column_sums_kernel   rows become sums over the rows before them, in place; count[d] is the whole column's sum
//   bucket_starts_kernel start[d]: pairs of smaller digits; start[bins] = n
//
// A block takes 32 neighbouring columns. Each warp adds up its run of rows, a column a lane; the warps exchange their
// sums; then each writes its rows. All of a thread's loads are in flight at once, so the time is one round trip to
// memory, or the traffic (8 bytes per counter).
//
// The starts: each block answers for 1024 buckets and adds up the counts before them by itself, from the L2. It also
// checks whether a bucket is too large for the local steps. The last block checks that the counts add up to n, and
// traps if they do not (key_scan/packed_counters.hpp says why).
//
// Neither does anything where the scan's sample has found the pairs skewed.
#pragma once

#include "kernels/pairs/pair_types.hpp"
#include "primitives/block_scan.hpp"

namespace sortile::kernels::inline SORTILE_BACKEND {

/// A table with a row a chunk, cut into groups of 32 columns.
struct counter_table {
  simt::global<std::uint32_t> counts; // [rows][columns]
  std::uint32_t columns;
  SORTILE_HOST_DEVICE std::uint32_t groups() const { return (columns + 31) / 32; }
};

struct column_sums_kernel {
  static constexpr bool starts_early = true;
  static constexpr unsigned block_threads = 1024, min_blocks = 2, warps = 32;
  static constexpr int most_rows = 5; // a warp: 160 in all
  struct shared {
    simt::shared_array<std::uint32_t, warps * 32> sums; // [warps][columns]
  };

  counter_table fine, coarse;
  simt::global<std::uint32_t> count;
  pairs_gate gate;
  std::uint32_t rows;

  SORTILE_DEVICE void operator()(shared& s) const {
    if (gate.given_away_by_sample())
      return;
    const unsigned lane = simt::lane_index(), warp = simt::warp_index();
    const bool is_fine = simt::block_index() < fine.groups();
    const counter_table table = {is_fine ? fine.counts : coarse.counts, is_fine ? fine.columns : coarse.columns};
    const std::uint32_t group = simt::block_index() - (is_fine ? 0 : fine.groups()), column = group * 32 + lane;
    const std::uint32_t each = (rows + warps - 1) / warps, first = warp * each;
    std::uint32_t x[most_rows], sum = 0;
    SORTILE_UNROLL
    for (int j = 0; j < most_rows; ++j) {
      const bool mine = unsigned(j) < each && first + unsigned(j) < rows && column < table.columns;
      x[j] = mine ? table.counts.load(std::uint64_t{first + unsigned(j)} * table.columns + column) : 0;
      sum += x[j];
    }
    s.sums[warp * 32 + lane] = sum;
    simt::block_barrier();
    std::uint32_t before = 0, total = 0;
    for (unsigned w = 0; w < warps; ++w) {
      const std::uint32_t here = s.sums.load(w * 32 + lane);
      before += w < warp ? here : 0;
      total += here;
    }
    SORTILE_UNROLL
    for (int j = 0; j < most_rows; ++j)
      if (unsigned(j) < each && first + unsigned(j) < rows && column < table.columns) {
        table.counts[std::uint64_t{first + unsigned(j)} * table.columns + column] = before;
        before += x[j];
      }
    if (is_fine && warp == 0 && column < table.columns)
      count[column] = total;
  }
};

struct bucket_starts_kernel {
  static constexpr bool starts_early = true;
  static constexpr unsigned block_threads = 1024;
  using scan_storage = primitives::block_scan_storage<std::uint32_t, block_threads>;
  struct shared {
    scan_storage before, within;
  };

  simt::global<const std::uint32_t> count, order; // order: a word a chunk
  simt::global<std::uint32_t> start;
  pairs_gate gate;
  simt::global<const std::uint32_t> most; // pairs that each bucket may hold, where there are such
  bool most_each;
  std::uint32_t n, bins, rows, capacity; // capacity: pairs that any bucket may hold where !most_each

  SORTILE_DEVICE void operator()(shared& s) const {
    if (gate.given_away_by_sample())
      return;
    const unsigned t = simt::thread_index();
    const std::uint32_t i = simt::block_index() * block_threads + t;
    const std::uint32_t in_all = order_of_chunks(order, rows);
    std::uint32_t sum = 0;
    for (std::uint32_t j = t; j < simt::block_index() * block_threads; j += block_threads)
      sum += count.load(j);
    const std::uint32_t before = primitives::block_reduce(s.before, sum, primitives::plus{});
    const std::uint32_t here = i < bins ? count.load(i) : 0;
    const std::uint32_t at = primitives::block_exclusive_scan(s.within, here, primitives::plus{}, before).before;
    if (i >= bins)
      return;
    start[i] = at;
    if (i == 0)
      gate.findings[pair_order] = in_all;
    if (gate.told.decides && in_all == seen_both && here > (most_each ? most.load(i) : capacity))
      gate.told.give_away();
    if (i == bins - 1) {
      start[bins] = n;
      if (at + here != n)
        simt::trap();
    }
  }
};

} // namespace sortile::kernels::inline SORTILE_BACKEND
