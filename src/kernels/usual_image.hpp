// The image of the keys that most arrays consist of, in fewer instructions than that of all (any_image.hpp), and
// whether there are others: zeros and NaNs, which compare as their bits do not.
#pragma once

#include "primitives/key_codec.hpp"

#include <type_traits>

namespace sortile::kernels {

/// The image in three instructions of 32 bits, two of them multiplications, for which a multiprocessor has time where
/// it has none for shifts and bits: of integers, and of all floats but zeros and NaNs. Shorter Words are widened
/// before: Register is std::uint32_t, or of longer keys the Word.
template <class Word, class Register = std::conditional_t<sizeof(Word) <= 4, std::uint32_t, Word>>
struct usual_image {
  static constexpr unsigned above = 8 * sizeof(Register) - 8 * sizeof(Word) + 1; // bits above all but the sign
  struct line {
    Register slope, offset;
  };
  Register last_positive; ///< the keys above have the sign's bit
  line positive, negative;
  Register most;                       ///< a key is unusual where its rank is above
  Register top = Register{1} << above; ///< a multiplication, too: the sign is moved out

  SORTILE_HOST_DEVICE explicit usual_image(const key_codec<Word>& c)
      : last_positive(c.sign != 0 ? Register(c.sign - 1) : Register(~Register{0})), positive{1, Register(c.sign)},
        negative{1, Register(Register{0} - c.sign)},
        most(c.infinity != 0 ? Register((Register(c.infinity) << above) - 1) : Register(~Register{0})) {
    constexpr auto ones = Register(Word(~Word{0}));
    if (c.infinity != 0)
      negative = {Register(~Register{0}), ones};
    if (c.complement != 0)
      for (line* l : {&positive, &negative})
        *l = {Register(Register{0} - l->slope), Register(ones - l->offset)};
  }
  usual_image() = default;

  SORTILE_HOST_DEVICE Register image(Register u) const {
    const Register above_zero = u * positive.slope + positive.offset;
    return u > last_positive ? Register(u * negative.slope + negative.offset) : above_zero;
  }
  /// The magnitude, and above all of them zeros; so the greatest rank of several keys tells whether all are usual.
  SORTILE_HOST_DEVICE Register rank(Register u) const { return u * top - 1; }
};

} // namespace sortile::kernels
