// The tile of pairs: how many pairs of its expert stand before each, in the order of the input. A part of kernels.
//
// Warp w has rows of 32 neighbouring pairs, row i of it is item i of its lanes:
//
//   position(i) = (w · rows + i) · 32 + lane
//
// Each warp counts in a table of its own, two experts a word of 16 bits each:
//
//   rank      row by row: lanes of one expert find each other by ballots (simt::match_bits). A pair's number is the
//             table's entry and its equals in lower lanes; the lowest of them moves the entry on
//   columns   behind a barrier: the entries of a column become the sums of those above, the totals the tile's
//   before    behind a barrier: what the pair's number lacks
//
// Half of a word never carries: a tile has fewer than 2^16 pairs.
#pragma once

#include "kernels/route/route.hpp"
#include "simt/simt.hpp"

namespace sortile::kernels::inline SORTILE_BACKEND {

/// Of `Warps` warps, with up to `Items` rows each, for experts of `Bits` bits.
template <unsigned Warps, int Items, unsigned Bits>
struct expert_tile {
  static constexpr unsigned threads = Warps * simt::warp_size;
  static_assert(threads * unsigned(Items) < 65536);
  using table = simt::shared_view<std::uint32_t>; // [warp][word], aligned to 16 bytes

  /// Words of a warp's row, a multiple of 4.
  static SORTILE_HOST_DEVICE constexpr std::uint32_t words(std::uint32_t experts) { return (experts + 7) / 8 * 4; }

  static SORTILE_DEVICE std::uint32_t position(int i, unsigned rows = unsigned(Items)) {
    return (simt::warp_index() * rows + unsigned(i)) * simt::warp_size + simt::lane_index();
  }

  /// By so many threads of the block, from the first on.
  static SORTILE_DEVICE void clear(table t, std::uint32_t words, unsigned by_threads = threads) {
    for (std::uint32_t v = simt::thread_index(); v < Warps * words / 4; v += by_threads)
      simt::store_vector<4>(t, 4 * v, {{0, 0, 0, 0}});
  }

  /// By the tile's warps.
  static SORTILE_DEVICE void rank(table t, std::uint32_t words, const std::uint32_t (&expert)[Items],
                                  std::uint32_t (&number)[Items]) {
    const auto counts = simt::view_as<std::uint16_t>(t);
    const std::uint32_t mine = simt::warp_index() * words * 2;
    SORTILE_UNROLL
    for (int i = 0; i < Items; ++i) {
      const bool present = expert[i] != no_expert;
      const unsigned peers = simt::match_bits<Bits>(expert[i]) & simt::ballot(present);
      const std::uint32_t next = present ? std::uint32_t{counts.load(mine + expert[i])} : 0;
      const auto below = std::uint32_t(simt::popcount(peers & simt::lanes_below()));
      simt::warp_barrier();
      if (present && below == 0)
        counts.store(mine + expert[i], std::uint16_t(next + std::uint32_t(simt::popcount(peers))));
      simt::warp_barrier();
      number[i] = next + below;
    }
  }

  /// total(word, pairs) is called by one thread a word of two experts.
  template <class Total>
  static SORTILE_DEVICE void columns(table t, std::uint32_t words, Total total) {
    for (std::uint32_t word = simt::thread_index(); word < words; word += threads) {
      std::uint32_t here[Warps], running = 0;
      SORTILE_UNROLL
      for (unsigned w = 0; w < Warps; ++w)
        here[w] = t.load(w * words + word);
      SORTILE_UNROLL
      for (unsigned w = 0; w < Warps; ++w) {
        t[w * words + word] = running;
        running += here[w];
      }
      total(word, running);
    }
  }

  static SORTILE_DEVICE std::uint32_t before(table t, std::uint32_t words, std::uint32_t expert) {
    return simt::view_as<std::uint16_t>(t).load(simt::warp_index() * words * 2 + expert);
  }
};

/// The half of a word of two that is the expert's.
SORTILE_DEVICE std::uint32_t half_of(std::uint32_t word, std::uint32_t expert) {
  return expert % 2 == 0 ? word & 0xffff : word >> 16;
}

} // namespace sortile::kernels::inline SORTILE_BACKEND
