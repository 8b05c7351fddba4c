// Merging two sorted runs in parallel, as parts: co-ranks, the block that sorts a tile by merges, and the merge of a
// whole array along the merge path. merge_sort.cu tells their story and compares other ways to merge.
//
//   co_rank(k, a, b, before)   how many of the first k records of the merge come from a
//   merge_serially             some records of the merge, by one thread
//   sort_tiles_by_merging      tiles of up to 1024 records, one block each, in shared memory
//   merge_along_path           pairs of runs of an array, one tile of the output per block
//
// An order is a functor on keys: before(x, y) says whether x must come before y. Where neither must, the record of the
// left run comes first, and so every sort made of these parts is stable.
#pragma once

#include "classics/scan.hpp"

#include <algorithm>

namespace sortile::classics::inline SORTILE_BACKEND {

/// The order that the job asks for.
template <class Word>
struct by_image {
  key_codec<Word> codec;
  SORTILE_DEVICE bool operator()(Word x, Word y) const { return codec.image(x) < codec.image(y); }
};

/// A run in global memory.
template <class Word, bool Pairs>
struct run_in_memory {
  records<Word, Pairs> from;
  std::uint64_t first, count;
  SORTILE_DEVICE Word key(std::uint64_t i) const { return from.keys.load(first + i); }
  SORTILE_DEVICE record<Word, Pairs> load(std::uint64_t i) const { return from.load(first + i); }
};

/// A run in a padded tile of shared memory.
template <class Tile>
struct run_in_tile {
  const Tile& tile;
  unsigned first, count;
  SORTILE_DEVICE auto load(unsigned i) const { return tile.load(padded<32>(first + i)); }
  SORTILE_DEVICE auto key(unsigned i) const { return load(i).key; }
};

/// How many of the first k records of the merge of runs a and b are from a; k - co_rank of them are from b.
template <class Index, class A, class B, class Order>
SORTILE_DEVICE Index co_rank(Index k, const A& a, const B& b, const Order& before) {
  Index low = k > b.count ? static_cast<Index>(k - b.count) : 0, high = k < a.count ? k : static_cast<Index>(a.count);
  while (low < high) { // a[i] is among the first k unless b[k - 1 - i] comes before it
    const Index i = low + (high - low) / 2;
    if (before(b.key(k - 1 - i), a.key(i)))
      high = i;
    else
      low = i + 1;
  }
  return low;
}

/// How often that search compares two keys, which it reads: for those who look at steps.
template <class Index, class A, class B, class Order>
SORTILE_DEVICE std::uint32_t comparisons_of_co_rank(Index k, const A& a, const B& b, const Order& before) {
  std::uint32_t compared = 0;
  co_rank(k, a, b, [&](const auto& x, const auto& y) {
    ++compared;
    return before(x, y);
  });
  return compared;
}

/// The `count` records of the merge that begin with a[i] or b[j], one after another to emit(o, record); count <= Most.
/// Returns how many of them were from a.
template <unsigned Most, class Index, class A, class B, class Order, class Emit>
SORTILE_DEVICE unsigned merge_serially(const A& a, Index i, const B& b, Index j, unsigned count, const Order& before,
                                       const Emit& emit) {
  unsigned from_a = 0;
  SORTILE_UNROLL for (unsigned o = 0; o < Most; ++o) {
    if (o >= count)
      continue;
    const bool right = i >= a.count || (j < b.count && before(b.key(j), a.key(i)));
    emit(o, right ? b.load(j) : a.load(i));
    if (right) {
      ++j;
    } else {
      ++i;
      ++from_a;
    }
  }
  return from_a;
}

/// The two runs of which the record at `place` of the output is merged; the second is empty at the end of the array.
template <class Word, bool Pairs>
struct pair_of_runs {
  std::uint64_t begin;
  run_in_memory<Word, Pairs> a, b;
  std::uint64_t count;
  SORTILE_DEVICE pair_of_runs(const records<Word, Pairs>& from, std::uint64_t n, std::uint64_t run,
                              std::uint64_t place) {
    const auto until = [&](std::uint64_t end) { return end < n ? end : n; };
    begin = place & ~(2 * run - 1); // run: a power of two
    const std::uint64_t middle = until(begin + run), end = until(begin + 2 * run);
    a = {from, begin, middle - begin};
    b = {from, middle, end - middle};
    count = end - begin;
  }
};

/// A tile in shared memory, and each thread's neighbours of it in registers.
template <class Word, bool Pairs>
struct merge_tile {
  static constexpr unsigned threads = 256, keys = 4, elements = threads * keys;
  using record = classics::record<Word, Pairs>;
  simt::shared_array<record, padded<32>(elements)> tile;

