// Which of up to 256 buckets a key belongs to, by the keys that part them: a search tree in shared storage.
//
//   cut[0] ≤ cut[1] ≤ …        bucket d holds the images v with cut[d − 1] < v ≤ cut[d]
//
// The cuts stand in breadth-first order, node i's children at 2i and 2i + 1 (Eytzinger's layout), so a search has no
// branch and the levels that all lanes read lie in few banks (Sanders and Winkel 2004; Leischner, Osipov and Sanders
// 2010). Searches of a thread's keys go side by side: a level is one round trip to shared storage for all of them.
//
// Cost: `bits` accesses a key; up to 32 nodes a level are read without conflict where images have 32 bits, 16 where
// they have 64.
#pragma once

#include "simt/simt.hpp"

namespace sortile::kernels::inline SORTILE_BACKEND {

template <class Word>
struct splitter_tree {
  static constexpr unsigned most_bits = 8, most = 1u << most_bits;
  using storage = simt::shared_array<Word, most>; // node i at [i]; [0] is unused

  /// From cuts in order, 2^bits of them, of which the last is above everything. By a block of 2^bits threads at least;
  /// a block barrier has to follow.
  static SORTILE_DEVICE void build(storage& s, const simt::global<const Word>& cuts, unsigned bits) {
    const unsigned i = simt::thread_index();
    if (i == 0 || i >= 1u << bits)
      return;
    unsigned level = 0;
    while (i >> (level + 1) != 0)
      ++level;
    s[i] = cuts.load(((2 * (i - (1u << level)) + 1) << (bits - 1 - level)) - 1);
  }

  /// The buckets of `Items` images.
  template <int Items>
  static SORTILE_DEVICE void find(storage& s, unsigned bits, const Word (&images)[Items],
                                  std::uint32_t (&bucket)[Items]) {
    SORTILE_UNROLL
    for (int i = 0; i < Items; ++i)
      bucket[i] = 1;
    SORTILE_NO_UNROLL
    for (unsigned b = 0; b < bits; ++b) {
      SORTILE_UNROLL
      for (int i = 0; i < Items; ++i)
        bucket[i] = 2 * bucket[i] + (images[i] > s.load(bucket[i]) ? 1 : 0);
    }
    SORTILE_UNROLL
    for (int i = 0; i < Items; ++i)
      bucket[i] -= 1u << bits;
  }
};

} // namespace sortile::kernels::inline SORTILE_BACKEND
