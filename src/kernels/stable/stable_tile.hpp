// The stable tile: where each key of a block's tile belongs when the tile is ordered by a digit of up to 8 bits, equal
// digits in their input order. A part of kernels: it neither loads nor stores keys, and knows nothing of their bases.
//
// A tile's positions are warp-striped: warp w holds rows of 32 neighbouring keys, row i of it is item i of its lanes,
//
//   position(i) = (w · Items + i) · 32 + lane
//
// so the order of the input is by warp, then row, then lane. Two steps:
//
//   count   each warp counts its digits in a table of its own (lanes that add 1 to one address, and do not ask for
//           the result, take one access together). Column sums over the warps are the tile's totals, announced at
//           once, since others wait for them. Their scan, and the sums before a warp, turn its table into the
//           places of its first keys
//                                                                   count[warp][digit], partial[group][digit],
//                                                                   offset[digit]
//   rank    row by row: every lane learns which lanes of the row have its digit; a key's place is the table's entry
//           plus its equals in lower lanes, and the lowest of them moves the entry on
//
// Lanes with one digit find each other by eight ballots, one for each bit of the digit (simt::match_bits): 12
// instructions of the integer units and no access to shared storage, by which passes are bound, however skewed the
// digits are. Lane masks in a table of shared storage, for all rows or for every other one, were slower by a tenth and
// more (docs/performance-log-gpu.md).
//
// Counting before ranking costs one access per key more than taking the counts from the ranks, and saves one, since the
// ranks are places already. It pays because the totals are known, and the look-back is under way, before the ranking,
// which takes longest.
//
// Shared storage: 1 KB per warp, and 3 to 5 KB. Barriers: 4, all in count.
#pragma once

#include "primitives/warp_scan.hpp"
#include "primitives/warp_together.hpp"

namespace sortile::kernels::inline SORTILE_BACKEND {

/// Digits of a thread's items, four a register.
template <int Items>
class packed_digits {
 public:
  SORTILE_DEVICE void set(int i, std::uint32_t digit) {
    words_[i / 4] = i % 4 == 0 ? digit : words_[i / 4] | digit << (8 * (i % 4));
  }
  SORTILE_DEVICE std::uint32_t get(int i) const { return words_[i / 4] >> (8 * (i % 4)) & 255; }

 private:
  std::uint32_t words_[(Items + 3) / 4] = {};
};

/// Their places in a tile, two a register; set in order.
template <int Items>
class packed_places {
 public:
  SORTILE_DEVICE void set(int i, std::uint32_t place) {
    words_[i / 2] = i % 2 == 0 ? place : words_[i / 2] | place << 16;
  }
  SORTILE_DEVICE std::uint32_t get(int i) const { return i % 2 == 0 ? words_[i / 2] & 0xffff : words_[i / 2] >> 16; }

 private:
  std::uint32_t words_[(Items + 1) / 2] = {};
};

template <unsigned Threads, int Items>
struct stable_tile {
  static constexpr unsigned radix = 256, warps = Threads / simt::warp_size, groups = Threads / radix;
  static constexpr unsigned rows = warps / groups; // of the counters' table, that one thread adds up
  static constexpr unsigned size = Threads * unsigned(Items);
  static_assert(Threads % radix == 0 && size <= 65536, "a thread a digit at least, places of 16 bits");

  struct storage {
    alignas(16) simt::shared_array<std::uint32_t, warps * radix> count;
    alignas(16) simt::shared_array<std::uint32_t, groups * radix> partial;
    alignas(16) simt::shared_array<std::uint32_t, radix> offset; ///< place of the digit's first key, after count
  };

  static SORTILE_DEVICE std::uint32_t position(int i) {
    return (simt::warp_index() * unsigned(Items) + unsigned(i)) * simt::warp_size + simt::lane_index();
  }

