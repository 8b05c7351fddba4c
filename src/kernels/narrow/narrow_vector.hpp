// 16 bytes of narrow keys in four registers. In an array of keys each would take a register of its own.
#pragma once

#include "simt/simt.hpp"

namespace sortile::kernels::inline SORTILE_BACKEND {

template <class Word>
class narrow_vector {
 public:
  static constexpr int size = int(16 / sizeof(Word));

  narrow_vector() = default;
  template <class Array, class I>
  static SORTILE_DEVICE narrow_vector load(const Array& array, I i) {
    return narrow_vector(__builtin_bit_cast(words, simt::load_vector<size>(array, i)));
  }
  /// f(e) for each key.
  template <class F>
  static SORTILE_DEVICE narrow_vector made(F f) {
    narrow_vector v;
    SORTILE_UNROLL
    for (int w = 0; w < 4; ++w) {
      v.words_[w] = 0;
      SORTILE_UNROLL
      for (int e = 0; e < in_word; ++e)
        v.words_[w] |= std::uint32_t{Word(f(w * in_word + e))} << (e * bits);
    }
    return v;
  }
  template <class Array, class I>
  SORTILE_DEVICE void store(const Array& array, I i) const {
    simt::store_vector<size>(array, i, __builtin_bit_cast(simt::vec<Word, size>, words_));
  }
  SORTILE_DEVICE Word operator[](int e) const { return Word(words_[e / in_word] >> (e % in_word * bits)); }

  /// The key number e, which need not be known to the compiler.
  SORTILE_DEVICE Word at(unsigned e) const {
    const unsigned w = e / in_word;
    const std::uint32_t low = w == 0 ? words_[0] : words_[1], high = w == 2 ? words_[2] : words_[3];
    return Word((w < 2 ? low : high) >> (e % in_word * bits));
  }

 private:
  static constexpr int bits = int(8 * sizeof(Word)), in_word = int(4 / sizeof(Word));
  using words = simt::vec<std::uint32_t, 4>;
  explicit SORTILE_DEVICE narrow_vector(const words& w) : words_(w) {}
  words words_;
};

} // namespace sortile::kernels::inline SORTILE_BACKEND
