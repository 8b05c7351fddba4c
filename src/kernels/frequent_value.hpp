// A value that a large part of some keys have, found by a warp: what most of 32 keys have. These lie where multiples of
// the golden ratio leave a fraction of 1, times the number of keys: everywhere, and at no distances that have a factor
// in common, as the period of keys that repeat may have.
#pragma once

#include "simt/simt.hpp"

namespace sortile::kernels::inline SORTILE_BACKEND {

template <class Word>
struct frequent_value {
  Word value;
  unsigned votes; ///< of simt::warp_size

  /// Of n keys, which one to read as the i-th.
  static SORTILE_DEVICE std::uint64_t place(unsigned i, std::uint64_t n) {
    const std::uint64_t fraction = (i + 1) * 0x9e37'79b9u; // of 2^32
    return (n >> 32) * fraction + ((n & 0xffff'ffffu) * fraction >> 32);
  }
  /// By whole warps: the same in all lanes.
  static SORTILE_DEVICE frequent_value among(Word key) {
    const unsigned votes = simt::popcount(alike(key));
    const unsigned best = simt::warp_reduce_max(votes * simt::warp_size + (simt::warp_size - 1 - simt::lane_index()));
    return {simt::shuffle(key, simt::warp_size - 1 - best % simt::warp_size), best / simt::warp_size};
  }
  /// Of so many keys from `begin` on, by whole warps.
  static SORTILE_DEVICE frequent_value of(const simt::global<const Word>& in, std::uint32_t begin, std::uint32_t keys) {
    return among(in.load(begin + place(simt::lane_index(), keys)));
  }

 private:
  static SORTILE_DEVICE unsigned alike(Word key) {
    if constexpr (sizeof(Word) > 8)
      return simt::match_any(std::uint64_t(key)) & simt::match_any(std::uint64_t(key >> 64));
    else
      return simt::match_any(key);
  }
};

} // namespace sortile::kernels::inline SORTILE_BACKEND
