// A stable pass of LSD radix sort with coalesced writes, as a part: each block sorts its tile by the digit in shared
// memory, so that every bucket of the tile is one run, and runs are what is written. radix_buckets.cu tells the story.
//
//   split_tile       a stable partition of a tile by one bit, in shared memory
//   sort_tile        r of them: the tile sorted by a digit of r bits
//   sort_bucket      a part of the array that fits a tile, sorted by the bits that are left
//   bucket_pass      the pass over an array: sort tiles, scan the table of bucket sizes, write runs
//
// A thread works on `Keys` neighbours of the tile (coarsening); arrays in shared memory are padded by one unused record
// after every 32.
#pragma once

#include "classics/scan.hpp"

namespace sortile::classics::inline SORTILE_BACKEND {

/// What split_tile and sort_tile need in the kernel's shared storage.
template <class Word, bool Pairs, unsigned Threads, unsigned Keys>
struct tile_storage {
  static constexpr unsigned threads = Threads, keys = Keys, elements = Threads * Keys;
  using record = classics::record<Word, Pairs>;
  simt::shared_array<record, padded<32>(elements)> tile;
  simt::shared_array<std::uint32_t, padded<32>(Threads)> ones_before; // each thread
};

/// Records [first, first + count) of an array to the front of the tile. Followed by a barrier before they are read.
template <class Word, bool Pairs, unsigned Threads, unsigned Keys>
SORTILE_DEVICE void load_tile(tile_storage<Word, Pairs, Threads, Keys>& s, const records<Word, Pairs>& from,
                              std::uint64_t first, unsigned count) {
  for (unsigned i = simt::thread_index(); i < count; i += simt::block_size())
    s.tile.store(padded<32>(i), from.load(first + i));
}

/// Moves the records whose bit is 0 before those whose bit is 1; each group keeps its order. What lies beyond `count`
/// counts as ones, so it stays behind. By a block of Threads threads or fewer, a power of two, `Keys` records each.
/// Begins and ends with a barrier.
template <class Word, bool Pairs, unsigned Threads, unsigned Keys>
SORTILE_DEVICE void split_tile(tile_storage<Word, Pairs, Threads, Keys>& s, unsigned count,
                               const key_codec<Word>& codec, unsigned bit) {
  const unsigned t = simt::thread_index(), threads = simt::block_size(), elements = threads * Keys;
  constexpr unsigned room = Keys == 1 ? 2 : Keys; // g++ 12 fails on an array of one such record
  record<Word, Pairs> mine[room];                 // neighbours: t * Keys + k
  unsigned ones = 0;                              // mask
  simt::block_barrier();
  SORTILE_UNROLL for (unsigned k = 0; k < Keys; ++k) {
    const unsigned i = t * Keys + k;
    mine[k] = i < count ? s.tile.load(padded<32>(i)) : record<Word, Pairs>{};
    if (i >= count || ((codec.image(mine[k].key) >> bit) & 1) != 0)
      ones |= 1u << k;
  }
  s.ones_before[padded<32>(t)] = simt::popcount(ones);
  const unsigned all_ones = scan_block<32>(s.ones_before, threads);
  unsigned before = s.ones_before.load(padded<32>(t));
  SORTILE_UNROLL for (unsigned k = 0; k < Keys; ++k) {
    const unsigned i = t * Keys + k, one = (ones >> k) & 1;
    const unsigned to = one ? elements - all_ones + before : i - before;
    if (i < count)
      s.tile.store(padded<32>(to), mine[k]);
    before += one;
  }
  simt::block_barrier();
}

/// Sorts the tile by bits [first_bit, first_bit + bits) of the image, stably.
template <class Word, bool Pairs, unsigned Threads, unsigned Keys>
SORTILE_DEVICE void sort_tile(tile_storage<Word, Pairs, Threads, Keys>& s, unsigned count, const key_codec<Word>& codec,
                              unsigned first_bit, unsigned bits) {
  for (unsigned b = 0; b < bits; ++b)
    split_tile(s, count, codec, first_bit + b);
}

/// Sorts records [first, first + count), as many as the tile holds, by their lowest `bits` bits, from one array into
/// another (or the same), stably. By a whole block.
template <class Word, bool Pairs, unsigned Threads, unsigned Keys>
SORTILE_DEVICE void sort_bucket(tile_storage<Word, Pairs, Threads, Keys>& s, const records<Word, Pairs>& in,
                                const records<Word, Pairs>& out, std::uint64_t first, unsigned count,
                                const key_codec<Word>& codec, unsigned bits) {
  load_tile(s, in, first, count);
  simt::block_barrier();
  sort_tile(s, count, codec, 0, count > 1 ? bits : 0);
  for (unsigned i = simt::thread_index(); i < count; i += simt::block_size())
    out.store(first + i, s.tile.load(padded<32>(i)));
}

/// A digit of `bits` bits of the image, and how many values it has.
struct digit_place {
  unsigned first_bit, bits;
  SORTILE_HOST_DEVICE unsigned values() const { return 1u << bits; }
  template <class Word>
  SORTILE_DEVICE unsigned of(const key_codec<Word>& codec, Word key) const {
    return static_cast<unsigned>(codec.image(key) >> first_bit) & (values() - 1);
  }
};

inline constexpr unsigned most_digit_values = 256;

/// Finds where each bucket begins in a tile that is sorted by the digit: begin[v] and end[v], equal where the bucket is
/// empty. Begins and ends with a barrier.
template <class Storage, class Bounds, class Word>
SORTILE_DEVICE void find_buckets(Storage& s, Bounds& begin, Bounds& end, unsigned count, const key_codec<Word>& codec,
                                 const digit_place& digit) {
  for (unsigned v = simt::thread_index(); v < digit.values(); v += simt::block_size()) {
    begin[v] = 0;
    end[v] = 0;
  }
  simt::block_barrier();
  const auto digit_at = [&](unsigned i) { return digit.of(codec, s.tile.load(padded<32>(i)).key); };
  for (unsigned i = simt::thread_index(); i < count; i += simt::block_size()) {
    const unsigned v = digit_at(i);
    if (i == 0 || digit_at(i - 1) != v)
      begin[v] = i;
    if (i + 1 == count || digit_at(i + 1) != v)
      end[v] = i + 1;
  }
  simt::block_barrier();
}

/// Sorts each tile by the digit, in place, and writes the sizes of its buckets: row v of the table holds those of digit
/// value v, a column a tile. Scanned row by row, the table says where each bucket of each tile begins in the output.
template <class Word, bool Pairs, unsigned Keys>
struct sort_tiles_by_digit {
  static constexpr unsigned block_threads = 256, most_elements = block_threads * Keys;
  struct shared : tile_storage<Word, Pairs, block_threads, Keys> {
    simt::shared_array<unsigned, most_digit_values> begin, end;
  };
  records<Word, Pairs> data;
  std::uint64_t n;
  key_codec<Word> codec;
  digit_place digit;
  simt::global<std::uint32_t> table; // [digit values][tiles]
  unsigned tile;                     // records: at most Keys for each thread

