// Partitions by splitters: each tile of a segment becomes a run of elements for each bucket, all in the order that they
// had. Two forms:
//
//   within   the tile stays where it is, and its row says where each bucket begins in it. Whoever works on a bucket
//            reads its part of every tile. No count comes first: elements are read once, searched for once, written
//            once
//   apart    each part goes to its bucket's place among all elements, which a count before (count_buckets_kernel.hpp)
//            has found. Buckets then lie one behind the other, and are segments of a second level
//
//   tile     b a c a c b a      within: a a a b b c c      row: 0 3 5 7
//
// Ranks. Position p of a tile is item i of lane l of warp w, p = (w · items + i) · 32 + l, so the order of the input is
// by warp, then item, then lane. Item by item, a lane's rank among its warp's elements of the bucket is what the warp's
// counter says, plus the lanes below that have the same bucket (simt::match_bits); the lowest of these moves the
// counter on. Then counters become sums over the warps before, and over lower buckets.
//
// A block has at least as many threads as there are buckets; with fewer buckets tiles are smaller, so that there are
// enough of them.
//
// Cost, bytes an element of E: 2 E, and of the row 2 bytes for each bucket of a tile. Of its instructions half are the
// search and a third the ranks. Shared storage: the tile, in the place of 4 bytes for each warp and bucket; the
// splitters; 14 bytes a bucket and 2 an element. Barriers of the block: 7 a tile.
#pragma once

#include "kernels/any_order/segments.hpp"
#include "kernels/any_order/splitter_tree.hpp"
#include "primitives/warp_scan.hpp"

namespace sortile::kernels::inline SORTILE_BACKEND {

/// Reads a tile: position p of it is item i of a thread. Behind its end the last element stands for what is missing.
template <class Element, int Items>
struct loaded_tile {
  Element x[Items];
  std::uint32_t length; // of the tile

  static SORTILE_DEVICE std::uint32_t most() { return simt::block_size() * unsigned(Items); }
  static SORTILE_DEVICE std::uint32_t position(int i) {
    return (simt::warp_index() * unsigned(Items) + unsigned(i)) * simt::warp_size + simt::lane_index();
  }
  template <class Load>
  SORTILE_DEVICE void load(std::uint32_t tile_length, Load at) {
    length = tile_length;
    if (length == most()) {
      SORTILE_UNROLL
      for (int i = 0; i < Items; ++i)
        x[i] = at(position(i));
    } else {
      SORTILE_UNROLL
      for (int i = 0; i < Items; ++i)
        x[i] = at(position(i) < length ? position(i) : length - 1);
    }
  }
};

template <class Arrays, class Less>
struct any_order_partition_kernel {
  using key = typename Arrays::key;
  using element = typename Arrays::element;
  using shape = partition_shape<element>;
  using tree = splitter_tree<key>;
  static constexpr bool starts_early = true;
  static constexpr unsigned block_threads = shape::threads, min_blocks = sizeof(element) <= 8 ? 2 : 1;
  static constexpr unsigned warps = block_threads / simt::warp_size, most = tree::most;
  static constexpr int items = shape::items;
  using loaded = loaded_tile<element, items>;
  static_assert(most <= block_threads);

  struct shared {
    tree splitters;
    union {
      simt::shared_array<std::uint32_t, warps * most> counts; // [warp][bucket]
      simt::shared_array<element, shape::most_tile> elements; // in their buckets
    } moved;
    simt::shared_array<std::uint32_t, most + 1> offset; // where each bucket begins in the tile
    simt::shared_array<std::uint64_t, most> target;     // apart: where its next element goes
    simt::shared_array<std::uint16_t, shape::most_tile> bucket_of;
    simt::shared_array<std::uint64_t, warps> warp_total;
    simt::shared_value<std::uint32_t> segment;
  };

  Arrays arrays;
  simt::global<element> records;
  bool is_first_level, goes_apart;
  segment_list segments;
  splitter_rows<key> rows;
  tile_rows<std::uint16_t> places;          // within
  simt::global<const std::uint64_t> before; // apart: [bucket][chunk], elements of the bucket in chunks before
  simt::global<const std::uint64_t> totals; // apart: of each bucket
  simt::global<std::uint64_t> starts;       // apart: of each bucket, and the end
  unsigned chunks, tiles_a_chunk;           // apart: what a block has
  by_key<Less> less;

