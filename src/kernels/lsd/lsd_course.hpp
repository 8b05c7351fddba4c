// What a pass of an LSD sort goes by, and the digits of its keys.
#pragma once

#include "kernels/lsd/keys_apart.hpp"
#include "kernels/lsd/value_ranks.hpp"

namespace sortile::kernels::inline SORTILE_BACKEND {

/// Kept in shared storage, since registers bound the tile's size. The arrays are chosen from the kernel's arguments
/// wherever they are used, so that the compiler knows that they are global memory. (Of a pointer kept in shared storage
/// it cannot know that: then no load from the stage may pass a store before it, and a thread's writes go one by one.)
template <class Word>
struct lsd_course {
  std::uint32_t tiles;
  std::uint32_t odd; // active passes before this one, modulo 2
  std::uint32_t pass, shift, mask;
  bool first, keys_to_output, values_to_output, write_keys;
  bool far;          // places of 2^32 and more occur, be it behind a gap (heavy_key.hpp)
  bool plain_floats; // neither −0 nor NaN among them
  bool apart;        // the digit is a class (keys_apart.hpp)
  Word usual;        // the high digits of nearly all keys, shifted like theirs

  /// Calls f once, with digit_of(key): by a function for integers, one for floats without −0 and NaNs, one for all, or
  /// one for classes, so that the question is not asked for each key. Ranks: of values, in storage of its own.
  template <bool ByRank, bool Apart, bool PlainFloats, class Ranks, class F>
  SORTILE_DEVICE void with_digits(const key_codec<Word>& codec, [[maybe_unused]] Ranks& ranks, F f) const {
    constexpr bool may_be_float = sizeof(Word) >= 2 && sizeof(Word) <= 8;
    const std::uint32_t shifted = shift, masked = mask;
    if constexpr (ByRank) {
      const any_image<Word> image(codec);
      f([&](Word key) { return value_ranks<Word>::rank_of(ranks, image.image(key)) >> shifted & masked; });
    } else {
      const auto digits_of = [&](const auto& image) {
        f([&](Word key) { return std::uint32_t(image.image(key) >> shifted) & masked; });
      };
      if constexpr (Apart)
        if (apart) {
          const any_image<Word> image(codec);
          const Word classes = usual;
          return f([&](Word key) { return std::uint32_t(apart_class_of(Word(image.image(key) >> shifted), classes)); });
        }
      if constexpr (lsd_may_be_plain_floats<Word> && PlainFloats)
        if (plain_floats)
          return digits_of(float_image<Word>{codec.complement});
      if constexpr (may_be_float)
        if (codec.infinity != 0)
          return digits_of(any_image<Word>(codec));
      digits_of(integer_image<Word>{Word(codec.sign ^ codec.complement)});
    }
  }
};

} // namespace sortile::kernels::inline SORTILE_BACKEND
