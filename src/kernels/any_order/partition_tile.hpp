// Partitions a tile in shared storage by the bucket of each element, all in the order that they had: what the
// partitions within (partition_within_kernel.hpp) and apart (partition_apart_kernel.hpp) share.
//
// Ranks. Position p of a tile is item i of lane l of warp w, p = (w · items + i) · 32 + l, so the order of the input is
// by warp, then item, then lane. Item by item, a lane's rank among its warp's elements of the bucket is what the warp's
// counter says, plus the lanes below that have the same bucket (primitives/row_ranks.hpp). Then a counter becomes the
// place of the warp's first element of the bucket: the sum over lower buckets, and over the warps before.
//
// A block has at least as many threads as there are buckets; with fewer buckets tiles are smaller, so that there are
// enough of them.
//
// Shared storage: the tile, in the place of 6 bytes for each warp and bucket, and 4 bytes a bucket. Barriers of the
// block: 5 a tile. What a tile waits for is shared storage: its pipe is busy for two thirds to three quarters of the
// time, with some 35 rows of banks for 32 elements of which the place is searched, and 27 where it is known.
#pragma once

#include "kernels/any_order/segments.hpp"
#include "kernels/any_order/splitter_tree.hpp"
#include "primitives/block_scan.hpp"
#include "primitives/row_ranks.hpp"

namespace sortile::kernels::inline SORTILE_BACKEND {

/// Reads a tile: position p of it is item i of a thread.
template <class Element, int Items>
struct loaded_tile {
  Element x[Items];
  std::uint32_t length; // of the tile

  static SORTILE_DEVICE std::uint32_t most() { return simt::block_size() * unsigned(Items); }
  static SORTILE_DEVICE std::uint32_t position(int i) {
    return (simt::warp_index() * unsigned(Items) + unsigned(i)) * simt::warp_size + simt::lane_index();
  }
  /// A thread's item i exists where 32 i is less.
  static SORTILE_DEVICE std::uint32_t rest(std::uint32_t length) {
    return position(0) < length ? length - position(0) : 0;
  }
  /// at(i): of the array in which the tile begins at `begin`. Behind its end the last element stands for what is
  /// missing.
  template <class Load>
  SORTILE_DEVICE void load(std::uint64_t begin, std::uint32_t tile_length, Load at) {
    length = tile_length;
    const std::uint64_t first = begin + position(0);
    if (length == most()) {
      SORTILE_UNROLL
      for (int i = 0; i < Items; ++i)
        x[i] = at(first + unsigned(i) * simt::warp_size);
    } else {
      SORTILE_UNROLL
      for (int i = 0; i < Items; ++i)
        x[i] = at(begin + (position(i) < length ? position(i) : length - 1));
    }
  }
  /// Behind the tile's end are zeros: no element of the array, so nobody may compare them.
  template <class Load>
  SORTILE_DEVICE void load_with_zeros(std::uint64_t begin, std::uint32_t tile_length, Load at) {
    length = tile_length;
    const std::uint64_t first = begin + position(0);
    const std::uint32_t existing = rest(length);
    SORTILE_UNROLL
    for (int i = 0; i < Items; ++i)
      x[i] = unsigned(i) * simt::warp_size < existing ? at(first + unsigned(i) * simt::warp_size) : Element{};
  }
  /// Calls f(p), for each position p of a thread that the tile has.
  template <class F>
  static SORTILE_DEVICE void for_each(std::uint32_t length, F f) {
    const std::uint64_t first = position(0);
    if (length == most()) {
      SORTILE_UNROLL
      for (int i = 0; i < Items; ++i)
        f(first + unsigned(i) * simt::warp_size);
    } else {
      SORTILE_NO_UNROLL
      for (std::uint64_t p = first; p < length && p < first + Items * simt::warp_size; p += simt::warp_size)
        f(p);
    }
  }
};

/// Of each element the number of its bucket: a byte, where 8 bits suffice, or two.
struct bucket_numbers {
  simt::global<std::uint8_t> bytes;
  simt::global<std::uint16_t> words;
  bool are_bytes;

  /// Of a tile that begins at `begin`.
  template <int Items>
  SORTILE_DEVICE void load(std::uint64_t begin, std::uint32_t length, std::uint32_t (&bucket)[Items]) const {
    using tile = loaded_tile<std::uint32_t, Items>;
    const std::uint64_t first = begin + tile::position(0);
    const std::uint32_t existing = tile::rest(length);
    const auto each = [&](auto numbers) {
      SORTILE_UNROLL
      for (int i = 0; i < Items; ++i)
        bucket[i] = unsigned(i) * simt::warp_size < existing ? numbers.load(first + unsigned(i) * simt::warp_size) : 0;
    };
    if (are_bytes)
      each(bytes);
    else
      each(words);
  }
  SORTILE_DEVICE void store(std::uint64_t i, std::uint32_t bucket) const {
    if (are_bytes)
      bytes.store(i, std::uint8_t(bucket));
    else
      words.store(i, std::uint16_t(bucket));
  }
};

template <class Key, class Element>
struct tile_partition {
  using shape = partition_shape<Element>;
  static constexpr unsigned warps = shape::threads / simt::warp_size, most = splitter_shape<Key>::most;
  static constexpr int items = shape::items;
  using loaded = loaded_tile<Element, items>;
  static_assert(most <= shape::threads);
  static constexpr unsigned votes_from = warps * most / 2;

