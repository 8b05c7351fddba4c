// From the counts of a partition, one row per chunk, to the place of every chunk's first pair in every bucket: the last
// two phases of a cooperative launch whose blocks have counted (chunk_scan_kernel.hpp,
// splitters/segment_split.hpp).
//
//   columns   rows become sums over the rows before them, in place; count[d] is the whole column's sum
//   starts    start[d]: pairs of smaller digits; start[bins] = n
//
// A block takes 32 neighbouring columns at a time. Each warp adds up its run of rows, a column a lane; the warps
// exchange their sums; then each writes its rows. All of a thread's loads are in flight at once, so the time is one
// round trip to memory, or the traffic (8 bytes per counter).
//
// The starts: some blocks answer for as many buckets as they have threads each, and add up the counts before them by
// themselves, from the L2. They also check whether a bucket is too large for the local steps. The last of them checks
// that the counts add up to n, and traps if they do not (key_scan/packed_counters.hpp says why).
//
// Cost: two barriers of the grid, 1 to 1.5 µs each; as launches of their own, the phases took 2 to 3.
#pragma once

#include "kernels/pairs/pair_types.hpp"
#include "kernels/partition_plan.hpp"
#include "primitives/block_scan.hpp"

namespace sortile::kernels::inline SORTILE_BACKEND {

/// A table with a row a chunk, cut into groups of 32 columns.
struct counter_table {
  simt::global<std::uint32_t> counts; // [rows][columns]
  std::uint32_t columns;
  SORTILE_DEVICE std::uint32_t groups() const { return (columns + simt::warp_size - 1) / simt::warp_size; }
};

template <unsigned Threads>
struct place_tables {
  static constexpr unsigned warps = Threads / simt::warp_size;
  static constexpr int most_rows = int((partition_plan::most_chunks + warps - 1) / warps); // of a warp
  using scan_storage = primitives::block_scan_storage<std::uint32_t, Threads>;
  struct storage {
    simt::shared_array<std::uint32_t, Threads> sums; // [warps][columns]
    scan_storage before, within;
  };

  counter_table fine, coarse;              // coarse: of no columns where it is not wanted
  simt::global<const std::uint32_t> order; // a word a chunk
  simt::global<std::uint32_t> count, start;
  simt::global<const std::uint32_t> most; // pairs that each bucket may hold, where there are such
  bool most_each;
  std::uint32_t n, rows, capacity; // capacity: pairs that any bucket may hold where !most_each

  /// By all threads of a cooperative grid, whose counts are complete at its next barrier.
  SORTILE_DEVICE void make(storage& s, const pairs_gate& gate) const {
    simt::grid_barrier();
    for (std::uint32_t g = simt::block_index(); g < fine.groups() + coarse.groups(); g += simt::grid_size()) {
      add_columns(s, g);
      simt::block_barrier();
    }
    simt::grid_barrier();
    for (std::uint32_t first = simt::block_index() * Threads; first < fine.columns;
         first += simt::grid_size() * Threads) {
      find_starts(s, gate, first);
      simt::block_barrier();
    }
  }

 private:
  SORTILE_DEVICE void add_columns(storage& s, std::uint32_t numbered) const {
    const unsigned lane = simt::lane_index(), warp = simt::warp_index();
    const bool is_fine = numbered < fine.groups();
    const counter_table table = {is_fine ? fine.counts : coarse.counts, is_fine ? fine.columns : coarse.columns};
    const std::uint32_t group = numbered - (is_fine ? 0 : fine.groups()), column = group * simt::warp_size + lane;
    const std::uint32_t each = (rows + warps - 1) / warps, first = warp * each;
    std::uint32_t x[most_rows], sum = 0;
    SORTILE_UNROLL
    for (int j = 0; j < most_rows; ++j) {
      const bool mine = unsigned(j) < each && first + unsigned(j) < rows && column < table.columns;
      x[j] = mine ? table.counts.load(std::uint64_t{first + unsigned(j)} * table.columns + column) : 0;
      sum += x[j];
    }
    s.sums[warp * simt::warp_size + lane] = sum;
    simt::block_barrier();
    std::uint32_t before = 0, total = 0;
    for (unsigned w = 0; w < warps; ++w) {
      const std::uint32_t here = s.sums.load(w * simt::warp_size + lane);
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
  SORTILE_DEVICE void find_starts(storage& s, const pairs_gate& gate, std::uint32_t first) const {
    const unsigned t = simt::thread_index();
    const std::uint32_t i = first + t, bins = fine.columns;
    const std::uint32_t in_all = order_of_chunks(order, rows);
    std::uint32_t sum = 0;
    for (std::uint32_t j = t; j < first; j += Threads)
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
