// Cuts segments that no block can hold into pieces that one can. It partitions all large segments together, into 256
// buckets at a time: by the highest eight bits of the image that are left, but whole segments of floats by their place
// in the range of a sample, which takes numbers of few magnitudes a level less. The number of levels depends on the
// keys, so this is one launch whose blocks are all resident: it ends at the first level that has no entry.
//
// A level
//
//   rows      each entry takes as many rows as it has stretches of row_elements: by one atomic addition; at the first
//             level the range of floats is found from 1024 of them
//   -------- the grid meets
//   count     a block a row: how many elements have each digit
//   -------- the grid meets
//   place     a block an entry: where each digit begins in the entry, and in each of its rows; pieces go to the lists
//   -------- the grid meets
//   move      a block a row, tile by tile: ranked, staged in shared storage, written in runs
//   -------- the grid meets
//
//   entry     [ row 0 | row 1 | row 2 ]     counts [row][digit], summed down each digit's column, in the rows' order
//   moved     [ 0…0 | 1…1 | … | 255…255 ]   digit d of row r begins at start[d] + the counts of d in the rows before r
//
// Pieces. Neighbouring small buckets that begin in the same stretch of 1792 places of the entry go together into one
// piece: pieces are sorted by the whole image, which is right for several buckets too. So a partition leaves at most 2
// L / 1792 + 2 pieces of L elements, whatever the keys. A bucket that is still too large for a block is an entry of the
// next level. What goes together need not be told apart when it is moved: its digits are ranked as the first of them,
// which makes the runs longer.
//
// Skew. Where all keys of an entry have one digit nothing moves: the entry goes to the next level as it is, which costs
// a read. Where no bit is left, all its keys are equal, and are copied to the output. So no input takes more than a
// read and a move for each 8 bits, and floats once more where a sample's range told nothing.
//
// Arrays. Entries of the input are moved to the spare array, from there to the output, and back to the spare array.
// Entries do not overlap, so one may lie in one array while its neighbour's pieces lie in another.
#pragma once

#include "kernels/segments/segment_moves.hpp"

namespace sortile::kernels::inline SORTILE_BACKEND {

/// The tables of a level.
struct segment_tables {
  simt::global<std::uint64_t> counts; // [rows][radix]: elements; then those in the rows before
  simt::global<std::uint64_t> starts; // [entries][radix]: where the digit begins in the entry, and what it is ranked as
  simt::global<std::uint32_t> first_row;
  simt::global<std::uint32_t> moves;    // [entries]
  simt::global<std::uint32_t> row_list; // [rows]: entry, number of the row in it
};

template <class Word, segment_elements Elements>
struct segment_large_kernel {
  using partition = detail::segment_partition;
  static constexpr std::uint32_t no_row = ~0u; ///< of entries for which there is no room, and of rows nobody has taken
  static constexpr bool starts_early = true;
  static constexpr unsigned block_threads = partition::threads, min_blocks = 1, radix = partition::radix;
  static constexpr unsigned warps = block_threads / simt::warp_size;
  using moves = segment_moves<Word, Elements>;
  static constexpr bool ranged = moves::floats;

  struct shared {
    typename moves::storage moved;
    simt::shared_array<std::uint64_t, radix> start; // of buckets in the entry
    primitives::block_scan_storage<std::uint64_t, block_threads> scan;
    simt::shared_value<std::uint32_t> first;
  };

  segment_arrays<Word> arrays;
  segment_lists lists;
  segment_list even, odd; ///< of the levels in turn
  segment_tables tables;
  simt::global<Word> ranges; ///< of the first level's entries: a sample's least and greatest images
  simt::global<std::uint32_t> control;
  std::uint64_t row_elements;
  std::uint32_t most_rows;
  bool copies; ///< keys that end in the input have to be copied to the output

