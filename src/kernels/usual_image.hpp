// The image of the keys that most arrays consist of, in fewer instructions than that of all (any_image.hpp), and
// whether there are others: zeros and NaNs, which compare as their bits do not.
#pragma once

#include "primitives/key_codec.hpp"

#include <type_traits>

namespace sortile::kernels {

/// The image in three instructions of 32 bits: of integers, and of all floats but zeros and NaNs. Shorter Words are
/// widened before: Register is std::uint32_t, or of longer keys the Word.
template <class Word, class Register = std::conditional_t<sizeof(Word) <= 4, std::uint32_t, Word>>
struct usual_image {
  Register turned; ///< the bits that a negative float has turned over; of integers none
  Register flips;
  Register most; ///< a key is unusual where its rank is above

  SORTILE_HOST_DEVICE explicit usual_image(const key_codec<Word>& c)
      : turned(c.infinity != 0 ? Word(~c.sign) : Word{0}), flips(Word(c.sign ^ c.complement)),
        most(c.infinity != 0 ? Register((Register(c.infinity) << above) - 1) : Register(~Register{0})) {}
  usual_image() = default;

  SORTILE_HOST_DEVICE Register image(Register u) const {
    const Register negative = u >> (8 * sizeof(Word) - 1);
    if constexpr (sizeof(Register) == 4)
      return u ^ negative * turned ^ flips; // nvcc makes a shift and two operations on bits of it
    else
      return u ^ ((Register{0} - negative) & turned) ^ flips;
  }
  /// The magnitude, and above all of them zeros; so the greatest rank of several keys tells whether all are usual.
  static SORTILE_HOST_DEVICE Register rank(Register u) { return (u << above) - 1; }

 private:
  static constexpr unsigned above = 8 * sizeof(Register) - 8 * sizeof(Word) + 1; // shifts the sign out
};

} // namespace sortile::kernels
