// The image of keys of any type without a branch: for kernels that take floats and make so many images that a branch
// for each would cost too much. primitives/key_codec.hpp says what an image is.
#pragma once

#include "primitives/key_codec.hpp"

namespace sortile::kernels {

/// The codec's cases told apart by constants. For integers `magnitude` and `infinity` are all ones and `negative` is 0,
/// so that only the flip remains.
template <class Word>
struct any_image {
  Word magnitude, negative, infinity, sign, complement;

  SORTILE_HOST_DEVICE explicit any_image(const key_codec<Word>& c)
      : magnitude(c.infinity != 0 ? Word(~c.sign) : Word(~Word{0})), negative(c.infinity != 0 ? c.sign : Word{0}),
        infinity(c.infinity != 0 ? c.infinity : Word(~Word{0})), sign(c.sign), complement(c.complement) {}
  any_image() = default;

  SORTILE_HOST_DEVICE Word image(Word u) const {
    const Word m = u & magnitude, v = m == 0 ? Word{0} : u;
    const Word below_zero = Word{0} - ((v & negative) >> (8 * sizeof(Word) - 1));
    return (m > infinity ? Word(~Word{0}) : Word(v ^ (below_zero | sign))) ^ complement;
  }
  SORTILE_HOST_DEVICE std::uint32_t digit(Word key, unsigned shift, std::uint32_t mask) const {
    return std::uint32_t(image(key) >> shift) & mask;
  }
  SORTILE_HOST_DEVICE bool less(Word a, Word b) const { return image(a) < image(b); }
  /// Whether surely no other key has its image (of integers: said of all but 0).
  SORTILE_HOST_DEVICE bool is_only(Word u) const { return (u & magnitude) != 0 && (u & magnitude) <= infinity; }
  /// Whether all floats of its image are equal to it bit by bit: not of −0, beside which a +0 may be, nor of a NaN.
  SORTILE_HOST_DEVICE bool tells_bits(Word u) const { return u != negative && (u & magnitude) <= infinity; }
  /// Whether an image is a finite float's.
  SORTILE_HOST_DEVICE bool is_finite(Word image) const {
    const Word up = Word(image ^ complement);
    return up < Word(infinity ^ sign) && up > Word(~(infinity | sign));
  }
  /// The float of this image, which is no NaN's.
  SORTILE_HOST_DEVICE Word key_of(Word image) const {
    const Word up = Word(image ^ complement);
    return (up & sign) != 0 ? Word(up ^ sign) : Word(~up);
  }
};

} // namespace sortile::kernels
