// The stable tile: where each key of a block's tile belongs when the tile is ordered by a digit of up to 8 bits, equal
// digits in their input order. A part of kernels: it neither loads nor stores keys, and knows nothing of their bases.
//
// A tile's positions are warp-striped: warp w holds rows of 32 neighbouring keys, row i of it is item i of its lanes,
//
//   position(i) = (w · Items + i) · 32 + lane
//
// so that warps, rows, lanes are the input's order. Two steps:
//
//   count   each warp counts its digits in a table of its own (adding 1 without asking for the result, which the
//           hardware does for equal addresses of a warp at once); column sums over the warps are the tile's totals,
//           announced at once, since others wait for them; their scan and the sums before a warp turn its table into
//           the places of its first keys
//                                                                   count[warp][digit], partial[group][digit],
//                                                                   offset[digit]
//   rank    row by row: every lane learns which lanes of the row have its digit; a key's place is the table's entry
//   plus
//           its equals in lower lanes, and the lowest of them moves the entry on
//
// Lanes with one digit find each other by eight ballots, one for each bit of the digit (simt::match_bits): 12
// instructions of the integer units and no access to shared storage, which passes waited for before. Or, in every other
// row (row_peers::alternating), by votes: every lane sets its bit in the digit's word of a table, reads the word back,
// and the lowest clears it, three accesses with the conflicts of 32 random digits. That balances the two pipes where
// pairs of 4-byte keys and values stream from memory: ballots alone are 5 % slower there, and a fifth quicker with
// 4-byte keys alone (docs/performance-log-gpu.md). A digit known to be frequent would collide in its word, lane by
// lane, so it goes by a ballot even then: either the one that the caller names (from its histogram) or the first key's,
// where a quarter of the warp's first row has it (sorted runs).
//
// Counting before ranking costs one access a key more than taking the counts from the ranks, and saves one (the ranks
// are places already); what it buys is that the totals are known, and the look-back under way, before the long part.
//
// Shared storage: 1 KB a warp, 2 where rows alternate, and 3 to 5 KB. Barriers: 4, all in count.
#pragma once

#include "primitives/warp_scan.hpp"

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

/// How the lanes of a row with equal digits find each other.
enum class row_peers { by_ballots, alternating };

template <unsigned Threads, int Items, row_peers Peers = row_peers::by_ballots>
struct stable_tile {
  static constexpr unsigned radix = 256, warps = Threads / simt::warp_size, groups = Threads / radix;
  static constexpr unsigned rows = warps / groups; // of the counters' table, that one thread adds up
  static constexpr unsigned size = Threads * unsigned(Items);
  static constexpr bool votes = Peers == row_peers::alternating;
  static constexpr std::uint32_t no_digit = ~0u;
  static_assert(Threads % radix == 0 && size <= 65536, "a thread a digit at least, places of 16 bits");

  struct storage {
    alignas(16) simt::shared_array<std::uint32_t, warps * radix> count;
    simt::shared_array<std::uint32_t, votes ? warps * radix : 1> vote;
    alignas(16) simt::shared_array<std::uint32_t, groups * radix> partial;
    alignas(16) simt::shared_array<std::uint32_t, radix> offset; ///< place of the digit's first key, after count
  };

  static SORTILE_DEVICE std::uint32_t position(int i) {
    return (simt::warp_index() * unsigned(Items) + unsigned(i)) * simt::warp_size + simt::lane_index();
  }

  /// Once, before the first tile; no barrier is needed before the first count.
  static SORTILE_DEVICE void begin(storage& s) {
    for (unsigned i = simt::thread_index(); votes && i < warps * radix; i += Threads)
      s.vote[i] = 0;
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
  static SORTILE_DEVICE void rank(storage& s, const packed_digits<Items>& digits, std::uint32_t frequent, Put put) {
    const unsigned mine = simt::warp_index() * radix, lane_bit = 1u << simt::lane_index();
    const std::uint32_t first = simt::shuffle(digits.get(0), 0);
    const bool run = simt::popcount(simt::ballot(digits.get(0) == first)) >= simt::warp_size / 4;
    const std::uint32_t hot = run ? first : frequent;
    const auto vote = [&](int i) {
      if (i < Items && !by_ballots(i) && digits.get(i) != hot)
        s.vote.fetch_or(mine + digits.get(i), lane_bit, simt::relaxed, simt::block_scope);
    };
    vote(0);
    simt::warp_barrier();
    SORTILE_UNROLL
    for (int i = 0; i < Items; ++i) {
      vote(i + 1);
      const std::uint32_t d = digits.get(i);
      unsigned peers = 0;
      if (by_ballots(i)) {
        peers = votes ? equal_digits(d) : simt::match_bits<8>(d);
      } else {
        const unsigned hot_lanes = simt::ballot(d == hot);
        peers = d == hot ? hot_lanes : s.vote.load(mine + d);
      }
      const std::uint32_t next = s.count.load(mine + d), below = simt::popcount(peers & simt::lanes_below());
      simt::warp_barrier();
      if (below == 0) {
        s.count[mine + d] = next + simt::popcount(peers);
        if (!by_ballots(i) && d != hot)
          s.vote[mine + d] = 0;
      }
      simt::warp_barrier();
      put(i, next + below);
    }
  }

 private:
  static constexpr bool by_ballots(int i) { return !votes || i % 2 == 1; }
  /// match_bits<8>, as the compiler makes it of ballots: quicker where every other row votes.
  static SORTILE_DEVICE unsigned equal_digits(std::uint32_t digit) {
    unsigned peers = ~0u;
    SORTILE_UNROLL
    for (unsigned b = 0; b < 8; ++b) {
      const bool one = (digit >> b & 1) != 0;
      const unsigned ones = simt::ballot(one);
      peers &= one ? ones : ~ones;
    }
    return peers;
  }
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
