// Partitions tiles within themselves by splitters: each tile of a segment becomes a run of elements for each bucket,
// all in the order that they had (partition_tile.hpp), and its row says where each bucket begins in it. Whoever works
// on a bucket reads its part of every tile. No count comes first: elements are read once, searched for once, written
// once.
//
//   tile   b a c a c b a      becomes   a a a b b c c      row   0 3 5 7
//
// Cost, bytes an element of E: 2 E, and of the row 2 bytes for each bucket of a tile. Of its instructions half are the
// search and a third the ranks. Shared storage beside the tile's: the splitters.
#pragma once

#include "kernels/any_order/partition_tile.hpp"

namespace sortile::kernels::inline SORTILE_BACKEND {

template <class Arrays, class Less>
struct any_order_partition_within_kernel {
  using key = typename Arrays::key;
  using element = typename Arrays::element;
  using shape = partition_shape<element>;
  using partition = tile_partition<key, element>;
  static constexpr bool starts_early = true;
  static constexpr unsigned block_threads = shape::threads, min_blocks = sizeof(element) <= 8 ? 2 : 1;
  static constexpr int items = shape::items;
  using loaded = typename partition::loaded;

  struct shared {
    splitter_tree<key> splitters;
    partition tile;
    simt::shared_value<std::uint32_t> segment;
  };

  Arrays arrays;
  simt::global<element> records;
  bool is_first_level;
  segment_list segments;
  splitter_rows<key> rows;
  tile_rows<std::uint16_t> places;
  by_key<Less> less;

  SORTILE_DEVICE void operator()(shared& s) const {
    const std::uint32_t number = find_segment(s);
    if (number == no_segment)
      return;
    const segment all = segments.get(number);
    const std::uint64_t begin = (simt::block_index() - all.first_tile) * segments.tile;
    if (begin >= all.length)
      return;
    const bool are_equal = s.splitters.enter(rows, number);
    simt::block_barrier();
    const std::uint64_t left = all.length - begin, from = all.begin + begin;
    const unsigned length = left < segments.tile ? unsigned(left) : segments.tile;
    loaded tile;
    if (is_first_level)
      tile.load(from, length, [&](std::uint64_t i) { return arrays.load(i); });
    else
      tile.load(from, length, [&](std::uint64_t i) { return records.load(i); });
    std::uint32_t code[items]; // buckets, then places
    s.splitters.find(
        rows.bits, are_equal, tile.x, less, [&](int i) { return begin + loaded::position(i); }, code);
    s.tile.rank(rows.bits, length, code, [] {});
    s.tile.put(rows.bits, tile, code, [](std::uint32_t, std::uint32_t) {});
    simt::block_barrier();
    write(s, from, length);
  }

 private:
  static constexpr std::uint32_t no_segment = ~0u;

  /// The segment of this block's tile: the thread of that number sees it.
  SORTILE_DEVICE std::uint32_t find_segment(shared& s) const {
    if (segments.count == 1)
      return 0;
    if (simt::thread_index() == 0)
      s.segment = std::uint32_t{no_segment};
    simt::block_barrier();
    for (std::uint32_t i = simt::thread_index(); i < segments.count; i += simt::block_size()) {
      const segment each = segments.get(i);
      const std::uint64_t tile = simt::block_index();
      if (tile >= each.first_tile && tile < each.first_tile + (each.length + segments.tile - 1) / segments.tile)
        s.segment = i;
    }
    simt::block_barrier();
    return s.segment;
  }

  SORTILE_DEVICE void write(shared& s, std::uint64_t begin, std::uint32_t length) const {
    const unsigned t = simt::thread_index(), threads = simt::block_size();
    for (unsigned b = t; b < (1u << rows.bits) + 1; b += threads)
      places.store(simt::block_index(), b, s.tile.offset.load(b));
    loaded::for_each(length, [&](std::uint64_t p) { records.store(begin + p, s.tile.moved.elements.load(p)); });
  }
};

} // namespace sortile::kernels::inline SORTILE_BACKEND