  SORTILE_DEVICE void operator()(shared& s) const {
    const std::uint32_t number = find_segment(s);
    if (number == no_segment)
      return;
    const segment all = segments.get(number);
    const std::uint64_t first =
        goes_apart ? std::uint64_t{simt::block_index()} * tiles_a_chunk : simt::block_index() - all.first_tile;
    const unsigned most_length = segments.tile;
    std::uint64_t begin = first * most_length;
    if (begin >= all.length)
      return;
    s.splitters.enter(rows, number);
    if (goes_apart)
      find_targets(s);
    for (unsigned k = 0; k < (goes_apart ? tiles_a_chunk : 1) && begin < all.length; ++k, begin += most_length) {
      simt::block_barrier();
      const std::uint64_t left = all.length - begin;
      loaded tile;
      const unsigned length = left < most_length ? unsigned(left) : most_length;
      const std::uint64_t from = all.begin + begin;
      if (is_first_level)
        tile.load(length, [&](std::uint32_t p) { return arrays.load(from + p); });
      else
        tile.load(length, [&](std::uint32_t p) { return records.load(from + p); });
      std::uint32_t code[items]; // buckets, then places
      s.splitters.find(
          rows.bits, tile.x, less, [&](int i) { return begin + loaded::position(i); }, code);
      rank(s, tile.length, code);
      put(s, tile, code);
      simt::block_barrier();
      if (goes_apart)
        write_apart(s, tile.length);
      else
        write_within(s, all.begin + begin, simt::block_index(), tile.length);
    }
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

  /// Where this chunk's elements of each bucket go. The first block leaves where buckets begin.
  SORTILE_DEVICE void find_targets(shared& s) const {
    const unsigned t = simt::thread_index(), buckets = 1u << rows.bits;
    const std::uint64_t own = t < buckets ? totals.load(t) : 0;
    const std::uint64_t lower = sum_of_lower(s, own);
    if (t < buckets)
      s.target.store(t, lower + before.load(std::uint64_t{t} * chunks + simt::block_index()));
    if (simt::block_index() == 0 && t < buckets) {
      starts.store(t, lower);
      if (t + 1 == buckets)
        starts.store(buckets, segments.n);
    }
  }

  /// The sum of the values of lower threads. A block barrier passes before and after the storage is used.
  SORTILE_DEVICE static std::uint64_t sum_of_lower(shared& s, std::uint64_t own) {
    const std::uint64_t up_to = primitives::warp_inclusive_scan(own, primitives::plus{});
    if (simt::lane_index() == simt::warp_size - 1)
      s.warp_total.store(simt::warp_index(), up_to);
    simt::block_barrier();
    std::uint64_t lower = up_to - own;
    for (unsigned w = 0; w < simt::warp_index(); ++w)
      lower += s.warp_total.load(w);
    return lower;
  }

  /// Buckets become places in the tile.
  SORTILE_DEVICE void rank(shared& s, std::uint32_t length, std::uint32_t (&code)[items]) const {
    const unsigned t = simt::thread_index(), buckets = 1u << rows.bits, mine = simt::warp_index() << rows.bits;
    auto& counts = s.moved.counts;
    for (unsigned b = simt::lane_index(); b < buckets; b += simt::warp_size)
      counts.store(mine + b, 0u);
    simt::warp_barrier();
    SORTILE_UNROLL
    for (int i = 0; i < items; ++i) {
      const bool exists = loaded::position(i) < length;
      const unsigned peers = simt::match_bits<splitter_shape<key>::most_bits>(code[i]) & simt::ballot(exists);
      const std::uint32_t next = counts.load(mine + code[i]), below = simt::popcount(peers & simt::lanes_below());
      simt::warp_barrier();
      if (below == 0 && exists)
        counts.store(mine + code[i], next + simt::popcount(peers));
      simt::warp_barrier();
      code[i] |= (next + below) << 16;
    }
    simt::block_barrier();
    std::uint32_t total = 0;
    if (t < buckets) {
      for (unsigned w = 0; w < simt::block_size() / simt::warp_size; ++w) {
        const unsigned at = (w << rows.bits) + t;
        const std::uint32_t here = counts.load(at);
        counts.store(at, total);
        total += here;
      }
    }
    const std::uint64_t lower = sum_of_lower(s, total);
    if (t < buckets)
      s.offset.store(t, std::uint32_t(lower));
    if (t == 0)
      s.offset.store(buckets, length);
    simt::block_barrier();
  }

  /// The tile's elements to their places.
  SORTILE_DEVICE void put(shared& s, const loaded& tile, std::uint32_t (&code)[items]) const {
    const unsigned mine = simt::warp_index() << rows.bits;
    SORTILE_UNROLL
    for (int i = 0; i < items; ++i) {
      const std::uint32_t b = code[i] & 0xffff;
      const std::uint32_t place = s.offset.load(b) + s.moved.counts.load(mine + b) + (code[i] >> 16);
      code[i] = b | place << 16;
    }
    simt::block_barrier();
    SORTILE_UNROLL
    for (int i = 0; i < items; ++i)
      if (loaded::position(i) < tile.length) {
        s.moved.elements.store(code[i] >> 16, tile.x[i]);
        if (goes_apart)
          s.bucket_of.store(code[i] >> 16, std::uint16_t(code[i]));
      }
  }

  SORTILE_DEVICE void write_within(shared& s, std::uint64_t begin, std::uint64_t row, std::uint32_t length) const {
    const unsigned t = simt::thread_index(), threads = simt::block_size();
    for (unsigned b = t; b < (1u << rows.bits) + 1; b += threads)
      places.store(row, b, s.offset.load(b));
    SORTILE_UNROLL
    for (int i = 0; i < items; ++i)
      if (const unsigned p = t + unsigned(i) * threads; p < length)
        records.store(begin + p, s.moved.elements.load(p));
  }
  SORTILE_DEVICE void write_apart(shared& s, std::uint32_t length) const {
    const unsigned t = simt::thread_index(), threads = simt::block_size();
    SORTILE_UNROLL
    for (int i = 0; i < items; ++i)
      if (const unsigned p = t + unsigned(i) * threads; p < length) {
        const std::uint32_t b = s.bucket_of.load(p);
        const std::uint64_t to = s.target.load(b) + (p - s.offset.load(b));
        if (to < segments.n) // always, unless `less` gave another answer than before
          records.store(to, s.moved.elements.load(p));
      }
    simt::block_barrier();
    if (t < 1u << rows.bits)
      s.target.store(t, s.target.load(t) + (s.offset.load(t + 1) - s.offset.load(t)));
  }
};

} // namespace sortile::kernels::inline SORTILE_BACKEND
