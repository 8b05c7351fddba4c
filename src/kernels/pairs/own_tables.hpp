// The tables of the partition of a short input, which every block makes for itself. Of two partitions the scan makes
// them, whose blocks meet for that (place_tables.hpp).
//
//   place[d]   pairs of smaller digits  +  pairs of digit d in chunks before the block's
//
// Up to a million pairs there is one partition, of up to 256 buckets in up to 132 chunks, and all counts together are
// 135 KB in the L2. Meetings of the scan's blocks take 2 to 3 µs; reading all counts in every block takes one or two.
// Block 0 writes what later launches need: where buckets begin, whether the pairs are sorted or descending, whether a
// bucket is too full.
//
//   slice     thread t adds up column t mod bins, over its run of rows     sums[t], befores[t]
//   column    thread d < bins adds up the slices; a scan over the columns
#pragma once

#include "kernels/pairs/pair_types.hpp"
#include "primitives/block_scan.hpp"

namespace sortile::kernels::inline SORTILE_BACKEND {

struct own_tables {
  static constexpr unsigned threads = 1024;
  using scan_storage = primitives::block_scan_storage<std::uint32_t, threads>;

  simt::global<const std::uint32_t> counts, order; // [rows][bins]; a word a chunk
  simt::global<std::uint32_t> start;
  pairs_gate gate;
  std::uint32_t n, bins, rows, capacity; // bins: a power of two, at most `threads`. capacity: of the local step
  bool made_here;                        // else the scan has made them

  /// Calls use(d, place) for each digit, by thread d; a block barrier has to pass before other threads read what use()
  /// has written. `scratch`: 2 · threads words of shared storage. False where there is nothing to do, the same in all
  /// threads and all blocks.
  template <class Use>
  SORTILE_DEVICE bool make(const simt::shared_view<std::uint32_t>& scratch, scan_storage& scan, Use use) const {
    if (gate.given_away_by_sample())
      return false;
    const unsigned t = simt::thread_index();
    const std::uint32_t in_all = order_of_chunks(order, rows);
    add_slices(scratch);
    simt::block_barrier();
    std::uint32_t all = 0, before = 0;
    if (t < bins)
      for (unsigned i = t; i < threads; i += bins) {
        all += scratch.load(i);
        before += scratch.load(threads + i);
      }
    const auto begin = primitives::block_exclusive_scan(scan, all, primitives::plus{}, 0u);
    const bool too_many = simt::block_any(all > capacity);
    if (t < bins)
      use(t, begin.before + before);
    if (simt::block_index() == 0)
      leave(begin.before, begin.total, in_all, too_many);
    return in_all == seen_both && !(gate.told.decides && too_many);
  }

 private:
  SORTILE_DEVICE void add_slices(const simt::shared_view<std::uint32_t>& scratch) const {
    const unsigned t = simt::thread_index(), slices = threads / bins, column = t & (bins - 1), slice = t / bins;
    const std::uint32_t each = (rows + slices - 1) / slices, first = slice * each;
    const std::uint32_t behind = first + each < rows ? first + each : rows, own = simt::block_index();
    std::uint32_t sum = 0, before = 0;
    for (std::uint32_t r = first; r < behind; ++r) {
      const std::uint32_t c = counts.load(std::uint64_t{r} * bins + column);
      sum += c;
      before += r < own ? c : 0;
    }
    scratch.store(t, sum);
    scratch.store(threads + t, before);
  }
  SORTILE_DEVICE void leave(std::uint32_t begin, std::uint32_t total, std::uint32_t in_all, bool too_many) const {
    const unsigned t = simt::thread_index();
    if (t < bins)
      start[t] = begin;
    if (t != 0)
      return;
    start[bins] = n;
    gate.findings[pair_order] = in_all;
    if (gate.told.decides && in_all == seen_both && too_many)
      gate.told.give_away();
    if (total != n)
      simt::trap(); // key_scan/packed_counters.hpp says why that is asked
  }
};

} // namespace sortile::kernels::inline SORTILE_BACKEND
