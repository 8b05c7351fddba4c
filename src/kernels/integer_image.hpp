// The image of integer keys alone, as the kernels of the key sort use it: one exclusive-or, whatever sign and
// direction.
//
// primitives/key_codec.hpp says what an image is. For an integer and its whole width the codec boils down to flipping
// constant bits, so a digit costs a shift, an exclusive-or and a mask, and equal images mean equal bits. Because of the
// second, a sort of keys alone need not be stable. It does not hold of bit windows, nor of floats with two zeros or a
// NaN (float_image.hpp).
#pragma once

#include "primitives/key_codec.hpp"

namespace sortile::kernels {

template <class Word>
struct integer_image {
  using word = Word;
  static constexpr bool of_floats = false;

  Word flip;

  /// Bits that rise with the key, but for the flip, and back: an integer's own.
  static SORTILE_HOST_DEVICE Word unfolded(Word key) { return key; }
  static SORTILE_HOST_DEVICE Word folded(Word bits) { return bits; }

  /// Bits `shift` … of the image, as many as the mask has.
  SORTILE_HOST_DEVICE std::uint32_t digit(Word key, unsigned shift, std::uint32_t mask) const {
    return (std::uint32_t(key >> shift) ^ std::uint32_t(flip >> shift)) & mask;
  }
  SORTILE_HOST_DEVICE Word image(Word key) const { return key ^ flip; }
  SORTILE_HOST_DEVICE bool less(Word a, Word b) const { return (a ^ flip) < (b ^ flip); }
  /// Whether no other key has its image.
  static SORTILE_HOST_DEVICE bool is_only(Word) { return true; }
  /// As of floats: all are.
  static SORTILE_HOST_DEVICE bool is_finite(Word) { return true; }
};

} // namespace sortile::kernels
