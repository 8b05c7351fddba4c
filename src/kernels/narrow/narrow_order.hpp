// The rank of a key among all patterns that its bits can have, and back.
//
// Where a key has 8 or 16 bits, its place in the order is a number of as many bits, and every number belongs to one
// key:
//
//   integers    the codec's image: the bits, with sign and direction flipped
//   floats      −inf … −0, +0 … +inf, then the NaNs, first those without sign; descending the other way round
//
// For floats the codec knows fewer places: the two zeros share one, and so do all NaNs (key_codec.hpp). Ranks are
// finer. So sorting by them is what the codec promises only where the input has not both zeros, nor two patterns of
// NaN.
//
//   o     bits, all flipped where negative, else the sign          −NaNs  −inf … −0  +0 … +inf  +NaNs
//   rank  o − o(−inf), modulo 2^bits                                      −inf … −0  +0 … +inf  +NaNs  −NaNs
#pragma once

#include "primitives/key_codec.hpp"

namespace sortile::kernels {

template <class Word>
struct narrow_order {
  Word sign = 0, infinity = 0, complement = 0;

  static narrow_order of(const key_codec<Word>& codec) { return {codec.sign, codec.infinity, codec.complement}; }

  SORTILE_HOST_DEVICE bool is_float() const { return infinity != 0; }
  SORTILE_HOST_DEVICE Word rank(Word key) const {
    if (!is_float())
      return Word(key ^ sign ^ complement);
    const Word flip = (key & sign) != 0 ? Word(~Word{0}) : sign;
    return Word(Word((key ^ flip) - lowest()) ^ complement);
  }
  SORTILE_HOST_DEVICE Word key(Word rank) const {
    if (!is_float())
      return Word(rank ^ sign ^ complement);
    const Word o = Word((rank ^ complement) + lowest());
    return Word(o ^ ((o & sign) != 0 ? sign : Word(~Word{0})));
  }

  /// How many patterns of NaN are present, of the part that thread t of so many answers for. present(rank) says which.
  template <class Present>
  SORTILE_HOST_DEVICE unsigned nans(unsigned t, unsigned threads, Present present) const {
    const Word first = Word(Word(sign | infinity) + 1 - lowest());
    unsigned found = 0;
    for (unsigned r = first + t; r <= Word(~Word{0}); r += threads)
      found += present(Word(r ^ complement)) ? 1u : 0u;
    return found;
  }
  template <class Present>
  SORTILE_HOST_DEVICE bool both_zeros(Present present) const {
    return present(rank(Word{0})) && present(rank(sign));
  }

 private:
  /// o(−inf)
  SORTILE_HOST_DEVICE Word lowest() const { return Word(~Word(sign | infinity)); }
};

} // namespace sortile::kernels
