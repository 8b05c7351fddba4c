// Keys of many shapes for the tests of sorts: what their steps find hard, of every width, the same each time.
#pragma once

#include "primitives/key_codec.hpp"
#include "tests/simt/fixture.hpp"

#include <algorithm>

namespace sortile::simt_tests {
inline namespace SORTILE_BACKEND {

enum class shape {
  uniform,
  and_of_3,
  few,
  equal,
  sorted,
  nearly_sorted,
  reversed,
  narrow,           // random below 2^10
  one_giant_bucket, // 7 of 8 keys differ in their low 10 bits alone
  special,          // of floats: what special_float() gives, and random bits
  raised,           // as narrow, with the highest bit
  one_digit,        // the highest alone differs: an odd number of passes
  clusters,         // few values close together in each of 64 places far apart: buckets are even, bins are not
  mostly_sorted,    // one in 32 stands elsewhere
  organ_pipe        // ascending, then descending: each value twice
};
inline constexpr shape partition_shapes[] = {shape::uniform,  shape::and_of_3,      shape::few,
                                             shape::equal,    shape::sorted,        shape::nearly_sorted,
                                             shape::reversed, shape::narrow,        shape::one_giant_bucket,
                                             shape::clusters, shape::mostly_sorted, shape::organ_pipe};
inline constexpr shape digit_shapes[] = {shape::uniform,  shape::and_of_3, shape::few,
                                         shape::equal,    shape::sorted,   shape::nearly_sorted,
                                         shape::reversed, shape::raised,   shape::one_digit};

template <class Word>
inline constexpr key_type unsigned_type = sizeof(Word) == 1   ? key_type::u8
                                          : sizeof(Word) == 2 ? key_type::u16
                                          : sizeof(Word) == 4 ? key_type::u32
                                          : sizeof(Word) == 8 ? key_type::u64
                                                              : key_type::u128;

/// Zeros, ones, infinities and NaNs of both signs, subnormals, and numbers beside them.
template <class Word>
Word special_float(std::uint32_t r) {
  constexpr Word sign = Word{1} << (8 * sizeof(Word) - 1),
                 infinity = Word(infinity_bits(sizeof(Word) == 4 ? key_type::f32 : key_type::f64));
  const Word magnitudes[] = {0,
                             1,
                             2,
                             infinity,
                             Word(infinity + 1),
                             Word(infinity | infinity >> 1),
                             Word(~sign),
                             Word(infinity - 1),
                             Word(infinity / 2)};
  return magnitudes[r % std::size(magnitudes)] | (r >> 16 & 1 ? sign : 0);
}

/// All of these, or in short tests those for which the steps have ways of their own.
inline std::vector<shape> shapes_of(std::span<const shape> all) {
  std::vector<shape> kept;
  for (const shape kind : all)
    if (!short_tests() || kind == shape::uniform || kind == shape::few || kind == shape::sorted ||
        kind == shape::reversed || kind >= shape::one_giant_bucket)
      kept.push_back(kind);
  return kept;
}

namespace key_shapes {
template <class Word>
inline constexpr std::size_t draw_words = sizeof(Word) > 8 ? 4 : 2; // of `noise`
template <class Word>
Word draw(const std::uint32_t* bits) {
  Word w{};
  for (std::size_t k = 0; k < draw_words<Word>; ++k)
    w = Word(uint128{w} << 32 | bits[k]);
  return w;
}

/// A key of the shape, from three draws; orders are made afterwards.
template <class Word>
Word key(shape kind, const std::uint32_t* bits) {
  constexpr unsigned width = 8 * sizeof(Word);
  constexpr std::size_t words = draw_words<Word>;
  const Word r = draw<Word>(bits);
  switch (kind) {
  case shape::and_of_3:
    return Word(r & draw<Word>(bits + words) & draw<Word>(bits + 2 * words));
  case shape::few:
    return Word(r % 5 * Word(0x31415927));
  case shape::equal:
    return 42;
  case shape::narrow:
    return Word(r & 1023);
  case shape::raised:
    return Word((r & 1023) | Word(Word(1) << (width - 1)));
  case shape::one_giant_bucket:
    return bits[words] % 8 != 0 ? Word(Word(Word(5) << (width - 4)) | (r & 1023)) : r;
  case shape::one_digit:
    return Word(r << (width - 8));
  case shape::clusters:
    if constexpr (width < 16)
      return r;
    else
      return Word(Word(r % 64) << (width - 6)) + Word(bits[words] % 50);
  case shape::special:
    if constexpr (sizeof(Word) == 4 || sizeof(Word) == 8)
      return bits[words] % 3 != 0 ? special_float<Word>(bits[words + 1]) : r;
    return r;
  default:
    return r;
  }
}
} // namespace key_shapes

/// Sorted and reversed by the images of the codec.
template <class Word>
std::vector<Word> make_keys(std::size_t n, shape kind,
                            const key_codec<Word>& codec = make_key_codec<Word>(unsigned_type<Word>, {}, {})) {
  constexpr std::size_t a_key = 3 * key_shapes::draw_words<Word>;
  const auto bits = noise(a_key * n + a_key, std::uint32_t(n) + 17);
  std::vector<Word> keys(n);
  for (std::size_t i = 0; i < n; ++i)
    keys[i] = key_shapes::key<Word>(kind, &bits[a_key * i]);
  const auto less = [&](Word a, Word b) { return codec.image(a) < codec.image(b); };
  if (kind == shape::sorted || kind == shape::nearly_sorted || kind == shape::mostly_sorted)
    std::stable_sort(keys.begin(), keys.end(), less);
  if (kind == shape::nearly_sorted && n > 1)
    std::swap(keys[n - 1], keys[n / 2]);
  if (kind == shape::mostly_sorted)
    for (std::size_t i = 0; i < n; ++i)
      if (bits[a_key * i] % 32 == 0)
        std::swap(keys[i], keys[bits[a_key * i + 1] % n]);
  if (kind == shape::organ_pipe) {
    std::stable_sort(keys.begin(), keys.begin() + n / 2, less);
    std::reverse_copy(keys.begin(), keys.begin() + n / 2, keys.begin() + (n + 1) / 2);
  }
  if (kind == shape::reversed)
    std::stable_sort(keys.begin(), keys.end(), [&](Word a, Word b) { return less(b, a); });
  return keys;
}

} // namespace SORTILE_BACKEND
} // namespace sortile::simt_tests