  SORTILE_DEVICE void operator()(shared& s) const {
    const std::uint64_t first = std::uint64_t{simt::block_index()} * tile;
    const auto count = static_cast<unsigned>(n - first < tile ? n - first : tile);
    load_tile(s, data, first, count);
    sort_tile(s, count, codec, digit.first_bit, digit.bits);
    find_buckets(s, s.begin, s.end, count, codec, digit);
    for (unsigned v = simt::thread_index(); v < digit.values(); v += simt::block_size())
      table[std::uint64_t{v} * simt::grid_size() + simt::block_index()] = s.end.load(v) - s.begin.load(v);
    for (unsigned i = simt::thread_index(); i < count; i += simt::block_size())
      data.store(first + i, s.tile.load(padded<32>(i)));
  }
};

/// Writes the buckets of each sorted tile where the scanned table says. Neighbours of a bucket are neighbours in the
/// output, so that a warp's write is as many pieces as it sees buckets.
template <class Word, bool Pairs, unsigned Keys>
struct write_buckets {
  static constexpr unsigned block_threads = 256;
  struct shared : tile_storage<Word, Pairs, block_threads, Keys> {
    simt::shared_array<unsigned, most_digit_values> begin, end;
  };
  records<Word, Pairs> from, to;
  std::uint64_t n;
  key_codec<Word> codec;
  digit_place digit;
  simt::global<const std::uint32_t> table;
  unsigned tile;

