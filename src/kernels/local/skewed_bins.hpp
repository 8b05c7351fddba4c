// Tells whether a block's keys are skewed in their bins, before any bin is filled. The steps that give each bin one
// bit, sixteen bins per word, sort in another way where too many keys share a word.
//
// A key of each thread of a few warps is tested. The keys are skewed where one word gets four of a warp's 32 keys: that
// happens to evenly spread keys, 32 of them in 4096 words, once in 10^6 warps. Eight warps are enough to see skew that
// matters, and all would take long: lanes are compared by match_any, 54 clocks of a multiprocessor per warp. What is
// not seen here is found when the bins are full.
#pragma once

#include "simt/simt.hpp"

namespace sortile::kernels::inline SORTILE_BACKEND {

inline constexpr unsigned bins_are_skewed = 32; ///< lanes alike
/// Of a few warps' keys, one a thread: how many share their word of bins with another one of their warp; of a warp in
/// which a word has four, all. bin() gives the bin of one of the thread's keys, and is called only if has_key. The
/// answer is the same in all threads. One block barrier.
template <class Bin>
SORTILE_DEVICE unsigned lanes_alike_in_bins(bool has_key, Bin bin) {
  constexpr unsigned asked_warps = 8, most_alike = 4;
  bool alike = false;
  if (simt::warp_index() < asked_warps) {
    const unsigned shared = simt::popcount(simt::match_any(has_key ? bin() >> 4 : ~simt::lane_index()));
    const bool skewed = simt::warp_any(shared >= most_alike);
    alike = skewed || shared > 1;
  }
  return simt::block_count(alike);
}
/// Whether the keys are skewed. Likewise.
template <class Bin>
SORTILE_DEVICE bool bins_skewed(bool has_key, Bin bin) {
  return lanes_alike_in_bins(has_key, bin) >= bins_are_skewed;
}

} // namespace sortile::kernels::inline SORTILE_BACKEND
