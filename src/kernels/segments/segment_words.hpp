// A key and its place as one number, so that elements which have to keep their order are sorted like keys alone.
//
//   word     | digit of (image − least) | place |        32 bits for keys of up to 4 bytes, else 64
//
// Few places need few bits: of 64 keys six. The images of a segment take as many bits as their range, and where these
// fit beside the place, the word is all there is to compare. Else it holds the highest ones, which tell nearly all
// images apart; among those that it does not, places ascend. Whether that was their order, neighbours tell.
//
// Where it was not, the words are sorted by the low digit first, and by the next with the places that come of it: an
// LSD sort, each step of which is the sort of words. So the time depends on the keys by a small factor alone, and no
// element is wider than a word, which a pair of an image and a place would be: twice the registers, and 7 to 14
// instructions to compare and exchange two, in place of 2 to 7.
#pragma once

#include "kernels/local/bin_words.hpp"
#include "primitives/lanes_reduce.hpp"
#include "simt/simt.hpp"

#include <type_traits>

namespace sortile::kernels::inline SORTILE_BACKEND {

/// Of keys stored as Word, in segments of up to 2^PlaceBits.
template <class Word, unsigned PlaceBits>
struct segment_words {
  using word = std::conditional_t<sizeof(Word) <= 4, std::uint32_t, std::uint64_t>;
  static constexpr unsigned digit_bits = 8 * sizeof(word) - PlaceBits;
  static constexpr word absent = word(~word{0}); ///< above all words of a segment that is not full

  Word least;
  unsigned bits; ///< of the images' distances from the least one

  /// Of n images that a group of lanes holds, item j of a lane at place j · Lanes + lane: x becomes their words by the
  /// highest digit. All lanes of the warp call.
  template <unsigned Lanes, unsigned Items>
  static SORTILE_DEVICE segment_words of_lanes(const Word (&image)[Items], std::uint32_t n, unsigned lane,
                                               word (&x)[Items]) {
    Word least = Word(~Word{0}), greatest = 0;
    SORTILE_UNROLL
    for (unsigned j = 0; j < Items; ++j)
      if (j * Lanes + lane < n) {
        least = image[j] < least ? image[j] : least;
        greatest = greatest < image[j] ? image[j] : greatest;
      }
    const segment_words w = between(primitives::lanes_reduce<Lanes>(least, primitives::minimum{}),
                                    primitives::lanes_reduce<Lanes>(greatest, primitives::maximum{}));
    SORTILE_UNROLL
    for (unsigned j = 0; j < Items; ++j)
      x[j] = j * Lanes + lane < n ? w(image[j], w.highest(), j * Lanes + lane) : absent;
    return w;
  }
  /// Steps of an LSD sort.
  SORTILE_DEVICE unsigned digits() const { return bits == 0 ? 1 : (bits + digit_bits - 1) / digit_bits; }
  /// Below the highest digit that a word holds.
  SORTILE_DEVICE unsigned highest() const { return bits > digit_bits ? bits - digit_bits : 0; }

  SORTILE_DEVICE word operator()(Word image, unsigned shift, unsigned place) const {
    return word(word(Word(image - least) >> shift) << PlaceBits | word(place));
  }
  static SORTILE_DEVICE unsigned place(word w) { return unsigned(w) & ((1u << PlaceBits) - 1); }
  /// Whether both hold the same digit.
  static SORTILE_DEVICE bool tie(word a, word b) { return word(a ^ b) >> PlaceBits == 0; }

 private:
  static SORTILE_DEVICE segment_words between(Word least, Word greatest) {
    return {least, greatest < least ? 0 : bits_of(Word(greatest - least))};
  }
};

} // namespace sortile::kernels::inline SORTILE_BACKEND
