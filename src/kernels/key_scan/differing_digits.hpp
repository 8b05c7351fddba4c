// In which bits, and in how many digits of 8 bits, the images that a block has seen differ.
#pragma once

#include "simt/simt.hpp"

namespace sortile::kernels::inline SORTILE_BACKEND {

/// Adds a thread's bits to `to`, words of 32 bits in shared storage, lowest first, which are zero before. By whole
/// warps; a block barrier has to follow.
template <class Word, class Shared>
SORTILE_DEVICE void gather_differing_bits(Shared& to, Word differ) {
  SORTILE_UNROLL
  for (unsigned w = 0; w < sizeof(Word) / 4; ++w) {
    const std::uint32_t bits = simt::warp_reduce_or(std::uint32_t(differ >> (32 * w)));
    if (simt::lane_index() == 0)
      to.fetch_or(w, bits, simt::relaxed, simt::block_scope);
  }
}
/// These bits again, as one word.
template <class Word, class Words>
SORTILE_DEVICE Word joined_bits(const Words& words) {
  Word all = 0;
  SORTILE_UNROLL
  for (unsigned w = 0; w < sizeof(Word) / 4; ++w)
    all |= Word(words.load(w)) << (32 * w);
  return all;
}
/// How many digits of a Word have a bit set, of its words from `first` on.
template <class Word, class Words>
SORTILE_DEVICE unsigned digits_that_differ(const Words& words, unsigned first = 0) {
  unsigned digits = 0;
  for (unsigned w = 0; w < sizeof(Word) / 4; ++w)
    for (unsigned shift = 0; shift < 32; shift += 8)
      digits += (words.load(first + w) >> shift & 0xff) != 0 ? 1 : 0;
  return digits;
}

} // namespace sortile::kernels::inline SORTILE_BACKEND