  SORTILE_DEVICE void put(const record (&mine)[keys], unsigned count) {
    SORTILE_UNROLL for (unsigned k = 0; k < keys; ++k) if (k < count)
        tile.store(padded<32>(simt::thread_index() * keys + k), mine[k]);
  }
  /// Records of `to` from `first` on, coalesced.
  SORTILE_DEVICE void write(const records<Word, Pairs>& to, std::uint64_t first, unsigned count) const {
    for (unsigned i = simt::thread_index(); i < count; i += simt::block_size())
      to.store(first + i, tile.load(padded<32>(i)));
  }
};

/// Sorts tiles of `tile` records, a power of two from 4 to 1024, in place, a block each of tile / 4 threads: a thread
/// sorts four records in registers, then come merges of 4 with 4, 8 with 8, …; a thread finds by its co-rank which four
/// records of a merge are its own.
template <class Word, bool Pairs, class Order>
struct sort_tiles_by_merging {
  using storage = merge_tile<Word, Pairs>;
  static constexpr unsigned block_threads = storage::threads, keys = storage::keys, elements = storage::elements;
  struct shared : storage {};
  records<Word, Pairs> data;
  std::uint64_t n;
  Order before;
  unsigned tile;

  SORTILE_DEVICE void operator()(shared& s) const {
    const std::uint64_t first = std::uint64_t{simt::block_index()} * tile;
    const auto count = static_cast<unsigned>(n - first < tile ? n - first : tile);
    const unsigned begin = simt::thread_index() * keys, own = begin >= count         ? 0
                                                              : count - begin < keys ? count - begin
                                                                                     : keys;
    for (unsigned i = simt::thread_index(); i < count; i += simt::block_size())
      s.tile.store(padded<32>(i), data.load(first + i));
    simt::block_barrier();
    record<Word, Pairs> mine[keys] = {};
    SORTILE_UNROLL for (unsigned k = 0; k < keys; ++k) if (k < own) mine[k] = s.tile.load(padded<32>(begin + k));
    sort_own(mine, own);
    for (unsigned run = keys; run < count; run *= 2) {
      simt::block_barrier();
      s.put(mine, own);
      simt::block_barrier();
      const auto until = [&](unsigned end) { return end < count ? end : count; };
      const unsigned left = begin & ~(2 * run - 1), middle = until(left + run), right = until(left + 2 * run);
      if (own != 0) {
        using run_of = run_in_tile<decltype(s.tile)>;
        const run_of a{s.tile, left, middle - left}, b{s.tile, middle, right - middle};
        const unsigned k = begin - left, i = co_rank(k, a, b, before);
        merge_serially<keys>(a, i, b, k - i, own, before, [&](unsigned o, const auto& r) { mine[o] = r; });
      }
    }
    simt::block_barrier();
    s.put(mine, own);
    simt::block_barrier();
    s.write(data, first, count);
  }

 private:
  /// Odd-even transposition, in registers.
  SORTILE_DEVICE void sort_own(record<Word, Pairs> (&mine)[keys], unsigned own) const {
    SORTILE_UNROLL for (unsigned phase = 0; phase < keys; ++phase)
        SORTILE_UNROLL for (unsigned k = phase % 2; k + 1 < keys;
                            k += 2) if (k + 1 < own && before(mine[k + 1].key, mine[k].key)) {
      const record<Word, Pairs> greater = mine[k];
      mine[k] = mine[k + 1];
      mine[k + 1] = greater;
    }
  }
};

/// Merges pairs of runs, `piece` records of the output a block (at most 1024, and 2 * run a multiple of it). Two
/// threads find the co-ranks of the piece's ends, so that the block reads what it merges and nothing else.
template <class Word, bool Pairs, class Order>
struct merge_along_path {
  using storage = merge_tile<Word, Pairs>;
  static constexpr unsigned block_threads = storage::threads, keys = storage::keys, elements = storage::elements;
  struct shared : storage {
    simt::shared_array<std::uint64_t, 2> cut; // co-ranks of the piece's begin and end
  };
  records<Word, Pairs> from, to;
  std::uint64_t n;
  Order before;
  std::uint64_t run;
  unsigned piece;
  simt::global<std::uint32_t> told; // [3 blocks]: the co-rank of each piece's begin, comparisons, loads; or empty