  SORTILE_DEVICE void operator()(shared& s) const {
    const std::uint64_t first = std::uint64_t{simt::block_index()} * tile;
    const auto count = static_cast<unsigned>(n - first < tile ? n - first : tile);
    load_tile(s, from, first, count);
    simt::block_barrier();
    find_buckets(s, s.begin, s.end, count, codec, digit);
    for (unsigned i = simt::thread_index(); i < count; i += simt::block_size()) {
      const auto r = s.tile.load(padded<32>(i));
      const unsigned v = digit.of(codec, r.key);
      to.store(table.load(std::uint64_t{v} * simt::grid_size() + simt::block_index()) + i - s.begin.load(v), r);
    }
  }
};

/// Threads of the block that sorts a tile.
template <unsigned Keys>
unsigned threads_of_tile(unsigned tile) {
  return whole_warps(tile / Keys);
}

/// Passes over arrays of up to n records with digits of up to `bits` bits (at most 8), `tile` records a block (a power
/// of two, at most 256 Keys). Workspace: the table, 4 bytes a digit value for each tile.
template <class Word, bool Pairs, unsigned Keys>
class bucket_pass {
 public:
  static constexpr unsigned most_elements = sort_tiles_by_digit<Word, Pairs, Keys>::most_elements;

  bucket_pass(machine& on, std::uint64_t n, unsigned bits, unsigned tile = most_elements)
      : on_(on), tile_(std::min(tile, most_elements)), table_(on, std::uint64_t{blocks_for(n, tile_)} << bits),
        scan_(on, table_.size()) {}

  unsigned tile() const { return tile_; }

  /// `to` receives the n > 0 records of `from`, ordered by the digit, stably; tiles of `from` are sorted too.
  void operator()(const records<Word, Pairs>& from, const records<Word, Pairs>& to, std::uint64_t n,
                  const key_codec<Word>& codec, const digit_place& digit, telling& step) const {
    const unsigned tiles = blocks_for(n, tile_);
    const simt::launch_config config{.grid = tiles, .block = threads_of_tile<Keys>(tile_)};
    step.keys("keys", untyped(from), n, tile_);
    tell_threads<Keys>(step, n, tile_);
    simt::launch(on_.queue(), config,
                 sort_tiles_by_digit<Word, Pairs, Keys>{from, n, codec, digit, view(table_), tile_});
    step.keys("tiles sorted", untyped(from), n, tile_);
    const std::vector<std::uint32_t> sizes = tell_table(step, "sizes of buckets", tiles, digit, {});
    scan_(view(table_), view(table_), std::uint64_t{tiles} << digit.bits);
    tell_table(step, "where they begin", tiles, digit, sizes);
    simt::launch(on_.queue(), config, write_buckets<Word, Pairs, Keys>{from, to, n, codec, digit, view(table_), tile_});
    step.moved("buckets written", untyped(to), n, tile_);
  }

  /// After a pass: row v, column 0 is where bucket v begins in the output.
  const device_array<std::uint32_t>& table() const { return table_; }

 private:
  /// The rows of digit values that occur: of `sizes`, or where there are none of the table itself, which is returned.
  std::vector<std::uint32_t> tell_table(telling& step, const char* what, unsigned tiles, const digit_place& digit,
                                        const std::vector<std::uint32_t>& sizes) const {
    if (!step.is_read())
      return {};
    const std::vector<std::uint32_t> all = fetch(on_, view(table_), std::uint64_t{tiles} << digit.bits);
    const std::vector<std::uint32_t>& occurs = sizes.empty() ? all : sizes;
    for (unsigned v = 0; v < digit.values(); ++v) {
      const auto row = [&](const std::vector<std::uint32_t>& of) {
        const auto begin = of.begin() + std::ptrdiff_t{v} * tiles;
        return std::vector<std::uint32_t>(begin, begin + tiles);
      };
      if (const auto here = row(occurs); std::any_of(here.begin(), here.end(), [](auto size) { return size != 0; }))
        step.numbers("digit " + std::to_string(v), row(all)).in_table(what);
    }
    return all;
  }

  machine& on_;
  unsigned tile_;
  device_array<std::uint32_t> table_;
  single_pass_scan scan_;
};

/// All passes over bits [first_bit, first_bit + bits) of the image, `a_pass` bits each.
template <unsigned Keys, class Word, bool Pairs>
void sort_by_buckets(job& j, records<Word, Pairs>& data, records<Word, Pairs>& spare, const key_codec<Word>& codec,
                     unsigned a_pass, unsigned tile) {
  const std::uint64_t n = j.asked.n;
  if (n == 0)
    return;
  const bucket_pass<Word, Pairs, Keys> pass(j.on, n, a_pass, tile);
  for (unsigned bit = 0; bit < codec.bits; bit += a_pass) {
    const digit_place digit{bit, std::min(a_pass, codec.bits - bit)};
    telling step = j.tell(name_of_bits(bit, digit.bits));
    pass(data, spare, n, codec, digit, step);
    std::swap(data, spare);
  }
}

} // namespace sortile::classics::inline SORTILE_BACKEND
