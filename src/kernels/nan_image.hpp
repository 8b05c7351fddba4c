// The image of keys of any type (any_image.hpp), with NaNs first or last of all whichever way the order goes:
// below_pivot.hpp and usual_image.hpp leave them to images.
#pragma once

#include "kernels/any_image.hpp"

namespace sortile::kernels {

template <class Word>
struct nan_image : any_image<Word> {
  Word nan; ///< theirs

  /// As the codec has it, unless they come last: then in a descending order too.
  SORTILE_HOST_DEVICE nan_image(const key_codec<Word>& c, bool last)
      : any_image<Word>(c), nan(last ? Word(~Word{0}) : Word(~c.complement)) {}
  nan_image() = default;

  SORTILE_HOST_DEVICE Word image(Word u) const {
    const Word m = u & this->magnitude, v = m == 0 ? Word{0} : u;
    const Word below_zero = Word{0} - ((v & this->negative) >> (8 * sizeof(Word) - 1));
    return m > this->infinity ? nan : Word(v ^ (below_zero | this->sign) ^ this->complement);
  }
};

} // namespace sortile::kernels