  SORTILE_DEVICE void operator()(shared& s) const {
    const unsigned t = simt::thread_index();
    const std::uint64_t first = std::uint64_t{simt::block_index()} * piece;
    const pair_of_runs<Word, Pairs> runs(from, n, run, first);
    const std::uint64_t k = first - runs.begin, end = k + piece < runs.count ? k + piece : runs.count;
    if (t < 2)
      s.cut[t] = co_rank(t == 0 ? k : end, runs.a, runs.b, before);
    simt::block_barrier();
    const std::uint64_t i = s.cut.load(0), j = k - i;
    const auto of_a = static_cast<unsigned>(s.cut.load(1) - i), count = static_cast<unsigned>(end - k);
    if (t == 0 && told.data() != nullptr) {
      const unsigned block = simt::block_index(), blocks = simt::grid_size();
      told.store(block, static_cast<std::uint32_t>(i));
      told.store(blocks + block, comparisons_of_co_rank(k, runs.a, runs.b, before) +
                                     comparisons_of_co_rank(end, runs.a, runs.b, before));
      told.store(2 * blocks + block, count);
    }
    for (unsigned x = t; x < count; x += simt::block_size())
      s.tile.store(padded<32>(x), x < of_a ? runs.a.load(i + x) : runs.b.load(j + (x - of_a)));
    simt::block_barrier();
    record<Word, Pairs> mine[keys] = {};
    const unsigned begin = t * keys, own = begin >= count ? 0 : count - begin < keys ? count - begin : keys;
    if (own != 0) {
      using run_of = run_in_tile<decltype(s.tile)>;
      const run_of a{s.tile, 0, of_a}, b{s.tile, of_a, count - of_a};
      const unsigned from_a = co_rank(begin, a, b, before);
      merge_serially<keys>(a, from_a, b, begin - from_a, own, before, [&](unsigned o, const auto& r) { mine[o] = r; });
    }
    simt::block_barrier();
    s.put(mine, own);
    simt::block_barrier();
    s.write(to, first, count);
  }
};

/// Threads of a block that makes `piece` records, four a thread; at least the two that find its co-ranks.
inline unsigned threads_of_piece(unsigned piece) {
  return std::max(2u, piece / 4);
}

template <class Order, class Word, bool Pairs>
void sort_tiles(job& j, const records<Word, Pairs>& data, const Order& order, unsigned tile) {
  using kernel = sort_tiles_by_merging<Word, Pairs, Order>;
  const simt::launch_config tiles{.grid = blocks_for(j.asked.n, tile), .block = threads_of_piece(tile)};
  simt::launch(j.on.queue(), tiles, kernel{data, j.asked.n, order, tile});
  j.show("tiles of " + std::to_string(tile) + " sorted", untyped(data), j.asked.n, tile);
}

/// Merges runs of `run` records, a power of two, to one: merge(from, to, run, telling) makes each two of them one.
template <class Word, bool Pairs, class Merge>
void merge_up(job& j, records<Word, Pairs>& data, records<Word, Pairs>& spare, std::uint64_t run, const Merge& merge) {
  for (; run < j.asked.n; run *= 2) {
    telling t = j.tell("runs of " + std::to_string(run) + " merged");
    t.keys("runs", untyped(data), j.asked.n, run);
    merge(data, spare, run, t);
    std::swap(data, spare);
    t.moved("merged", untyped(data), j.asked.n, 0, 2 * run).from_runs("from run", run);
  }
}

/// One of the rows of `parts` numbers each that a merge told.
inline std::vector<std::uint32_t> told_row(const std::vector<std::uint32_t>& told, std::size_t row, std::size_t parts) {
  const auto begin = told.begin() + static_cast<std::ptrdiff_t>(row * parts);
  return {begin, begin + static_cast<std::ptrdiff_t>(parts)};
}

/// For --steps: `parts` pieces of `piece` records of the output, how many records before each are from the left run of
/// its merge, how many from the right one, and how many comparisons found that: the first two rows of what was told.
inline void tell_co_ranks(telling& t, const std::vector<std::uint32_t>& told, std::size_t parts, std::uint64_t run,
                          std::uint64_t piece, const char* who) {
  std::vector<std::uint64_t> places, from_b;
  const std::vector<std::uint32_t> from_a = told_row(told, 0, parts);
  for (std::uint64_t p = 0; p < parts; ++p) {
    places.push_back(p * piece % (2 * run));
    from_b.push_back(places.back() - from_a[p]);
  }
  t.numbers(std::string(who) + " begins at", places).in_table("co-ranks");
  t.numbers("of these from a", from_a).in_table("co-ranks");
  t.numbers("of these from b", from_b).in_table("co-ranks");
  t.numbers("comparisons", told_row(told, 1, parts)).in_table("co-ranks");
}

/// The merge of merge_up along the merge path, at most `tile` records of the output a block.
template <class Order, class Word, bool Pairs>
void launch_path_merge(job& j, const records<Word, Pairs>& from, const records<Word, Pairs>& to, const Order& order,
                       std::uint64_t run, unsigned tile, telling& t) {
  using kernel = merge_along_path<Word, Pairs, Order>;
  const unsigned piece = std::min(tile, kernel::elements), blocks = blocks_for(j.asked.n, piece);
  const device_array<std::uint32_t> told(j.on, t.is_read() ? 3 * blocks : 0);
  simt::launch(j.on.queue(), {.grid = blocks, .block = threads_of_piece(piece)},
               kernel{from, to, j.asked.n, order, run, piece, view(told)});
  if (!t.is_read())
    return;
  const std::vector<std::uint32_t> rows = told.to_host();
  tell_co_ranks(t, rows, blocks, run, piece, "block");
  t.numbers("loaded by block", told_row(rows, 2, blocks));
}

} // namespace sortile::classics::inline SORTILE_BACKEND