  /// announce(digit, total) is called by one thread a digit as soon as the total is known.
  template <class Announce>
  static SORTILE_DEVICE void count(storage& s, const packed_digits<Items>& digits, Announce announce) {
    const unsigned t = simt::thread_index(), mine = simt::warp_index() * radix;
    SORTILE_UNROLL
    for (unsigned j = 0; j < radix / simt::warp_size; j += 4)
      simt::store_vector<4>(s.count, mine + j * simt::warp_size + 4 * simt::lane_index(), {{0, 0, 0, 0}});
    simt::warp_barrier();
    SORTILE_UNROLL
    for (int i = 0; i < Items; ++i)
      s.count.fetch_add(mine + digits.get(i), 1u, simt::relaxed, simt::block_scope);
    simt::block_barrier();
    std::uint32_t sum = 0;
    SORTILE_UNROLL
    for (unsigned j = 0; j < rows; ++j)
      sum += s.count.load((t / radix * rows + j) * radix + t % radix);
    s.partial[t] = sum;
    simt::block_barrier();
    if (t < radix) {
      std::uint32_t total = sum;
      SORTILE_UNROLL
      for (unsigned g = 1; g < groups; ++g)
        total += s.partial.load(g * radix + t);
      announce(t, total);
    }
    if (simt::warp_index() == warps - 1)
      scan(s);
    simt::block_barrier();
    spread(s);
    simt::block_barrier();
  }

  /// put(i, place) for each of the thread's items.
  template <class Put>
  static SORTILE_DEVICE void rank(storage& s, const packed_digits<Items>& digits, Put put) {
    const unsigned mine = simt::warp_index() * radix;
    primitives::warp_together();
    SORTILE_UNROLL
    for (int i = 0; i < Items; ++i) {
      const std::uint32_t d = digits.get(i);
      const unsigned peers = simt::match_bits<8>(d);
      const std::uint32_t next = s.count.load(mine + d), below = simt::popcount(peers & simt::lanes_below());
      simt::warp_barrier();
      if (below == 0)
        s.count[mine + d] = next + simt::popcount(peers);
      simt::warp_barrier();
      put(i, next + below);
    }
  }

 private:
  /// One warp, eight digits a lane.
  static SORTILE_DEVICE void scan(storage& s) {
    constexpr unsigned each = radix / simt::warp_size;
    const unsigned first = simt::lane_index() * each;
    simt::vec<std::uint32_t, 4> total[each / 4] = {};
    SORTILE_UNROLL
    for (unsigned g = 0; g < groups; ++g)
      SORTILE_UNROLL
    for (unsigned j = 0; j < each; ++j)
      total[j / 4][int(j % 4)] += s.partial.load(g * radix + first + j);
    std::uint32_t sum = 0;
    SORTILE_UNROLL
    for (unsigned j = 0; j < each; ++j)
      sum += total[j / 4][int(j % 4)];
    std::uint32_t running = primitives::warp_inclusive_scan(sum, primitives::plus{}) - sum;
    SORTILE_UNROLL
    for (unsigned j = 0; j < each; ++j) {
      const std::uint32_t here = total[j / 4][int(j % 4)];
      total[j / 4][int(j % 4)] = running;
      running += here;
    }
    SORTILE_UNROLL
    for (unsigned j = 0; j < each; j += 4)
      simt::store_vector<4>(s.offset, first + j, total[j / 4]);
  }

  /// Counts become places: the digit's offset, the groups before, the warps before within the group.
  static SORTILE_DEVICE void spread(storage& s) {
    const unsigned t = simt::thread_index(), group = t / radix, digit = t % radix;
    std::uint32_t before = s.offset.load(digit);
    SORTILE_UNROLL
    for (unsigned g = 0; g + 1 < groups; ++g)
      if (g < group)
        before += s.partial.load(g * radix + digit);
    SORTILE_UNROLL
    for (unsigned j = 0; j < rows; ++j) {
      const unsigned at = (group * rows + j) * radix + digit;
      const std::uint32_t here = s.count.load(at);
      s.count[at] = before;
      before += here;
    }
  }
};

} // namespace sortile::kernels::inline SORTILE_BACKEND
