// Sort by counting, in one launch: the grid counts, meets, and fills.
//
//   clear      the tables in global memory
//   count      each block its share of the keys, into its own counters (narrow_counters.hpp)
//   publish    each block adds its counters to the tables, by rank            1 atomic a value that occurs
//   sum        16 bits: the keys of every 128 neighbouring ranks, a warp each
//   fill       each warp its share of the output (narrow_fill.hpp)
//
// Between these the grid meets at barriers, so the launch is cooperative. They cost some microseconds in all; a launch
// each would cost four. Blocks need not wait for the clearing before they count, unless a block has so many keys that
// it may count 2^15 of one value: then it writes to the tables early.
//
// Rows. A warp reads 32 vectors of 16 bytes at once and has four rows in registers or under way: when it has counted
// one, it asks for the fourth after it. Block 0 reads both ends of the keys, less than a row and two vectors, key by
// key.
//
// In place nothing is written before the grid has counted all keys. Only in place does it pay to ask whether they are
// in order already: to another array a copy would cost more than the fill. A warp that has seen disorder stops asking.
//
// Floats. Before the fill each block reads the counts of the two zeros and of all NaNs. Where both zeros occur, or two
// patterns of NaN, the verdict gives the keys to the fallback.
//
// Traffic: 2 sizeof(key) bytes per key; 132 blocks publish 8.6 million counters of 16-bit keys.
#pragma once

#include "kernels/narrow/narrow_fill.hpp"
#include "kernels/verdict.hpp"
#include "primitives/block_scan.hpp"

namespace sortile::kernels::inline SORTILE_BACKEND {

/// Where a sort by counting reads and writes, and what it tells.
template <class Word>
struct narrow_arrays {
  simt::global<const Word> in;
  simt::global<Word> out; ///< may be in
  narrow_count count;
  narrow_order<Word> order;
  verdict told;
  std::uint32_t in_shift, out_shift; ///< places from the last multiple of 16 bytes to the array's begin
  bool in_place;

  SORTILE_DEVICE void take() const {
    if (simt::block_index() == 0 && simt::thread_index() == 0)
      told.take();
  }
  SORTILE_DEVICE void give_away() const {
    if (told.decides && simt::block_index() == 0 && simt::thread_index() == 0)
      told.give_away();
  }
};

template <class Word>
struct count_sort_kernel {
  using counters = narrow_counters<Word>;
  static constexpr unsigned block_threads = counters::block_threads, min_blocks = counters::min_blocks;
  static constexpr unsigned warps = block_threads / simt::warp_size;
  static constexpr int vector = int(16 / sizeof(Word));
  static constexpr unsigned row_keys = simt::warp_size * unsigned(vector);
  static constexpr unsigned frequent_rounds = 8; // for which a frequent key is remembered
  using keys_vector = narrow_vector<Word>;
  using filler = narrow_fill<Word, block_threads>;
  using layout = typename filler::layout;

  struct shared {
    union {
      counters counting;
      typename filler::shared filling;
    };
    primitives::block_scan_storage<std::uint64_t, block_threads> scan;
    simt::shared_value<std::uint32_t> patterns;
  };

  narrow_arrays<Word> arrays;
  narrow_tables<Word> tables;

  SORTILE_DEVICE void operator()(shared& s) const {
    const std::uint64_t n = arrays.count.load();
    arrays.take();
    if (n == 0)
      return;
    // A block's share is at most a row a warp and the two ends larger than others'.
    const bool may_spill = counters::meets && n / simt::grid_size() >= 1u << (spill_bits - 1);
    tables.clear();
    s.counting.template clear<block_threads>();
    if (simt::thread_index() == 0)
      s.patterns = 0;
    meet(may_spill);
    const bool disorder = count(s, n);
    meet(!may_spill);
    publish(s, disorder);
    simt::grid_barrier();
    if (arrays.in_place && tables.disorder.load(0) == 0)
      return;
    if (arrays.order.is_float() && !single_patterns(s))
      return arrays.give_away();
    find_starts(s, n);
    filler{arrays.out, tables, arrays.order, arrays.out_shift, n}(s.filling);
  }

 private:
  static SORTILE_DEVICE void meet(bool grid) {
    if (grid)
      simt::grid_barrier();
    else
      simt::block_barrier();
  }

  /// Whether this warp has seen disorder.
  SORTILE_DEVICE bool count(shared& s, std::uint64_t n) const {
    const std::uint64_t head = arrays.in_shift == 0 ? 0 : unsigned(vector) - arrays.in_shift;
    const std::uint64_t first = head < n ? head : n, rows = (n - first) / row_keys;
    bool disorder = !arrays.in_place; // not asked
    count_rows(s, n, first, rows, disorder);
    if (simt::block_index() == 0)
      count_ends(s, n, first, first + rows * row_keys, disorder);
    return disorder;
  }
  SORTILE_DEVICE auto spilling() const {
    return [this](Word key) { tables.spills.fetch_add(arrays.order.rank(key), 1u); };
  }

