// The image of float keys among which there is no −0 and no NaN: a bijection, as cheap as that of integers, so that the
// key sort can take floats too.
//
// primitives/key_codec.hpp says what an image is. It gives −0 the image of +0, and one image to all NaNs; the order of
// keys that are equal in this way has to be kept, which takes a stable sort. Of all other floats no two have the same
// image:
//
//   key       −inf       −1         −least     +0         +least     +1         +inf
//   bits      ff800000   bf800000   80000001   00000000   00000001   3f800000   7f800000
//   unfolded  007fffff   407fffff   7ffffffe   80000000   80000001   bf800000   ff800000
//
// (32 bits.) As unsigned numbers, the bits of negative floats fall where the floats rise. Unfolding puts all floats in
// order: it flips all bits of negative ones, and the sign of the others. −0 becomes 7fffffff, which the codec gives to
// no key, and NaNs lie beyond both infinities. Where is_plain() does not hold for some key, the fallback sorts all of
// them.
#pragma once

#include "primitives/key_codec.hpp"

namespace sortile::kernels {

template <class Word>
struct float_image {
  using word = Word;
  static constexpr bool of_floats = true;
  static constexpr unsigned width = 8 * sizeof(Word);
  static constexpr Word sign = Word{1} << (width - 1),
                        infinity = Word(infinity_bits(width == 32 ? key_type::f32 : key_type::f64));
  static_assert(width == 32 || width == 64);

  Word flip; ///< all ones: descending

  /// Bits that rise with the key, but for the flip, and back.
  static SORTILE_HOST_DEVICE Word unfolded(Word key) { return key ^ ((Word{0} - (key >> (width - 1))) | sign); }
  static SORTILE_HOST_DEVICE Word folded(Word bits) { return bits ^ (((bits >> (width - 1)) - Word{1}) | sign); }
  /// Whether it is neither −0 nor a NaN.
  static SORTILE_HOST_DEVICE bool is_plain(Word key) { return key != sign && Word(key << 1) <= Word(infinity << 1); }

  /// Bits `shift` … of the image, as many as the mask has.
  SORTILE_HOST_DEVICE std::uint32_t digit(Word key, unsigned shift, std::uint32_t mask) const {
    return std::uint32_t(image(key) >> shift) & mask;
  }
  SORTILE_HOST_DEVICE Word image(Word key) const { return unfolded(key) ^ flip; }
  SORTILE_HOST_DEVICE bool less(Word a, Word b) const { return image(a) < image(b); }
};

} // namespace sortile::kernels
