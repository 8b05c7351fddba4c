// Ranks the digits of a block's keys: where each key would stand if the block were sorted by its digit.
//
// Keys are arranged warp by warp, so that global loads coalesce and the order is easy to say:
//
//   item i of lane l of warp w   stands at   w·32·Items + i·32 + l   in the order that a stable sort keeps
//
// Three forms, chosen at compile time:
//
//   match     stable     lanes with equal digits find each other by match_any
//   ballot    stable     the same, by one ballot per bit: more instructions, of a cheaper kind
//   atomics   unstable   one atomic per key on counters of the whole block: equal digits come in any order, and in
//                        another on the next run
//
// The stable forms count digits per warp, row by row of 32 keys (the idea of Ha, Krüger and Silva's implicit counting,
// 2009, in the shape that Adinets and Merrill's Onesweep, 2022, gave it): of the lanes with equal digits the lowest
// adds their number to the warp's counter and hands the old value around; a lane's rank within the warp is that old
// value plus the equal lanes below. Then the counters become offsets: over warps for each digit, and over digits for
// the block.
//
// Shared storage: 4 bytes per digit, times the warps for the stable forms. Block barriers: 5.
// Absent keys of a partial tile take the largest digit; standing last, they are ranked last.
#pragma once

#include "primitives/block_scan.hpp"

namespace sortile::primitives::inline SORTILE_BACKEND {

enum class ranking { match, ballot, atomics };

/// The lanes of the warp whose digit is this lane's.
template <ranking Form, unsigned DigitBits>
SORTILE_DEVICE unsigned lanes_with_digit(unsigned digit) {
  if constexpr (Form == ranking::match) {
    return simt::match_any(digit);
  } else {
    unsigned peers = simt::full_warp;
    SORTILE_UNROLL
    for (unsigned b = 0; b < DigitBits; ++b)
      peers &= simt::match_bit(digit, b);
    return peers;
  }
}

template <unsigned Threads, int Items, unsigned DigitBits, ranking Form>
class digit_ranker {
 public:
  static constexpr unsigned radix = 1u << DigitBits;
  static constexpr unsigned warps = Threads / simt::warp_size;
  static constexpr unsigned counters = Form == ranking::atomics ? 1 : warps; // rows of `radix`
  /// Digits that a thread answers for: thread t for t·owned … t·owned + owned − 1, where these are below the radix.
  static constexpr int owned = int((radix + Threads - 1) / Threads);

  struct storage {
    simt::shared_array<std::uint32_t, counters * radix> counts; // [counters][radix]
    block_scan_storage<std::uint32_t, Threads> scan;
  };
  /// What the block's keys hold of each digit that this thread owns.
  struct digit_totals {
    std::uint32_t count[owned]; ///< keys with the digit
    std::uint32_t start[owned]; ///< keys with smaller digits
  };

  /// Digits below the radix → ranks 0 … Threads·Items − 1. All threads of the block call; the storage may be used again
  /// once a block barrier has passed.
  static SORTILE_DEVICE digit_totals rank(storage& s, const unsigned (&digits)[Items], unsigned (&ranks)[Items]) {
    for (unsigned i = simt::thread_index(); i < counters * radix; i += Threads)
      s.counts[i] = 0;
    simt::block_barrier();
    const unsigned row = Form == ranking::atomics ? 0 : simt::warp_index() * radix;
    count(s, row, digits, ranks);
    simt::block_barrier();
    const digit_totals totals = to_offsets(s);
    simt::block_barrier();
    SORTILE_UNROLL
    for (int i = 0; i < Items; ++i)
      ranks[i] += s.counts.load(row + digits[i]);
    return totals;
  }

 private:
  /// Ranks within the counter's row, which ends with the number of its keys.
  static SORTILE_DEVICE void count(storage& s, unsigned row, const unsigned (&digits)[Items],
                                   unsigned (&ranks)[Items]) {
    SORTILE_UNROLL
    for (int i = 0; i < Items; ++i) {
      if constexpr (Form == ranking::atomics) {
        ranks[i] = s.counts.fetch_add(row + digits[i], 1u, simt::relaxed, simt::block_scope);
      } else {
        const unsigned peers = lanes_with_digit<Form, DigitBits>(digits[i]);
        const unsigned lowest = simt::trailing_zeros(peers);
        std::uint32_t before = 0;
        if (simt::lane_index() == lowest) {
          before = s.counts.load(row + digits[i]);
          s.counts.store(row + digits[i], before + simt::popcount(peers));
        }
        // The next row's lowest lane may be another one; the barrier orders its load after this store.
        simt::warp_barrier();
        ranks[i] = simt::shuffle(before, lowest) + simt::popcount(peers & simt::lanes_below());
      }
    }
  }

  /// Counts become the ranks of the first key of each digit and row.
  static SORTILE_DEVICE digit_totals to_offsets(storage& s) {
    digit_totals totals;
    SORTILE_UNROLL
    for (int d = 0; d < owned; ++d) {
      const unsigned digit = simt::thread_index() * owned + unsigned(d);
      std::uint32_t sum = 0;
      for (unsigned c = 0; digit < radix && c < counters; ++c)
        sum += s.counts.load(c * radix + digit);
      totals.count[d] = totals.start[d] = sum;
    }
    block_exclusive_scan(s.scan, totals.start, plus{}, 0u);
    SORTILE_UNROLL
    for (int d = 0; d < owned; ++d) {
      const unsigned digit = simt::thread_index() * owned + unsigned(d);
      std::uint32_t running = totals.start[d];
      for (unsigned c = 0; digit < radix && c < counters; ++c) {
        const std::uint32_t here = s.counts.load(c * radix + digit);
        s.counts[c * radix + digit] = running;
        running += here;
      }
    }
    return totals;
  }
};

} // namespace sortile::primitives::inline SORTILE_BACKEND
