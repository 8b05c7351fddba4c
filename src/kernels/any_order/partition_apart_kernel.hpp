// Moves all elements to their buckets' places, which then lie one behind the other and are the segments of a second
// level; of each bucket all in the order that they had. A count before (count_buckets_kernel.hpp) has found the bucket
// of each element and what comes before each chunk. A block goes through the tiles of a chunk (partition_tile.hpp).
//
// Registers are for the ranks. So elements are asked for when a warp has its ranks, and come while the block adds up
// its counts; the next tile's buckets come while this tile is written.
//
// Cost, bytes an element of E: 2 E, and of the bucket 1 or 2. No comparison.
#pragma once

#include "kernels/any_order/partition_tile.hpp"

namespace sortile::kernels::inline SORTILE_BACKEND {

template <class Arrays>
struct any_order_partition_apart_kernel {
  using key = typename Arrays::key;
  using element = typename Arrays::element;
  using shape = partition_shape<element>;
  using partition = tile_partition<key, element>;
  static constexpr bool starts_early = true;
  static constexpr unsigned block_threads = shape::threads, min_blocks = sizeof(element) <= 8 ? 2 : 1;
  static constexpr int items = shape::items;
  using loaded = typename partition::loaded;

  struct shared {
    partition tile;
    simt::shared_array<std::uint32_t, partition::most> target; // where the next element of each bucket goes
    simt::shared_array<std::uint32_t, partition::most> shift;  // from an element's place in the tile to its target
    simt::shared_array<std::uint16_t, shape::most_tile> bucket_of;
  };

  Arrays arrays;
  simt::global<element> records;
  std::uint64_t n;
  unsigned bits;                            // of a bucket's number
  bucket_numbers found;                     // by element
  simt::global<const std::uint64_t> before; // [bucket][chunk], elements of the bucket in chunks before
  simt::global<const std::uint64_t> totals; // of each bucket
  simt::global<std::uint64_t> starts;       // of each bucket, and the end
  unsigned chunks, tiles_a_chunk;

  SORTILE_DEVICE void operator()(shared& s) const {
    find_targets(s);
    const std::uint32_t chunk = tiles_a_chunk * shape::most_tile, first = simt::block_index() * chunk;
    const std::uint32_t end = n - first < chunk ? std::uint32_t(n) : first + chunk;
    const auto length_at = [&](std::uint32_t begin) {
      return begin >= end ? 0 : end - begin < shape::most_tile ? end - begin : shape::most_tile;
    };
    std::uint32_t code[items]; // buckets, then places
    found.load(first, length_at(first), code);
    for (std::uint32_t begin = first; begin < end; begin += shape::most_tile) {
      const std::uint32_t length = length_at(begin);
      loaded tile;
      const auto load = [&] { tile.load_with_zeros(begin, length, [&](std::uint64_t i) { return arrays.load(i); }); };
      simt::block_barrier(); // the tile before has been written
      s.tile.rank(bits, length, code, load);
      if (const unsigned b = simt::thread_index(); b < 1u << bits) {
        const std::uint32_t target = s.target.load(b), offset = s.tile.offset.load(b);
        s.shift.store(b, target - offset);
        s.target.store(b, target + (s.tile.offset.load(b + 1) - offset));
      }
      s.tile.put(bits, tile, code,
                 [&](std::uint32_t place, std::uint32_t bucket) { s.bucket_of.store(place, std::uint16_t(bucket)); });
      found.load(begin + shape::most_tile, length_at(begin + shape::most_tile), code);
      simt::block_barrier();
      write(s, length);
    }
  }

 private:
  /// Where this chunk's elements of each bucket go. The first block leaves where buckets begin.
  SORTILE_DEVICE void find_targets(shared& s) const {
    const unsigned t = simt::thread_index(), buckets = 1u << bits;
    const std::uint32_t own = t < buckets ? std::uint32_t(totals.load(t)) : 0;
    const std::uint32_t lower = primitives::sum_of_lower_threads(s.tile.warp_total.view(), own);
    if (t < buckets)
      s.target.store(t, lower + std::uint32_t(before.load(std::uint64_t{t} * chunks + simt::block_index())));
    if (simt::block_index() == 0 && t < buckets) {
      starts.store(t, std::uint64_t{lower});
      if (t + 1 == buckets)
        starts.store(buckets, n);
    }
  }

  SORTILE_DEVICE void write(shared& s, std::uint32_t length) const {
    loaded::for_each(length, [&](std::uint64_t p) {
      const std::uint32_t target = s.shift.load(s.bucket_of.load(p)) + std::uint32_t(p);
      records.store(target, s.tile.moved.elements.load(p));
    });
  }
};

} // namespace sortile::kernels::inline SORTILE_BACKEND