  SORTILE_DEVICE void count_rows(shared& s, std::uint64_t n, std::uint64_t first, std::uint64_t rows,
                                 bool& disorder) const {
    // In keys: from a row of this warp to the next, to its vector in the first, to the end of all rows.
    const std::uint64_t stride = std::uint64_t{simt::grid_size()} * warps * row_keys, end = first + rows * row_keys;
    const std::uint64_t block_first = first + std::uint64_t{simt::block_index()} * warps * row_keys;
    std::uint64_t at = block_first + simt::thread_index() * unsigned(vector);
    keys_vector x[counting_rows];
    SORTILE_UNROLL
    for (unsigned k = 0; k < counting_rows; ++k)
      if (at + k * stride < end)
        x[k] = keys_vector::load(arrays.in, at + k * stride);
    typename counters::frequent_key frequent{};
    unsigned rounds = 0;
    // All of the block go on alike.
    for (std::uint64_t block_at = block_first; block_at < end; block_at += counting_rows * stride) {
      if (at < end) {
        if (rounds++ % frequent_rounds == 0)
          frequent = s.counting.find_frequent(x[0]);
        SORTILE_UNROLL
        for (unsigned k = 0; k < counting_rows; ++k, at += stride)
          if (at < end) {
            check_order(x[k], at, n, disorder);
            s.counting.add_row(x[k], frequent, spilling());
            if (at + counting_rows * stride < end)
              x[k] = keys_vector::load(arrays.in, at + counting_rows * stride);
          }
        s.counting.add_frequent(frequent, spilling());
      }
      if constexpr (counters::meets)
        simt::block_barrier();
    }
  }
  /// Keys before the first vector and behind the last row.
  SORTILE_DEVICE void count_ends(shared& s, std::uint64_t n, std::uint64_t head, std::uint64_t behind,
                                 bool& disorder) const {
    for (std::uint64_t i = simt::thread_index(); i < head + (n - behind); i += block_threads) {
      const std::uint64_t at = i < head ? i : behind + (i - head);
      const Word key = arrays.in.load(at);
      s.counting.add_key(key, spilling());
      disorder = disorder || (at + 1 < n && arrays.order.rank(arrays.in.load(at + 1)) < arrays.order.rank(key));
    }
  }
  /// This lane's vector of a row begins at key `at`; by whole warps, `disorder` the same in all lanes.
  SORTILE_DEVICE void check_order(const keys_vector& x, std::uint64_t at, std::uint64_t n, bool& disorder) const {
    if (disorder)
      return;
    Word next = simt::shuffle_down(x[0], 1);
    if (simt::lane_index() == simt::warp_size - 1)
      next = at + unsigned(vector) < n ? arrays.in.load(at + unsigned(vector)) : x[vector - 1];
    bool falls = arrays.order.rank(next) < arrays.order.rank(x[vector - 1]);
    SORTILE_UNROLL
    for (int e = 1; e < vector; ++e)
      falls |= arrays.order.rank(x[e]) < arrays.order.rank(x[e - 1]);
    disorder = simt::warp_any(falls);
  }

  SORTILE_DEVICE void publish(shared& s, bool disorder) const {
    // Blocks that come from a barrier together had better not add to the same words.
    s.counting.template each<block_threads>(
        simt::block_index(), [&](Word key, std::uint64_t keys) { tables.add(arrays.order.rank(key), keys); });
    if (arrays.in_place && simt::warp_any(disorder) && simt::lane_index() == 0)
      tables.disorder.fetch_or(0, 1u);
  }

  SORTILE_DEVICE bool single_patterns(shared& s) const {
    const auto present = [&](std::uint32_t rank) { return tables.present(rank); };
    const unsigned nans = arrays.order.nans(simt::thread_index(), block_threads, present);
    if (nans != 0)
      s.patterns.fetch_add(0, nans, simt::relaxed, simt::block_scope);
    simt::block_barrier();
    return s.patterns <= 1 && !arrays.order.both_zeros(present);
  }

  /// Where every chunk's keys begin.
  SORTILE_DEVICE void find_starts(shared& s, std::uint64_t n) const {
    const unsigned t = simt::thread_index();
    auto& start = s.filling.start;
    if constexpr (layout::chunks <= warps) {
      if (simt::warp_index() < layout::chunks)
        if (const std::uint64_t keys = tables.sum(simt::warp_index()); simt::lane_index() == 0)
          start[simt::warp_index()] = keys;
      simt::block_barrier();
    } else {
      for (std::uint32_t c = simt::warp_index() * simt::grid_size() + simt::block_index(); c < layout::chunks;
           c += simt::grid_size() * warps)
        if (const std::uint64_t keys = tables.sum(c); simt::lane_index() == 0)
          tables.sums[c] = keys;
      simt::grid_barrier();
    }
    static_assert(layout::chunks <= block_threads);
    std::uint64_t mine = 0;
    if (t < layout::chunks)
      mine = layout::chunks <= warps ? start.load(t) : tables.sums.load(t);
    const std::uint64_t before =
        primitives::block_exclusive_scan(s.scan, mine, primitives::plus{}, std::uint64_t{0}).before;
    if (t < layout::chunks)
      start[t] = before;
    if (t == 0)
      start[layout::chunks] = n;
    simt::block_barrier();
  }
};

} // namespace sortile::kernels::inline SORTILE_BACKEND