  union {
    simt::shared_array<std::uint32_t, votes_from + warps * most> words; // counts, then votes
    simt::shared_array<Element, shape::most_tile> elements;             // in their buckets
  } moved;
  simt::shared_array<std::uint32_t, most + 1> offset;  // where each bucket begins in the tile
  simt::shared_array<std::uint32_t, warps> warp_total; // of sum_of_lower_threads()

  /// Of a tile of `length` elements, of which code[i] is the bucket of item i, one of 2^bits: where buckets begin, and
  /// in code[i] beside the bucket the item's rank among its warp's elements of it. `meanwhile`: what a thread does when
  /// its own are ranked, before all are: to ask for what it needs next.
  template <class Meanwhile>
  SORTILE_DEVICE void rank(unsigned bits, std::uint32_t length, std::uint32_t (&code)[items], Meanwhile meanwhile) {
    const unsigned buckets = 1u << bits, mine = simt::warp_index() << bits;
    for (unsigned b = simt::lane_index(); b < buckets; b += simt::warp_size) {
      moved.words.store(votes_from + mine + b, 0u);
      if (b < buckets / 2)
        moved.words.store(mine / 2 + b, 0u);
    }
    simt::warp_barrier();
    using ranker = primitives::row_ranks<items, true, splitter_shape<Key>::most_bits>;
    const typename ranker::tables at{counts().subview(mine, buckets),
                                     moved.words.view().subview(votes_from + mine, buckets)};
    const auto put = [&code](int i, std::uint32_t rank) { code[i] |= rank << 16; };
    if (length == loaded::most() && !ranker::are_alike(code))
      ranker::find_by_votes(at, code, put);
    else
      ranker::find_some(
          at, code, [rest = loaded::rest(length)](int i) { return unsigned(i) * simt::warp_size < rest; }, put);
    meanwhile();
    simt::block_barrier();
    to_offsets(bits, length);
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
      const std::uint32_t place = counts().load(mine + b) + (code[i] >> 16);
      code[i] = b | place << 16;
    }
    simt::block_barrier();
    const std::uint32_t rest = loaded::rest(tile.length);
    SORTILE_UNROLL
    for (int i = 0; i < items; ++i)
      if (unsigned(i) * simt::warp_size < rest) {
        moved.elements.store(code[i] >> 16, tile.x[i]);
        placed(code[i] >> 16, code[i] & 0xffff);
      }
  }

 private:
  /// By warp and bucket.
  SORTILE_DEVICE simt::shared_view<std::uint16_t> counts() { return simt::view_as<std::uint16_t>(moved.words.view()); }
  /// Makes of each warp's count of a bucket the place of its first element in the tile. A thread has two neighbouring
  /// buckets, in the halves of a word. Reads are together, so that one does not wait for the write before.
  SORTILE_DEVICE void to_offsets(unsigned bits, std::uint32_t length) {
    constexpr unsigned together = shape::least_threads / simt::warp_size;
    const unsigned t = simt::thread_index(), active = simt::block_size() / simt::warp_size;
    const bool has_two = t < 1u << (bits - 1);
    const auto word = [=](unsigned warp) { return (warp << (bits - 1)) + t; };
    std::uint32_t both = 0;
    SORTILE_NO_UNROLL
    for (unsigned w = 0; has_two && w < active; w += together) {
      SORTILE_UNROLL
      for (unsigned k = 0; k < together; ++k)
        both += moved.words.load(word(w + k));
    }
    const std::uint32_t of_first = both & 0xffff,
                        lower = primitives::sum_of_lower_threads(warp_total.view(), of_first + (both >> 16));
    if (has_two) {
      offset.store(2 * t, lower);
      offset.store(2 * t + 1, lower + of_first);
    }
    if (t == 0)
      offset.store(1u << bits, length);
    std::uint32_t running = lower | (lower + of_first) << 16;
    SORTILE_NO_UNROLL
    for (unsigned w = 0; has_two && w < active; w += together) {
      std::uint32_t here[together];
      SORTILE_UNROLL
      for (unsigned k = 0; k < together; ++k)
        here[k] = moved.words.load(word(w + k));
      SORTILE_UNROLL
      for (unsigned k = 0; k < together; ++k) {
        moved.words.store(word(w + k), running);
        running += here[k];
      }
    }
  }
};

} // namespace sortile::kernels::inline SORTILE_BACKEND
