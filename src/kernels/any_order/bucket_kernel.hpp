// Sorts the buckets of segments whose tiles have been partitioned within (partition_within_kernel.hpp): each block a
// bucket.
//
// A block adds up its bucket's entries in the rows of the segment's tiles: that is the bucket's place and size. It
// gathers the bucket's part of every tile, sorts it in shared storage, and writes it to the caller's output. A bucket
// that a block does not hold goes to the output as it is, and into the list of large buckets.
//
// Gathering. The thread that has read a tile's row leaves where the part lies and where it goes; a few lanes copy a
// part, with up to three reads of up to four parts on their way, since a block waits for memory here and has nothing
// else to do.
//
// Between equal splitters a bucket has elements of one key alone, which are in order as they come: frequent keys are
// not compared again.
//
// A thread merges more elements than where a block sorts all: a bucket is a quarter of what fits, and a bisection for
// few elements costs more than it spreads. So elements of up to 8 bytes have half as many threads where buckets are
// many.
//
// Cost, bytes an element of E: 2 E, in parts of tile / buckets elements; of rows a sector for each part.
#pragma once

#include "kernels/any_order/segments.hpp"
#include "kernels/any_order/sort_shape.hpp"
#include "primitives/block_scan.hpp"

namespace sortile::kernels::inline SORTILE_BACKEND {

/// Buckets that blocks do not hold: their places and sizes in the output.
struct large_buckets {
  simt::global<std::uint32_t> count;
  simt::global<std::uint64_t> places; // [2 · i]: where bucket i begins, then its size
};

template <class Arrays, class Less, unsigned Threads>
struct any_order_bucket_kernel {
  using element = typename Arrays::element;
  using shape = sort_shape<element>;
  static constexpr bool starts_early = true;
  static constexpr unsigned block_threads = Threads, min_blocks = 3 * 256 / Threads; // as storage allows
  static constexpr int tiles_each = Threads <= 128 ? 2 : 1;         // a thread keeps the parts of so many
  static constexpr unsigned table = unsigned(tiles_each) * Threads; // parts gathered before others are looked at
  /// What a thread has on its way: elements of each part, and parts.
  static constexpr int reads = sizeof(element) <= 16 ? 3 : 1;
  static constexpr int parts_at_once = sizeof(element) <= 4 ? 4 : sizeof(element) <= 8 ? 2 : 1;
  struct shared {
    simt::shared_array<std::uint32_t, table> from; // by part: where it begins in the records; then the sort's
    simt::shared_array<std::uint32_t, table> to;   // by part: where it goes, and its length << 16
    simt::shared_array<std::uint16_t, table> long_parts;
    simt::shared_value<std::uint32_t> long_count;
    primitives::block_scan_storage<std::uint32_t, block_threads> scan, begin, size;
  };

  Arrays arrays;
  simt::global<const element> records;
  segment_list segments;
  tile_rows<const std::uint16_t> places;
  simt::global<const std::uint32_t> last_equal; // splitter_rows::last
  unsigned bits, lane_bits;                     // so many lanes copy a part of a tile
  unsigned capacity;                            // elements that a block has room for, in dynamic storage twice
  large_buckets large;
  by_key<Less> less;

  SORTILE_DEVICE void operator()(shared& s) const {
    const unsigned t = simt::thread_index();
    const segment all = segments.get(simt::block_index() >> bits);
    const std::uint32_t bucket = simt::block_index() & ((1u << bits) - 1);
    const std::uint32_t tiles = segments.tiles_of(all);
    tile_parts own;
    std::uint32_t begin = 0, size = 0;
    for (std::uint32_t first = 0; first < tiles; first += table) {
      own.read(*this, all, bucket, first, tiles);
      SORTILE_UNROLL
      for (int i = 0; i < tiles_each; ++i) {
        begin += own.place[i];
        size += own.length[i];
      }
    }
    begin = std::uint32_t(all.begin) + primitives::block_reduce(s.begin, begin, primitives::plus{});
    size = primitives::block_reduce(s.size, size, primitives::plus{});
    if (size == 0)
      return;
    if (size > capacity)
      return pass_on(all, bucket, tiles, begin, size);
    primitives::two_halves<element> sorted{simt::dynamic_shared<element>(*this, 2 * capacity), 0, capacity};
    gather(s, all, bucket, tiles, own, sorted);
    if (!has_one_key(bucket))
      primitives::block_sort<shape::own>(sorted, s.from.subview(0, block_threads), size, less);
    simt::block_barrier();
    for (unsigned p = t; p < size; p += block_threads)
      arrays.store(begin + p, sorted.load(p));
  }

 private:
  /// The bucket's parts of a thread's neighbouring tiles.
  struct tile_parts {
    std::uint32_t place[tiles_each], length[tiles_each];

    SORTILE_DEVICE void read(const any_order_bucket_kernel& k, const segment& all, std::uint32_t bucket,
                             std::uint32_t first, std::uint32_t tiles) {
      SORTILE_UNROLL
      for (int i = 0; i < tiles_each; ++i) {
        const std::uint32_t tile = first + simt::thread_index() * unsigned(tiles_each) + unsigned(i);
        place[i] = length[i] = 0;
        if (tile < tiles) {
          place[i] = k.places.load(all.first_tile + tile, bucket);
          length[i] = k.places.load(all.first_tile + tile, bucket + 1) - place[i];
        }
      }
    }
  };

