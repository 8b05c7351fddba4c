// Ranks of a warp's elements among those of their digit, row by row of 32, in order; and how many there are of each
// digit. For stable partitions.
//
// Lanes with one digit find each other by ballots, one for each bit of the digit (simt::match_bits); the lowest of them
// adds their number to the warp's count. Tiles that wait for instructions (of 4-byte keys, of pairs of 12 bytes) let
// every other row vote instead: lanes meet in a table of lane masks, votes[digit], one fetch_or per lane, and the
// lowest takes the mask out again. Votes are cast while the row before is counted, which hides the round trip to
// shared storage. (All rows by votes: 6 % slower at 2^28 pairs of 4 and 4 bytes, where shared storage is what they wait
// for; match_any takes longer than either.)
//
// Lanes that vote for one digit wait for each other, all 32 of them eight times as long as for 32 digits. So rows that
// look alike, as those of nearly sorted keys do, go by ballots alone. Asked once a warp and tile: a question in each
// row takes 2 % of the sort of uniform pairs.
//
// Source: ranks from lane masks of equal digits are Adinets and Merrill's (2022).
#pragma once

#include "simt/simt.hpp"

namespace sortile::primitives::inline SORTILE_BACKEND {

/// Of a thread's Items digits of `Bits` bits.
template <int Items, bool Votes, unsigned Bits>
struct row_ranks {
  struct tables {
    simt::shared_view<std::uint16_t> count; // [digit], this warp's; 0 at first
    simt::shared_view<std::uint32_t> votes; // [digit], this warp's; 0, and 0 again in the end. Or anything
  };

  /// By whole warps that have all their elements: put(i, rank) for each. digits[i] is the digit of row i.
  template <class Digits, class Put>
  static SORTILE_DEVICE void find(const tables& t, const Digits& digits, Put put) {
    if (Votes && !are_alike(digits))
      find_by_votes(t, digits, put);
    else
      find_rows<false>(t, digits, all_lanes{}, put);
  }
  /// The same of rows that are not alike.
  template <class Digits, class Put>
  static SORTILE_DEVICE void find_by_votes(const tables& t, const Digits& digits, Put put) {
    find_rows<Votes>(t, digits, all_lanes{}, put);
  }
  /// By whole warps; has(i) tells whether this lane has an element in row i.
  template <class Digits, class Has, class Put>
  static SORTILE_DEVICE void find_some(const tables& t, const Digits& digits, Has has, Put put) {
    find_rows<false>(
        t, digits, [has](int i) { return simt::ballot(has(i)); }, put);
  }

  /// Whether many lanes have one digit in their first two rows, as sorted keys have, and hardly ever others.
  template <class Digits>
  static SORTILE_DEVICE bool are_alike(const Digits& digits) {
    return simt::popcount(simt::ballot(digits[0] == digits[Items > 1 ? 1 : 0])) >= simt::warp_size / 2;
  }

 private:
  struct all_lanes { // no lambda: whoever includes this may compile without --expt-relaxed-constexpr
    SORTILE_DEVICE unsigned operator()(int) const { return simt::full_warp; }
  };
  /// present(i): lanes that have an element in row i.
  template <bool ByVotes, class Digits, class Present, class Put>
  static SORTILE_DEVICE void find_rows(const tables& t, const Digits& digits, Present present, Put put) {
    const std::uint32_t lane_bit = 1u << simt::lane_index();
    const auto votes = [](int i) { return ByVotes && i % 2 == 0; };
    const auto vote = [&](int i) {
      if (votes(i) && i < Items && (present(i) & lane_bit) != 0)
        t.votes.fetch_or(digits[i < Items ? i : 0], lane_bit, simt::relaxed, simt::block_scope);
    };
    vote(0);
    simt::warp_barrier();
    SORTILE_UNROLL
    for (int i = 0; i < Items; ++i) {
      vote(i + 1);
      const std::uint32_t d = digits[i], lanes = present(i);
      const std::uint32_t peers = votes(i) ? t.votes.load(d) : simt::match_bits<Bits>(d) & lanes;
      const std::uint32_t counted = t.count.load(d), below = simt::popcount(peers & simt::lanes_below());
      simt::warp_barrier();
      if (below == 0 && (lanes & lane_bit) != 0) {
        t.count[d] = std::uint16_t(counted + simt::popcount(peers));
        if (votes(i))
          t.votes[d] = 0;
      }
      simt::warp_barrier();
      put(i, counted + below);
    }
  }
};

} // namespace sortile::primitives::inline SORTILE_BACKEND
