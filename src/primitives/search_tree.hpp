// Which of up to 256 buckets a key belongs to, by the keys that part them: a search tree in shared storage.
//
//   cut[0] ≤ cut[1] ≤ …        bucket d holds the images v with cut[d − 1] < v ≤ cut[d]
//
// The cuts stand in breadth-first order, node i's children at 2i and 2i + 1 (Eytzinger's layout), so a search has no
// branch, and the upper levels, which all lanes read, lie in few banks (Sanders and Winkel 2004; Leischner, Osipov and
// Sanders 2010). Searches of a thread's keys go side by side: a level is one round trip to shared storage for all of
// them.
//
// Cost: `bits` accesses per key, one after the other; up to 32 nodes a level are read without conflict where images
// have 32 bits, 16 where they have 64, 8 of 128. No barrier.
#pragma once

#include "simt/simt.hpp"

namespace sortile::primitives::inline SORTILE_BACKEND {

template <class Word>
struct search_tree {
  static constexpr unsigned most_bits = 8, most = 1u << most_bits;

  /// Node i ≥ 1 of a tree of 2^bits buckets is the upper cut of bucket cut_of(i, bits).
  static SORTILE_HOST_DEVICE unsigned cut_of(unsigned i, unsigned bits) {
    unsigned level = 0;
    while (i >> (level + 1) != 0)
      ++level;
    return ((2 * (i - (1u << level)) + 1) << (bits - 1 - level)) - 1;
  }

  /// The buckets of `Items` images, among 2^bits. `node` is indexed from 1.
  template <int Items>
  static SORTILE_DEVICE void find(const simt::shared_view<Word>& node, unsigned bits, const Word (&images)[Items],
                                  std::uint32_t (&bucket)[Items]) {
    SORTILE_UNROLL
    for (int i = 0; i < Items; ++i)
      bucket[i] = 1;
    SORTILE_NO_UNROLL
    for (unsigned b = 0; b < bits; ++b) {
      SORTILE_UNROLL
      for (int i = 0; i < Items; ++i)
        bucket[i] = 2 * bucket[i] + (images[i] > node.load(bucket[i]) ? 1 : 0);
    }
    SORTILE_UNROLL
    for (int i = 0; i < Items; ++i)
      bucket[i] -= 1u << bits;
  }
};

} // namespace sortile::primitives::inline SORTILE_BACKEND
