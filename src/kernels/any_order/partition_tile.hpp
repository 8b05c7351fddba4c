// Partitions a tile in shared storage by the bucket of each element, all in the order that they had: what the
// partitions within (partition_within_kernel.hpp) and apart (partition_apart_kernel.hpp) share.
//
// Ranks. Position p of a tile is item i of lane l of warp w, p = (w · items + i) · 32 + l, so the order of the input is
// by warp, then item, then lane. Item by item, a lane's rank among its warp's elements of the bucket is what the warp's
// counter says, plus the lanes below that have the same bucket (simt::match_bits); the lowest of these moves the
// counter on. Then counters become sums over the warps before, and over lower buckets.
//
// A block has at least as many threads as there are buckets; with fewer buckets tiles are smaller, so that there are
// enough of them.
//
// Shared storage: the tile, in the place of 4 bytes for each warp and bucket, and 4 bytes a bucket. Barriers of the
// block: 5 a tile.
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

template <class Key, class Element>
struct tile_partition {
  using shape = partition_shape<Element>;
  static constexpr unsigned warps = shape::threads / simt::warp_size, most = splitter_shape<Key>::most;
  static constexpr int items = shape::items;
  using loaded = loaded_tile<Element, items>;
  static_assert(most <= shape::threads);

  union {
    simt::shared_array<std::uint32_t, warps * most> counts; // [warp][bucket]
    simt::shared_array<Element, shape::most_tile> elements; // in their buckets
  } moved;
  simt::shared_array<std::uint32_t, most + 1> offset; // where each bucket begins in the tile
  simt::shared_array<std::uint64_t, warps> warp_total;

  /// The sum of the values of lower threads. A block barrier passes before and after the storage is used.
  SORTILE_DEVICE std::uint64_t sum_of_lower(std::uint64_t own) {
    const std::uint64_t up_to = primitives::warp_inclusive_scan(own, primitives::plus{});
    if (simt::lane_index() == simt::warp_size - 1)
      warp_total.store(simt::warp_index(), up_to);
    simt::block_barrier();
    std::uint64_t lower = up_to - own;
    for (unsigned w = 0; w < simt::warp_index(); ++w)
      lower += warp_total.load(w);
    return lower;
  }

  /// Of a tile of `length` elements, of which code[i] is the bucket of item i, one of 2^bits: where buckets begin, and
  /// in code[i] beside the bucket the item's rank among its warp's elements of it.
  SORTILE_DEVICE void rank(unsigned bits, std::uint32_t length, std::uint32_t (&code)[items]) {
    const unsigned t = simt::thread_index(), buckets = 1u << bits, mine = simt::warp_index() << bits;
    auto& counts = moved.counts;
    for (unsigned b = simt::lane_index(); b < buckets; b += simt::warp_size)
      counts.store(mine + b, 0u);
    simt::warp_barrier();
    SORTILE_UNROLL
    for (int i = 0; i < items; ++i) {
      const bool exists = loaded::position(i) < length;
      const unsigned peers = simt::match_bits<splitter_shape<Key>::most_bits>(code[i]) & simt::ballot(exists);
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
        const unsigned at = (w << bits) + t;
        const std::uint32_t here = counts.load(at);
        counts.store(at, total);
        total += here;
      }
    }
    const std::uint64_t lower = sum_of_lower(total);
    if (t < buckets)
      offset.store(t, std::uint32_t(lower));
    if (t == 0)
      offset.store(buckets, length);
    simt::block_barrier();
  }

  /// The tile's elements to their places, of each of which placed(place, bucket) is told; they are seen behind the next
  /// block barrier.
  template <class Placed>
  SORTILE_DEVICE void put(unsigned bits, const loaded& tile, std::uint32_t (&code)[items], Placed placed) {
    const unsigned mine = simt::warp_index() << bits;
    SORTILE_UNROLL
    for (int i = 0; i < items; ++i) {
      const std::uint32_t b = code[i] & 0xffff;
      const std::uint32_t place = offset.load(b) + moved.counts.load(mine + b) + (code[i] >> 16);
      code[i] = b | place << 16;
    }
    simt::block_barrier();
    SORTILE_UNROLL
    for (int i = 0; i < items; ++i)
      if (loaded::position(i) < tile.length) {
        moved.elements.store(code[i] >> 16, tile.x[i]);
        placed(code[i] >> 16, code[i] & 0xffff);
      }
  }
};

} // namespace sortile::kernels::inline SORTILE_BACKEND