  /// Whether the splitters on both sides are equal. Behind the last one there is none.
  SORTILE_DEVICE bool has_one_key(std::uint32_t bucket) const {
    return bucket > 0 && last_equal.load(simt::block_index() - 1) != bucket - 1;
  }
  /// The bucket's parts one behind the other, in the order of the tiles. `own`: those of the last tiles, which are all
  /// unless the table has room for fewer.
  SORTILE_DEVICE void gather(shared& s, const segment& all, std::uint32_t bucket, std::uint32_t tiles, tile_parts& own,
                             const primitives::two_halves<element>& to) const {
    const unsigned t = simt::thread_index();
    std::uint32_t done = 0;
    for (std::uint32_t first = 0; first < tiles; first += table) {
      if (tiles > table)
        own.read(*this, all, bucket, first, tiles);
      std::uint32_t target[tiles_each];
      SORTILE_UNROLL
      for (int i = 0; i < tiles_each; ++i)
        target[i] = own.length[i];
      const std::uint32_t total = primitives::block_exclusive_scan(s.scan, target, primitives::plus{}, done);
      SORTILE_UNROLL
      for (int i = 0; i < tiles_each; ++i) {
        const unsigned part = t * unsigned(tiles_each) + unsigned(i);
        s.from.store(part, std::uint32_t(all.begin) + (first + part) * segments.tile + own.place[i]);
        s.to.store(part, target[i] | own.length[i] << 16);
      }
      if (t == 0)
        s.long_count = 0u;
      done += total;
      simt::block_barrier();
      copy_parts(s, tiles - first < table ? tiles - first : table, to);
      simt::block_barrier();
    }
  }
  struct tile_part {
    std::uint32_t from, target, length;
  };
  SORTILE_DEVICE static tile_part part_of(shared& s, unsigned part) {
    const std::uint32_t code = s.to.load(part);
    return {s.from.load(part), code & 0xffff, code >> 16};
  }
  /// Where parts are short a warp copies several side by side; what is left of long ones, in sorted input, is copied by
  /// the whole block. Behind the last part the table has empty ones.
  SORTILE_DEVICE void copy_parts(shared& s, unsigned parts, const primitives::two_halves<element>& to) const {
    const unsigned t = simt::thread_index(), lanes = 1u << lane_bits, lane = t & (lanes - 1);
    const unsigned groups = block_threads >> lane_bits, short_part = 8 * lanes;
    for (unsigned first = t >> lane_bits; first < parts; first += groups * unsigned(parts_at_once)) {
      tile_part p[parts_at_once];
      element x[parts_at_once][reads];
      SORTILE_UNROLL
      for (int k = 0; k < parts_at_once; ++k) {
        p[k] = part_of(s, first + unsigned(k) * groups);
        SORTILE_UNROLL
        for (int i = 0; i < reads; ++i)
          if (const unsigned at = lane + unsigned(i) * lanes; at < p[k].length)
            x[k][i] = records.load(p[k].from + at);
      }
      SORTILE_UNROLL
      for (int k = 0; k < parts_at_once; ++k) {
        SORTILE_UNROLL
        for (int i = 0; i < reads; ++i)
          if (const unsigned at = lane + unsigned(i) * lanes; at < p[k].length)
            to.put(p[k].target + at, x[k][i]);
        for (unsigned at = lane + unsigned(reads) * lanes; at < p[k].length && at < short_part; at += lanes)
          to.put(p[k].target + at, records.load(p[k].from + at));
        if (p[k].length > short_part && lane == 0)
          s.long_parts.store(s.long_count.fetch_add(0, 1u, simt::relaxed, simt::block_scope),
                             std::uint16_t(first + unsigned(k) * groups));
      }
    }
    simt::block_barrier();
    for (unsigned k = 0; k < s.long_count; ++k) {
      const tile_part p = part_of(s, s.long_parts.load(k));
      for (unsigned i = t + short_part; i < p.length; i += block_threads)
        to.put(p.target + i, records.load(p.from + i));
    }
  }
  SORTILE_DEVICE void pass_on(const segment& all, std::uint32_t bucket, std::uint32_t tiles, std::uint32_t begin,
                              std::uint32_t size) const {
    const unsigned t = simt::thread_index();
    if (t == 0) {
      const std::uint32_t slot = large.count.fetch_add(0, 1u);
      large.places.store(2 * slot, std::uint64_t{begin});
      large.places.store(2 * slot + 1, std::uint64_t{size});
    }
    std::uint64_t target = begin;
    for (std::uint32_t i = 0; i < tiles; ++i) {
      const std::uint32_t first = places.load(all.first_tile + i, bucket),
                          length = places.load(all.first_tile + i, bucket + 1) - first;
      for (unsigned p = t; p < length; p += block_threads)
        arrays.store(target + p, records.load(all.begin + std::uint64_t{i} * segments.tile + first + p));
      target += length;
    }
  }
};

} // namespace sortile::kernels::inline SORTILE_BACKEND
