// The key of a given rank among keys that a block can read, digit by digit from the highest bits on: a histogram of the
// keys that begin with the digits found so far, in shared storage, and a scan of it by one warp.
//
//   find    image 0110 1…        rank 5 of 9, 8 bits a digit
//           ^^^^ ^^^^            each digit: one read of all keys, three block barriers
//
// Equal keys meet in one counter. The additions of a warp to it are done one after the other: at most 32 for 32 keys.
#pragma once

#include "primitives/warp_scan.hpp"

namespace sortile::kernels::inline SORTILE_BACKEND {

/// Count: of keys.
template <class Count = std::uint32_t>
struct rank_search_storage {
  static constexpr unsigned digit_bits = 8, bins = 1u << digit_bits;
  simt::shared_array<Count, bins> counts;
  simt::shared_value<std::uint32_t> digit; // that has been found
  simt::shared_value<Count> before, equal; // keys of smaller ones, keys of its own
};

template <class Word, class Count = std::uint32_t>
struct found_rank {
  Word image;  ///< of the key
  Count below; ///< keys with smaller images
  Count equal; ///< keys with this image
};

/// The digit's bin that holds the rank, and how many lie before the bin: by one warp, 8 bins a lane.
template <class Count>
SORTILE_DEVICE void find_bin(rank_search_storage<Count>& s, Count rank) {
  constexpr unsigned each = rank_search_storage<Count>::bins / simt::warp_size;
  const unsigned first = simt::lane_index() * each;
  Count counts[each], sum = 0;
  SORTILE_UNROLL
  for (unsigned i = 0; i < each; ++i)
    sum += counts[i] = s.counts.load(first + i);
  Count before = primitives::warp_inclusive_scan(sum, primitives::plus{}) - sum;
  SORTILE_UNROLL
  for (unsigned i = 0; i < each; ++i) {
    if (rank >= before && rank - before < counts[i]) {
      s.digit = first + i;
      s.before = before;
      s.equal = counts[i];
    }
    before += counts[i];
  }
}

/// By all threads of the block: the key of rank `rank` among `all` keys, whose images have `bits` bits. count(prefix,
/// known, shift, mask) leaves in s.counts how many of the images x with (x & known) == prefix have each digit
/// x >> shift & mask, and ends with a block barrier.
template <class Word, class Count, class CountDigit>
SORTILE_DEVICE found_rank<Word, Count> rank_by_digits(rank_search_storage<Count>& s, Count all, Count rank,
                                                      unsigned bits, CountDigit count) {
  found_rank<Word, Count> found{0, 0, all};
  Word known = 0; // the bits of the digits found
  for (unsigned left = bits; left > 0;) {
    const unsigned width = left < s.digit_bits ? left : s.digit_bits;
    left -= width;
    const auto mask = Word((1u << width) - 1);
    count(found.image, known, left, mask);
    if (simt::warp_index() == 0)
      find_bin(s, Count(rank - found.below));
    simt::block_barrier();
    found.image = Word(found.image | Word(Word(s.digit) << left));
    found.below += s.before;
    found.equal = s.equal;
    known = Word(known | Word(mask << left));
  }
  return found;
}

/// By all `Threads` threads: the key of rank `rank` < n among image_of(0) … image_of(n − 1), images of `bits` bits. The
/// storage may be used again once a block barrier has passed after the call.
template <unsigned Threads, class Word, class Image>
SORTILE_DEVICE found_rank<Word> rank_search(rank_search_storage<>& s, std::uint32_t n, std::uint32_t rank,
                                            unsigned bits, Image image_of) {
  return rank_by_digits<Word>(s, n, rank, bits, [&](Word prefix, Word known, unsigned shift, Word mask) {
    for (unsigned b = simt::thread_index(); b < s.bins; b += Threads)
      s.counts[b] = 0;
    simt::block_barrier();
    for (std::uint32_t i = simt::thread_index(); i < n; i += Threads) {
      const Word x = image_of(i);
      if (Word(x & known) == prefix)
        s.counts.fetch_add(std::uint32_t(Word(x >> shift) & mask), 1u);
    }
    simt::block_barrier();
  });
}

} // namespace sortile::kernels::inline SORTILE_BACKEND