  SORTILE_DEVICE void operator()(shared& s) const {
    for (unsigned level = 0; level < partition::most_levels; ++level) {
      segment_list now = level % 2 == 0 ? even : odd, next = level % 2 == 0 ? odd : even; // a register has no index
      now.counter = larges_found + level;
      next.counter = larges_found + level + 1;
      const std::uint32_t entries = now.size();
      if (entries == 0)
        return;
      take_rows(s, now, entries, level);
      simt::grid_barrier();
      const std::uint32_t taken = control.load(rows_taken + level), rows = taken < most_rows ? taken : most_rows;
      each_row(now, rows,
               [&](const segment_item& item, std::uint32_t entry, std::uint32_t row, std::uint64_t from,
                   std::uint64_t to) { count(s, item, digits(item, entry, level), row, from, to); });
      simt::grid_barrier();
      for (std::uint32_t e = simt::block_index(); e < entries; e += simt::grid_size())
        place(s, now.load(e), e, level, next);
      simt::grid_barrier();
      each_row(now, rows,
               [&](const segment_item& item, std::uint32_t entry, std::uint32_t row, std::uint64_t from,
                   std::uint64_t to) { move(s, item, entry, level, row, from, to); });
      simt::grid_barrier();
    }
  }

 private:
  using digit_of = typename moves::digit_of;
  SORTILE_DEVICE digit_of digits(const segment_item& item, std::uint32_t entry, unsigned level) const {
    if constexpr (ranged)
      if (level == 0) {
        const auto range = simt::load_vector<2>(ranges, std::uint64_t{entry} * 2);
        return digit_of::within(arrays, range[0], range[1]);
      }
    return digit_of::of(arrays, item);
  }

  SORTILE_DEVICE std::uint32_t rows_of(const segment_item& item) const {
    return std::uint32_t((item.length + row_elements - 1) / row_elements);
  }
  SORTILE_DEVICE void take_rows(shared& s, const segment_list& now, std::uint32_t entries, unsigned level) const {
    for (std::uint32_t e = simt::block_index(); e < entries; e += simt::grid_size()) {
      const segment_item item = now.load(e);
      const std::uint32_t rows = rows_of(item);
      if constexpr (ranged)
        if (level == 0)
          find_range(s, item, e);
      if (simt::thread_index() == 0) {
        s.first = control.fetch_add(rows_taken + level, rows);
        tables.first_row[e] = fits(s.first.load(0), rows) ? s.first.load(0) : no_row;
      }
      simt::block_barrier();
      const std::uint32_t first = s.first.load(0), entry = fits(first, rows) ? e : no_row;
      for (std::uint32_t r = simt::thread_index(); r < rows && first < most_rows && r < most_rows - first;
           r += block_threads)
        simt::store_vector<2>(tables.row_list, std::uint64_t{first + r} * 2, {{entry, r}});
      simt::block_barrier();
    }
  }
  /// A key a thread, so many apart. Ends with a barrier.
  SORTILE_DEVICE void find_range(shared& s, const segment_item& item, std::uint32_t entry) const {
    const std::uint64_t at = simt::thread_index() * ((item.length - 1) / (block_threads - 1));
    const std::uint64_t mine = digit_of::image(arrays, arrays.from(item.source).load(item.begin + at));
    const std::uint64_t least = primitives::block_reduce(s.scan, mine, primitives::minimum{});
    simt::block_barrier();
    const std::uint64_t greatest = primitives::block_reduce(s.scan, mine, primitives::maximum{});
    if (simt::thread_index() == 0)
      simt::store_vector<2>(ranges, std::uint64_t{entry} * 2, {{Word(least), Word(greatest)}});
    simt::block_barrier();
  }
  SORTILE_DEVICE bool fits(std::uint32_t first, std::uint32_t rows) const {
    return first < most_rows && rows <= most_rows - first;
  }
  /// f(entry, its number, row of the tables, begin and end within the entry).
  template <class F>
  SORTILE_DEVICE void each_row(const segment_list& now, std::uint32_t rows, F f) const {
    for (std::uint32_t row = simt::block_index(); row < rows; row += simt::grid_size()) {
      const auto at = simt::load_vector<2>(tables.row_list, std::uint64_t{row} * 2);
      if (at[0] == no_row)
        continue;
      const segment_item item = now.load(at[0]);
      const std::uint64_t from = at[1] * row_elements, to = from + row_elements;
      f(item, at[0], row, from, to < item.length ? to : item.length);
    }
  }

