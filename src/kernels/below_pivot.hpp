// Which keys come before a pivot, without their images: a filter that reads many keys and keeps few spends most of its
// instructions on each key's image otherwise (any_image.hpp).
//
// Among the floats of one sign the bits are in order, ascending or descending, and all of the other sign lie on one
// side of the pivot. So some bits are turned over, and what comes before the pivot is then below a limit:
//
//   pivot                 before it                                 turned over
//   negative, ascending   the negative ones with more bits          all
//   positive, ascending   the negative ones, positive with fewer    the sign
//   positive, descending  the positive ones with more bits          all but the sign
//   negative, descending  the positive ones, negative with fewer    none
//
// Zeros of both signs lie on the same side. NaNs do not compare so: whoever has some asks for images.
#pragma once

#include "kernels/any_image.hpp"

#include <type_traits>

namespace sortile::kernels {

/// Register: std::uint32_t, or of longer keys the Word.
template <class Word, class Register = std::conditional_t<sizeof(Word) <= 4, std::uint32_t, Word>>
struct below_pivot {
  Register flips, limit;
  Register most; ///< a key is a NaN where its magnitude is above

  /// `pivot`: an image of whole keys.
  SORTILE_HOST_DEVICE below_pivot(const any_image<Word>& image, Word pivot)
      : flips(Word(image.sign ^ image.complement)), limit(pivot),
        most(image.negative != 0 ? Register(Register(image.infinity) << above) : Register(~Register{0})) {
    if (image.negative == 0) // integers
      return;
    const Word zero = image.sign ^ image.complement; // its image
    if (image.complement == 0 && pivot <= zero) {
      flips = Word(~Word{0});
      limit = pivot == zero ? Word(zero - 1) : pivot; // −0 is not below +0
    } else if (image.complement != 0 && pivot > zero) {
      flips = 0;
      limit = pivot == Word(zero + 1) ? Word(zero + 2) : pivot; // −0 is before what is below +0
    }
  }
  SORTILE_HOST_DEVICE bool operator()(Register u) const { return (u ^ flips) < limit; }
  /// The greatest of several keys' magnitudes tells whether there is a NaN among them.
  static SORTILE_HOST_DEVICE Register magnitude(Register u) { return u << above; }

 private:
  static constexpr unsigned above = 8 * sizeof(Register) - 8 * sizeof(Word) + 1; // shifts the sign out
};

} // namespace sortile::kernels
