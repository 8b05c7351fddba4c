// Moves all elements to their buckets' places, which then lie one behind the other and are the segments of a second
// level; of each bucket all in the order that they had. A count before (count_buckets_kernel.hpp) has found the bucket
// of each element and what comes before each chunk. A block goes through the tiles of a chunk (partition_tile.hpp).
//
// Cost, bytes an element of E: 2 E + 2. No comparison.
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
    simt::shared_array<std::uint64_t, partition::most> target; // where the next element of each bucket goes
    simt::shared_array<std::uint16_t, shape::most_tile> bucket_of;
  };

  Arrays arrays;
  simt::global<element> records;
  std::uint64_t n;
  unsigned bits;                            // of a bucket's number
  simt::global<const std::uint16_t> found;  // by element: its bucket
  simt::global<const std::uint64_t> before; // [bucket][chunk], elements of the bucket in chunks before
  simt::global<const std::uint64_t> totals; // of each bucket
  simt::global<std::uint64_t> starts;       // of each bucket, and the end
  unsigned chunks, tiles_a_chunk;

  SORTILE_DEVICE void operator()(shared& s) const {
    find_targets(s);
    std::uint64_t begin = std::uint64_t{simt::block_index()} * tiles_a_chunk * shape::most_tile;
    for (unsigned k = 0; k < tiles_a_chunk && begin < n; ++k, begin += shape::most_tile) {
      simt::block_barrier();
      const unsigned length = n - begin < shape::most_tile ? unsigned(n - begin) : shape::most_tile;
      std::uint32_t code[items]; // buckets, then places
      SORTILE_UNROLL
      for (int i = 0; i < items; ++i)
        code[i] = loaded::position(i) < length ? found.load(begin + loaded::position(i)) : 0;
      // Narrow elements are asked for before they are ranked; wide ones would take the registers of the ranks.
      constexpr bool is_narrow = sizeof(element) <= 4;
      loaded tile;
      const auto load = [&] { tile.load(length, [&](std::uint32_t p) { return arrays.load(begin + p); }); };
      if (is_narrow)
        load();
      s.tile.rank(bits, length, code);
      if (!is_narrow)
        load();
      s.tile.put(bits, tile, code,
                 [&](std::uint32_t place, std::uint32_t bucket) { s.bucket_of.store(place, std::uint16_t(bucket)); });
      simt::block_barrier();
      write(s, length);
    }
  }

 private:
  /// Where this chunk's elements of each bucket go. The first block leaves where buckets begin.
  SORTILE_DEVICE void find_targets(shared& s) const {
    const unsigned t = simt::thread_index(), buckets = 1u << bits;
    const std::uint64_t own = t < buckets ? totals.load(t) : 0;
    const std::uint64_t lower = s.tile.sum_of_lower(own);
    if (t < buckets)
      s.target.store(t, lower + before.load(std::uint64_t{t} * chunks + simt::block_index()));
    if (simt::block_index() == 0 && t < buckets) {
      starts.store(t, lower);
      if (t + 1 == buckets)
        starts.store(buckets, n);
    }
  }

  SORTILE_DEVICE void write(shared& s, std::uint32_t length) const {
    const unsigned t = simt::thread_index(), threads = simt::block_size();
    SORTILE_UNROLL
    for (int i = 0; i < items; ++i)
      if (const unsigned p = t + unsigned(i) * threads; p < length) {
        const std::uint32_t b = s.bucket_of.load(p);
        records.store(s.target.load(b) + (p - s.tile.offset.load(b)), s.tile.moved.elements.load(p));
      }
    simt::block_barrier();
    if (t < 1u << bits)
      s.target.store(t, s.target.load(t) + (s.tile.offset.load(t + 1) - s.tile.offset.load(t)));
  }
};

} // namespace sortile::kernels::inline SORTILE_BACKEND