  SORTILE_DEVICE void count(shared& s, const segment_item& item, const digit_of& digit, std::uint32_t row,
                            std::uint64_t from, std::uint64_t to) const {
    if (item.bits_left == 0)
      return;
    const auto keys = arrays.from(item.source);
    const unsigned mine = simt::warp_index() * radix;
    for (unsigned i = simt::thread_index(); i < warps * radix; i += block_threads)
      s.moved.ranks.count[i] = 0;
    simt::block_barrier();
    constexpr unsigned ahead = 8;
    SORTILE_NO_UNROLL
    for (std::uint64_t first = from; first < to; first += ahead * block_threads) {
      Word k[ahead];
      SORTILE_UNROLL
      for (unsigned j = 0; j < ahead; ++j) {
        const std::uint64_t p = first + j * block_threads + simt::thread_index();
        k[j] = p < to ? keys.load(item.begin + p) : Word{0};
      }
      SORTILE_UNROLL
      for (unsigned j = 0; j < ahead; ++j)
        if (first + j * block_threads + simt::thread_index() < to)
          s.moved.ranks.count.fetch_add(mine + digit(k[j]), 1u, simt::relaxed, simt::block_scope);
    }
    simt::block_barrier();
    if (simt::thread_index() < radix) {
      std::uint64_t sum = 0;
      for (unsigned w = 0; w < warps; ++w)
        sum += s.moved.ranks.count.load(w * radix + simt::thread_index());
      tables.counts[std::uint64_t{row} * radix + simt::thread_index()] = sum;
    }
    simt::block_barrier();
  }

  SORTILE_DEVICE void place(shared& s, const segment_item& item, std::uint32_t e, unsigned level,
                            const segment_list& next) const {
    const unsigned d = simt::thread_index();
    if (tables.first_row.load(e) == no_row) { // of overlapping segments
      if (d == 0) {
        tables.moves[e] = 0;
        control.fetch_or(offsets_wrong, 1u);
      }
      return;
    }
    if (item.bits_left == 0) { // equal keys: a copy, where they are not in the output
      const bool there = item.source == segment_source::output ||
                         (item.source == segment_source::input && !copies && !arrays.values.make_indices);
      if (d == 0)
        tables.moves[e] = !there;
      return;
    }
    const std::uint64_t total = d < radix ? sum_column(tables.first_row.load(e), rows_of(item), d) : 0;
    const std::uint64_t start =
        primitives::block_exclusive_scan(s.scan, total, primitives::plus{}, std::uint64_t{0}).before;
    if (d < radix)
      s.start[d] = start;
    const bool one_bucket = simt::block_any(total == item.length);
    if (d == 0)
      tables.moves[e] = !one_bucket;
    segment_item piece = item;
    piece.bits_left = digits(item, e, level).bits_left(item, d);
    if (one_bucket) {
      if (total == item.length)
        next.add(piece);
    } else if (d < radix) {
      piece.source = segment_arrays<Word>::target(item.source);
      const bool first = begins_piece(s, d, total);
      add_piece(s, item, piece, d, first, total, next);
      // Digits of a piece are ranked as its first one: the last that begins one, up to this.
      const unsigned begun = simt::ballot(first) & (simt::lanes_below() | 1u << simt::lane_index());
      s.moved.as[d] = begun == 0 ? radix : d - simt::lane_index() + (31 - simt::leading_zeros(begun));
    }
    simt::block_barrier();
    if (d < radix && !one_bucket) {
      unsigned at = d; // in a warp whose first digits belong to a piece from before it
      while (s.moved.as.load(at) == radix)
        at = at / simt::warp_size * simt::warp_size - 1;
      tables.starts[std::uint64_t{e} * radix + d] = start | std::uint64_t{s.moved.as.load(at)} << as_bit;
    }
    simt::block_barrier();
  }
  static constexpr unsigned as_bit = 56;
  /// The counts of a digit in all rows of an entry become those of the rows before each; returns their sum.
  SORTILE_DEVICE std::uint64_t sum_column(std::uint32_t first, std::uint32_t rows, unsigned d) const {
    constexpr unsigned ahead = 8;
    std::uint64_t sum = 0;
    for (std::uint32_t r = 0; r < rows; r += ahead) {
      std::uint64_t here[ahead];
      SORTILE_UNROLL
      for (unsigned k = 0; k < ahead; ++k)
        here[k] = r + k < rows ? tables.counts.load(std::uint64_t{first + r + k} * radix + d) : 0;
      SORTILE_UNROLL
      for (unsigned k = 0; k < ahead; ++k)
        if (r + k < rows) {
          tables.counts[std::uint64_t{first + r + k} * radix + d] = sum;
          sum += here[k];
        }
    }
    return sum;
  }

