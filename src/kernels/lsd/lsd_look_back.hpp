// The look-back of an LSD pass: how many keys of a digit all earlier tiles hold.
//
// Look-back (Merrill and Garland 2016; primitives/look_back.hpp tells it at length). A tile has 256 words of 32 bits.
// Each holds a count and a state, read in one access, so relaxed accesses suffice. A thread asks for two tiles at once:
// the nearest known prefix is not far, and polling more words delays those that write them (eight tiles: 5 % slower
// than four; two: 2 to 3 % quicker; one: slower again below 2^24 keys).
//
//   state of a word            before the pass   total known   total and all before known
//   active passes 1, 3, 5 …    0                 1             2
//   active passes 2, 4, 6 …    2                 3             0
//
// Each active pass leaves all words in the state that the next one takes for "before the pass", so nothing is cleared
// between passes. Before the first pass all words are zero. A count has 30 bits, so tiles form portions of fewer than
// 2^30 keys. The last tile of a portion knows where the next one's buckets go on, and publishes that in 64-bit words
// (portions[…][digit], state 1 or 2 in the two highest bits by the same alternation).
#pragma once

#include "simt/simt.hpp"

namespace sortile::kernels::inline SORTILE_BACKEND {

/// `odd`, `at` and `d` throughout: active passes before this one, modulo 2; a tile; a digit.
struct lsd_look_back {
  static constexpr unsigned radix = 256;
  static constexpr int looked_at = 2; // tiles that a step asks for

  simt::global<std::uint32_t> status;   // [tiles][radix]
  simt::global<std::uint64_t> portions; // [portions − 1][radix]
  std::uint32_t portion_tiles;

  SORTILE_DEVICE void announce(std::uint32_t odd, std::uint32_t at, std::uint32_t d, std::uint32_t total) const {
    const std::uint32_t state = at % portion_tiles == 0 ? all_known(odd) : total_known(odd);
    status.store(std::uint64_t{at} * radix + d, state << 30 | total, simt::relaxed);
  }
  /// Where the tile's first key of the digit goes, of `total`. start() is where those of the first portion begin.
  template <class Start>
  SORTILE_DEVICE std::uint64_t place_of(std::uint32_t odd, std::uint32_t at, std::uint32_t tiles, std::uint32_t d,
                                        std::uint32_t total, Start start) const {
    const std::uint32_t portion = at / portion_tiles, in_portion = at % portion_tiles;
    std::uint32_t before = 0;
    if (in_portion != 0) {
      before = sum_before(odd, at, in_portion, d);
      status.store(std::uint64_t{at} * radix + d, all_known(odd) << 30 | (before + total), simt::relaxed);
    }
    const std::uint64_t bucket = portion == 0 ? start() : portion_start(odd, portion, d);
    if (in_portion + 1 == portion_tiles && at + 1 < tiles)
      portions.store(std::uint64_t{portion} * radix + d, portion_known(odd) | (bucket + before + total), simt::relaxed);
    return bucket + before;
  }

 private:
  static SORTILE_DEVICE std::uint32_t empty(std::uint32_t odd) { return 2 * odd; }
  static SORTILE_DEVICE std::uint32_t total_known(std::uint32_t odd) { return 2 * odd + 1; }
  static SORTILE_DEVICE std::uint32_t all_known(std::uint32_t odd) { return 2 - 2 * odd; }
  static SORTILE_DEVICE std::uint64_t portion_known(std::uint32_t odd) { return std::uint64_t{1 + odd} << 62; }

  SORTILE_DEVICE std::uint32_t sum_before(std::uint32_t odd, std::uint32_t at, std::uint32_t in_portion,
                                          std::uint32_t d) const {
    constexpr std::uint32_t count_mask = (1u << 30) - 1;
    std::uint32_t sum = 0;
    for (std::uint32_t left = in_portion;;) { // tiles of the portion that may have to be asked
      std::uint32_t words[looked_at];
      SORTILE_UNROLL
      for (int k = 0; k < looked_at; ++k) {
        const std::uint32_t back = in_portion - left + unsigned(k) + 1;
        words[k] =
            unsigned(k) < left ? status.load(std::uint64_t{at - back} * radix + d, simt::relaxed) : empty(odd) << 30;
      }
      bool waiting = false;
      SORTILE_UNROLL
      for (int k = 0; k < looked_at; ++k) {
        const std::uint32_t state = words[k] >> 30;
        waiting = waiting || (state != total_known(odd) && state != all_known(odd));
        if (!waiting) {
          sum += words[k] & count_mask;
          --left;
          if (state == all_known(odd))
            return sum;
        }
      }
      if (waiting)
        simt::spin_hint(0);
    }
  }
  SORTILE_DEVICE std::uint64_t portion_start(std::uint32_t odd, std::uint32_t portion, std::uint32_t d) const {
    constexpr std::uint64_t place_mask = (std::uint64_t{1} << 62) - 1;
    for (;;) {
      const std::uint64_t word = portions.load(std::uint64_t{portion - 1} * radix + d, simt::relaxed);
      if ((word & ~place_mask) == portion_known(odd))
        return word & place_mask;
      simt::spin_hint();
    }
  }
};

} // namespace sortile::kernels::inline SORTILE_BACKEND
