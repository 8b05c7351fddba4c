// A key and its place as one number, so that elements which have to keep their order are sorted like keys alone.
//
//   word     | 0 | digit of (image − least) | place |        32 bits for keys of up to 8 bytes, else 64
//   absent   | 1 |         ~ place          | ones  |        behind the last of a segment that is not full
//
// Few places need few bits: of 64 keys six. The images of a segment take as many bits as their range, and where these
// fit beside the place, the word is all there is to compare. Else it holds the highest ones, which tell nearly all
// images apart; among those that it does not, places ascend. Whether that was their order, neighbours tell.
//
// Where it was not, a thread that sorts a segment by itself puts the order right by insertions. Some lanes do so where
// few are tied; else they sort words of the rank so far and a further digit (short_kernel.hpp), of keys of 8 bytes at
// last in 64 bits. A pair of an image and a place would take two to four times the registers, and 7 to 14 instructions
// to compare and exchange two, in place of 2.
#pragma once

#include "kernels/local/bin_words.hpp"
#include "primitives/lanes_reduce.hpp"
#include "simt/simt.hpp"

#include <type_traits>

namespace sortile::kernels::inline SORTILE_BACKEND {

/// Where shared storage has place p of what is staged: a gap every 32 slots, against bank conflicts.
SORTILE_DEVICE unsigned segment_slot(unsigned p) {
  return p + p / simt::warp_size;
}

/// `order` has a slot for each place, and image(slot) is the image of what lies there. Places `first` … p − 1 stand in
/// order; what stands at p goes before all of these that are greater. Whether there are such.
template <class Order, class Image>
SORTILE_DEVICE bool insert_in_order(const Order& order, const Image& image, unsigned first, unsigned p) {
  const std::uint16_t mine = order.load(segment_slot(p));
  const auto k = image(mine);
  unsigned at = p;
  SORTILE_NO_UNROLL
  for (; at > first; --at) {
    const std::uint16_t before = order.load(segment_slot(at - 1));
    if (!(k < image(before)))
      break;
    order.store(segment_slot(at), before);
  }
  order.store(segment_slot(at), mine);
  return at < p;
}

/// What staged keys, images and words of values take.
template <class Word>
using segment_staged = std::conditional_t<sizeof(Word) < 4, std::uint32_t, Word>;

/// Of keys stored as Word, in segments of up to 2^PlaceBits.
template <class Word, unsigned PlaceBits>
struct segment_words {
  using word = std::conditional_t<sizeof(Word) <= 8, std::uint32_t, std::uint64_t>;
  static constexpr unsigned digit_bits = 8 * sizeof(word) - PlaceBits - 1;

  Word least;
  unsigned bits; ///< of the images' distances from the least one

  /// Of images of which a lane of a group has the least and the greatest of some. All lanes of the warp call.
  template <unsigned Lanes>
  static SORTILE_DEVICE segment_words of_lanes(Word least, Word greatest) {
    least = primitives::lanes_reduce<Lanes>(least, primitives::minimum{});
    greatest = primitives::lanes_reduce<Lanes>(greatest, primitives::maximum{});
    return {least, bits_of(Word(greatest - least))};
  }
  /// Of n images that a group of lanes holds, item j of a lane at place j · Lanes + lane, and behind the last copies of
  /// some of them: x becomes their words by the highest digit. All lanes of the warp call.
  template <unsigned Lanes, unsigned Items>
  static SORTILE_DEVICE segment_words of_lanes(const Word (&image)[Items], std::uint32_t n, unsigned lane,
                                               word (&x)[Items]) {
    Word least = Word(~Word{0}), greatest = 0;
    widen(least, greatest, image);
    const auto w = segment_words::of_lanes<Lanes>(least, greatest);
    SORTILE_UNROLL
    for (unsigned j = 0; j < Items; ++j)
      x[j] = w.of(image[j], j * Lanes + lane, n);
    return w;
  }
  /// The range of images, with these among them.
  template <unsigned Items>
  static SORTILE_DEVICE void widen(Word& least, Word& greatest, const Word (&image)[Items]) {
    SORTILE_UNROLL
    for (unsigned j = 0; j < Items; ++j) {
      least = image[j] < least ? image[j] : least;
      greatest = greatest < image[j] ? image[j] : greatest;
    }
  }
  /// Below the highest digit that a word holds.
  SORTILE_DEVICE unsigned highest() const { return bits > digit_bits ? bits - digit_bits : 0; }

  /// Of the element at a place among n, or of one behind them.
  SORTILE_DEVICE word of(Word image, unsigned place, std::uint32_t n) const {
    const word there = word(word(word(Word(image - least) >> highest()) << PlaceBits) | word(place));
    return place < n ? there : absent(place);
  }

  // Of words as wide as W, which have their place where a `word` has it.

  /// Above all words, and no two of one digit.
  template <class W = word>
  static SORTILE_DEVICE W absent(unsigned place) {
    return W(~W(W(place) << PlaceBits));
  }
  template <class W>
  static SORTILE_DEVICE unsigned place(W w) {
    return unsigned(w) & ((1u << PlaceBits) - 1);
  }
  /// Whether all but the places is the same.
  template <class W>
  static SORTILE_DEVICE bool tie(W a, W b) {
    return W(a ^ b) >> PlaceBits == 0;
  }
};

} // namespace sortile::kernels::inline SORTILE_BACKEND