  // ---- pieces ----

  SORTILE_DEVICE std::uint64_t end_of(shared& s, const segment_item& item, unsigned d) const {
    return d + 1 < radix ? s.start.load(d + 1) : item.length;
  }
  static SORTILE_DEVICE std::uint64_t stretch_of(std::uint64_t start) { return start / partition::group; }
  SORTILE_DEVICE bool is_large(shared& s, const segment_item& item, unsigned d) const {
    return end_of(s, item, d) - s.start.load(d) > partition::group;
  }
  /// Whether a piece begins with bucket d: one by itself, or the first of small ones that go together. An empty one
  /// begins none, unless it is the first.
  SORTILE_DEVICE bool begins_piece(shared& s, unsigned d, std::uint64_t total) const {
    return d == 0 || total > partition::group || stretch_of(s.start.load(d - 1)) != stretch_of(s.start.load(d));
  }
  /// By whole warps.
  SORTILE_DEVICE void add_piece(shared& s, const segment_item& item, segment_item piece, unsigned d, bool begins,
                                std::uint64_t total, const segment_list& next) const {
    const std::uint64_t start = s.start.load(d);
    piece.begin = item.begin + start;
    piece.length = begins ? total : 0;
    if (begins && total <= partition::group) {
      unsigned end = d + 1;
      while (end < radix && !is_large(s, item, end) && stretch_of(s.start.load(end)) == stretch_of(start))
        ++end;
      piece.length = end_of(s, item, end - 1) - start;
    }
    lists.add_by_warp(piece, 0);
    next.add_by_warp(piece.length > lists.classes.block(), piece);
  }

  // ---- moves ----

  SORTILE_DEVICE void move(shared& s, const segment_item& item, std::uint32_t entry, unsigned level, std::uint32_t row,
                           std::uint64_t from, std::uint64_t to) const {
    if (tables.moves.load(entry) == 0)
      return;
    if (item.bits_left == 0)
      return moves{arrays}.copy(item, from, to);
    const unsigned d = simt::thread_index();
    const std::uint64_t start = d < radix ? tables.starts.load(std::uint64_t{entry} * radix + d) : 0;
    const auto as = std::uint32_t(start >> as_bit);
    if (d < radix) {
      s.moved.as[d] = as;
      s.moved.base[d] = 0;
    }
    simt::block_barrier();
    if (d < radix)
      s.moved.base.fetch_add(as,
                             (as == d ? item.begin + (start & ((std::uint64_t{1} << as_bit) - 1)) : 0) +
                                 tables.counts.load(std::uint64_t{row} * radix + d),
                             simt::relaxed, simt::block_scope);
    moves{arrays}.move(s.moved, item, digits(item, entry, level), from, to);
  }
};

} // namespace sortile::kernels::inline SORTILE_BACKEND
