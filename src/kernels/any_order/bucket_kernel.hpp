// Sorts the buckets of segments whose tiles have been partitioned within (partition_within_kernel.hpp): each block a
// bucket.
//
// A block adds up its bucket's entries in the rows of the segment's tiles: that is the bucket's place and size. It
// gathers the bucket's part of every tile, a warp for each part, sorts it in shared storage, and writes it to the
// caller's output. A bucket that a block does not hold goes to the output as it is, and into the list of large buckets.
//
// Between equal splitters a bucket has elements of one key alone, which are in order as they come: frequent keys are
// not compared again.
//
// A thread merges more elements than where a block sorts all: a bucket is a quarter of what fits, and a bisection for
// few elements costs more than it spreads. So elements of up to 8 bytes have half as many threads where buckets are many.
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
  static constexpr unsigned block_threads = Threads, min_blocks = (sizeof(element) <= 8 ? 5 : 3) * 256 / Threads;
  struct shared {
    simt::shared_array<std::uint32_t, block_threads> starts, long_parts;
    simt::shared_value<std::uint32_t> long_count;
    primitives::block_scan_storage<std::uint32_t, block_threads> scan;
    primitives::block_scan_storage<std::uint64_t, block_threads> begin, size;
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
    const std::uint64_t tiles = (all.length + segments.tile - 1) / segments.tile;
    std::uint64_t begin = 0, size = 0;
    for (std::uint64_t i = t; i < tiles; i += block_threads) {
      const std::uint32_t first = places.load(all.first_tile + i, bucket);
      begin += first;
      size += places.load(all.first_tile + i, bucket + 1) - first;
    }
    begin = all.begin + primitives::block_reduce(s.begin, begin, primitives::plus{});
    size = primitives::block_reduce(s.size, size, primitives::plus{});
    if (size == 0)
      return;
    if (size > capacity)
      return pass_on(all, bucket, tiles, begin, size);
    primitives::two_halves<element> sorted{simt::dynamic_shared<element>(*this, 2 * capacity), 0, capacity};
    gather(s, all, bucket, tiles, sorted);
    if (!has_one_key(bucket))
      primitives::block_sort<shape::own>(sorted, s.starts.view(), std::uint32_t(size), less);
    simt::block_barrier();
    for (unsigned p = t; p < size; p += block_threads)
      arrays.store(begin + p, sorted.load(p));
  }

 private:
  /// Whether the splitters on both sides are equal. Behind the last one there is none.
  SORTILE_DEVICE bool has_one_key(std::uint32_t bucket) const {
    return bucket > 0 && last_equal.load(simt::block_index() - 1) != bucket - 1;
  }
  /// The bucket's parts one behind the other, in the order of the tiles; as many tiles at a time as there are threads.
  SORTILE_DEVICE void gather(shared& s, const segment& all, std::uint32_t bucket, std::uint64_t tiles,
                             const primitives::two_halves<element>& to) const {
    const unsigned t = simt::thread_index();
    std::uint32_t done = 0;
    for (std::uint64_t first = 0; first < tiles; first += block_threads) {
      std::uint32_t place = 0, length = 0;
      if (first + t < tiles) {
        place = places.load(all.first_tile + first + t, bucket);
        length = places.load(all.first_tile + first + t, bucket + 1) - place;
      }
      const auto prefix = primitives::block_exclusive_scan(s.scan, length, primitives::plus{}, done);
      s.starts.store(t, place | prefix.before << 16);
      done += prefix.total;
      simt::block_barrier();
      const unsigned parts = tiles - first < block_threads ? unsigned(tiles - first) : block_threads;
      copy_parts(s, all.begin + first * segments.tile, parts, done, to);
      simt::block_barrier();
    }
  }
  /// Parts of tiles from `source` on; `end`: where the last one ends in `to`. Where parts are short a warp copies
  /// several side by side; what is left of long ones, in sorted input, is copied by the whole block.
  SORTILE_DEVICE void copy_parts(shared& s, std::uint64_t source, unsigned parts, std::uint32_t end,
                                 const primitives::two_halves<element>& to) const {
    const unsigned t = simt::thread_index(), lane = t & ((1u << lane_bits) - 1);
    const unsigned short_part = 8u << lane_bits;
    if (t == 0)
      s.long_count = 0u;
    simt::block_barrier();
    for (unsigned part = t >> lane_bits; part < parts; part += block_threads >> lane_bits) {
      const auto p = part_of(s, source, part, parts, end);
      for (unsigned i = lane; i < p.length && i < short_part; i += 1u << lane_bits)
        to.put(p.target + i, records.load(p.from + i));
      if (p.length > short_part && lane == 0)
        s.long_parts.store(s.long_count.fetch_add(0, 1u, simt::relaxed, simt::block_scope), part);
    }
    simt::block_barrier();
    for (unsigned k = 0; k < s.long_count; ++k) {
      const auto p = part_of(s, source, s.long_parts.load(k), parts, end);
      for (unsigned i = t + short_part; i < p.length; i += block_threads)
        to.put(p.target + i, records.load(p.from + i));
    }
  }
  struct tile_part {
    std::uint64_t from;
    std::uint32_t target, length;
  };
  SORTILE_DEVICE tile_part part_of(shared& s, std::uint64_t source, unsigned part, unsigned parts,
                                   std::uint32_t end) const {
    const std::uint32_t code = s.starts.load(part), target = code >> 16;
    return {source + std::uint64_t{part} * segments.tile + (code & 0xffff), target,
            (part + 1 < parts ? s.starts.load(part + 1) >> 16 : end) - target};
  }
  SORTILE_DEVICE void pass_on(const segment& all, std::uint32_t bucket, std::uint64_t tiles, std::uint64_t begin,
                              std::uint64_t size) const {
    const unsigned t = simt::thread_index();
    if (t == 0) {
      const std::uint32_t slot = large.count.fetch_add(0, 1u);
      large.places.store(2 * slot, begin);
      large.places.store(2 * slot + 1, size);
    }
    std::uint64_t target = begin;
    for (std::uint64_t i = 0; i < tiles; ++i) {
      const std::uint32_t first = places.load(all.first_tile + i, bucket),
                          length = places.load(all.first_tile + i, bucket + 1) - first;
      for (unsigned p = t; p < length; p += block_threads)
        arrays.store(target + p, records.load(all.begin + i * segments.tile + first + p));
      target += length;
    }
  }
};

} // namespace sortile::kernels::inline SORTILE_BACKEND
