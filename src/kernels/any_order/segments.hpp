// What the steps of a sort by splitters know of each other: the segments that a partition works on, and how a tile in
// buckets says where they begin.
//
// There is one segment, the array, or there are the buckets of a first partition, one behind the other. A segment is
// partitioned tile by tile, each tile within itself. Tiles are counted through all segments: segment s has the tiles
// from start(s) / tile + s on, so many as it needs, and none is counted twice.
//
//   row of a tile   where each bucket begins in the tile, and the tile's length
//
// Elements are fewer than 2^32, so places are added up, and divided, in 32 bits.
//
// So a bucket's elements in a tile lie between two entries of its row; the sum of the first over a segment's tiles is
// the bucket's place in the segment, since it counts all elements of lower buckets.
#pragma once

#include "kernels/any_order/elements.hpp"

namespace sortile::kernels::inline SORTILE_BACKEND {

template <class Element>
struct partition_shape {
  static constexpr unsigned threads = 512, least_threads = 128;
  static constexpr unsigned most_items = sizeof(Element) <= 4 ? 16 : 12; // as registers allow, of two blocks
  static constexpr unsigned fits = 64 * 1024 / (threads * unsigned(sizeof(Element)));
  static constexpr int items = int(fits < most_items ? fits : most_items);
  static constexpr unsigned most_tile = threads * unsigned(items);
  static_assert(items >= 1 && most_tile < 65536);
};

struct segment {
  std::uint64_t begin, length, first_tile;
};

struct segment_list {
  simt::global<const std::uint64_t> start; // of each, and the end; not read where there is one
  std::uint64_t n;
  std::uint32_t count;
  unsigned tile;

  SORTILE_DEVICE segment get(std::uint32_t s) const {
    if (count == 1)
      return {0, n, 0};
    const std::uint64_t begin = start.load(s);
    return {begin, start.load(s + 1) - begin, std::uint32_t(begin) / tile + s};
  }
  SORTILE_DEVICE std::uint32_t tiles_of(const segment& s) const { return (std::uint32_t(s.length) + tile - 1) / tile; }
  /// Tiles of all segments, at most.
  std::uint64_t tiles() const { return n / tile + count; }
};

/// The rows of all tiles.
template <class Place> // std::uint16_t or const
struct tile_rows {
  simt::global<Place> places;
  unsigned width;

  SORTILE_DEVICE Place load(std::uint64_t tile, std::uint32_t bucket) const {
    return places.load(tile * width + bucket);
  }
  SORTILE_DEVICE void store(std::uint64_t tile, std::uint32_t bucket, std::uint32_t place) const {
    places.store(tile * width + bucket, static_cast<std::uint16_t>(place));
  }
};

} // namespace sortile::kernels::inline SORTILE_BACKEND
