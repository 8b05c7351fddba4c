// Exercise: sort each block's keys first, then write runs. See coalesced-writes.md.
#include "classics/radix_buckets.hpp"

namespace sortile::classics {
namespace {

constexpr unsigned tile = 256;

/// Sorts each tile by one bit, in place, and counts its zeros and its ones.
template <class Word, bool Pairs>
struct sort_tiles {
  static constexpr unsigned block_threads = tile;
  struct shared : tile_storage<Word, Pairs, block_threads, 1> {
    simt::shared_array<unsigned, most_digit_values> begin, end;
  };
  records<Word, Pairs> data;
  std::uint64_t n;
  key_codec<Word> codec;
  digit_place bit;
  simt::global<std::uint32_t> table; // [2][tiles]: how many zeros, then how many ones each tile has

  SORTILE_DEVICE void operator()(shared& s) const {
    const std::uint64_t first = std::uint64_t{simt::block_index()} * tile;
    const auto count = static_cast<unsigned>(n - first < tile ? n - first : tile);
    load_tile(s, data, first, count);
    // Your turn: the tile has to be sorted by the bit here; split_tile() in radix_buckets.hpp does that.
    find_buckets(s, s.begin, s.end, count, codec, bit);
    for (unsigned v = simt::thread_index(); v < 2; v += block_threads)
      table[std::uint64_t{v} * simt::grid_size() + simt::block_index()] = s.end.load(v) - s.begin.load(v);
    for (unsigned i = simt::thread_index(); i < count; i += block_threads)
      data.store(first + i, s.tile.load(padded<32>(i)));
  }
};

/// Writes the two runs of each tile.
template <class Word, bool Pairs>
struct write_runs {
  static constexpr unsigned block_threads = tile;
  struct shared : tile_storage<Word, Pairs, block_threads, 1> {
    simt::shared_array<unsigned, most_digit_values> begin, end;
  };
  records<Word, Pairs> from, to;
  std::uint64_t n;
  key_codec<Word> codec;
  digit_place bit;
  simt::global<const std::uint32_t> table; // [2][tiles]: scanned row by row

  SORTILE_DEVICE void operator()(shared& s) const {
    const std::uint64_t first = std::uint64_t{simt::block_index()} * tile;
    const auto count = static_cast<unsigned>(n - first < tile ? n - first : tile);
    load_tile(s, from, first, count);
    simt::block_barrier();
    find_buckets(s, s.begin, s.end, count, codec, bit);
    for (unsigned i = simt::thread_index(); i < count; i += block_threads) {
      const auto r = s.tile.load(padded<32>(i));
      // Your turn: s.begin.load(v) is where bucket v begins in the tile; where does record i of the tile go?
      to.store(first + i, r);
    }
  }
};

template <class Word, bool Pairs>
void sort(job& j, records<Word, Pairs>& data, records<Word, Pairs>& spare, const key_codec<Word>& codec) {
  const std::uint64_t n = j.asked.n;
  if (n == 0)
    return;
  const simt::launch_config tiles{.grid = blocks_for(n, tile)};
  const device_array<std::uint32_t> table(j.on, 2 * blocks_for(n, tile));
  const single_pass_scan scan(j.on, table.size());
  for (unsigned bit = 0; bit < codec.bits; ++bit) {
    simt::launch(j.on.queue(), tiles, sort_tiles<Word, Pairs>{data, n, codec, {bit, 1}, view(table)});
    scan(view(table), view(table));
    simt::launch(j.on.queue(), tiles, write_runs<Word, Pairs>{data, spare, n, codec, {bit, 1}, view(table)});
    std::swap(data, spare);
  }
}

} // namespace

SORTILE_CLASSICS_OF(exercise) {
  return {{.name = "coalesced-writes", .family = "exercise", .stable = true, .tile = 256, .run = [](job& j) {
             with_records(j, [&](auto&... a) { sort(j, a...); });
           }}};
}

} // namespace sortile::classics
