// Kernels that only read keys. Included once per instruction set (kernels_all.hpp), and compiled once per key width.
// Exact images of floats are made a block at a time, so few loops over keys are compiled twice for them.

#include "cpu/kernels_wide.ipp"

#include "cpu/kernels_splitters.ipp"

#include "cpu/kernels_heavy.ipp"

#include "cpu/kernels_cells.ipp"

namespace sortile::cpu::SORTILE_CPU_ISA {

#if defined(SORTILE_CPU_AVX512_HERE)
// Digits of plain images, as many as fill whole vectors; returns how many.
inline std::size_t digits_of_vectors(const std::uint32_t* keys, std::size_t n, const key_image<std::uint32_t>& image,
                                     unsigned shift, std::uint32_t mask, std::uint16_t* digits) {
  const __m512i negative = _mm512_set1_epi32(static_cast<int>(image.negative)),
                flip = _mm512_set1_epi32(static_cast<int>(image.flip));
  const __m512i kept = _mm512_set1_epi32(static_cast<int>(mask));
  const __m128i count = _mm_cvtsi32_si128(static_cast<int>(shift));
  std::size_t i = 0;
  for (; i + 16 <= n; i += 16) {
    const __m512i u = _mm512_loadu_si512(keys + i);
    const __m512i folded =
        _mm512_ternarylogic_epi32(u, _mm512_srai_epi32(u, 31), negative, 0x78); // u ^ (sign & negative)
    const __m512i digit_of = _mm512_and_si512(_mm512_srl_epi32(_mm512_xor_si512(folded, flip), count), kept);
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(digits + i), _mm512_cvtepi32_epi16(digit_of));
  }
  return i;
}

inline std::size_t digits_of_vectors(const std::uint64_t* keys, std::size_t n, const key_image<std::uint64_t>& image,
                                     unsigned shift, std::uint64_t mask, std::uint16_t* digits) {
  const __m512i negative = _mm512_set1_epi64(static_cast<long long>(image.negative));
  const __m512i flip = _mm512_set1_epi64(static_cast<long long>(image.flip)),
                kept = _mm512_set1_epi64(static_cast<long long>(mask));
  const __m128i count = _mm_cvtsi32_si128(static_cast<int>(shift));
  std::size_t i = 0;
  for (; i + 8 <= n; i += 8) {
    const __m512i u = _mm512_loadu_si512(keys + i);
    const __m512i folded = _mm512_ternarylogic_epi64(u, _mm512_srai_epi64(u, 63), negative, 0x78);
    const __m512i digit_of = _mm512_and_si512(_mm512_srl_epi64(_mm512_xor_si512(folded, flip), count), kept);
    _mm_storeu_si128(reinterpret_cast<__m128i*>(digits + i), _mm512_cvtepi64_epi16(digit_of));
  }
  return i;
}
#endif

// Calls f with a function that gives images: the plain ones in three operations, or the exact ones of floats.
template <class K, class F>
inline auto with_image(const key_image<K>& image, F&& f) {
  const key_image<K> im = image;
  if constexpr (width_has_floats<K>) {
    if (im.exact)
      return f([im](K key) { return im.exact_float(key); });
  }
  return f([im](K key) { return im.plain(key); });
}

// Ordering images of a block.
template <class K>
void images_of(const K* keys, std::size_t n, const key_image<K>& image, K* images) {
  const K window = image.window;
  with_image(image, [&](auto image_of) {
    for (std::size_t i = 0; i < n; ++i)
      images[i] = static_cast<K>(image_of(keys[i]) & window);
  });
}

// Images that are made already are taken for keys with this image.
template <class K>
inline key_image<K> as_it_is() {
  key_image<K> image;
  image.window = static_cast<K>(~K{0});
  return image;
}

template <class K>
void plain_digits_of(const K* keys, std::size_t n, const key_image<K>& image, const split<K>& d,
                     std::uint16_t* digits) {
  if (d.tree != nullptr)
    return d.tree->has_map() ? cell_digits_of(keys, n, image, *d.tree, digits)
                             : splitter_digits_of(keys, n, image, *d.tree, digits);
  const unsigned shift = d.by.shift;
  const K mask = static_cast<K>(d.by.buckets() - 1);
  std::size_t i = 0;
#if defined(SORTILE_CPU_AVX512_HERE)
  if constexpr (sizeof(K) == 4 || sizeof(K) == 8)
    i = digits_of_vectors(keys, n, image, shift, mask, digits);
#endif
  for (const key_image<K> im = image; i < n; ++i)
    digits[i] = static_cast<std::uint16_t>(static_cast<K>(im.plain(keys[i]) >> shift) & mask);
}

// Exact images take many more operations than plain ones, so vectors make those of the block beforehand.
template <class K>
void digits_of(const K* keys, std::size_t n, const key_image<K>& image, const split<K>& d, std::uint16_t* digits) {
  if constexpr (width_has_floats<K>) {
    if (image.exact) {
      K images[digit_block];
      images_of(keys, n, image, images);
      return plain_digits_of(images, n, as_it_is<K>(), d, digits);
    }
  }
  plain_digits_of(keys, n, image, d, digits);
}

// Keys below, equal to and above one key. Without tables: the equal ones would all wait for one counter.
template <class K, class Count>
inline void count_around(const K* keys, std::size_t n, const key_image<K>& image, K middle, Count* counts) {
  std::size_t below = 0, above = 0;
  K images[digit_block];
  for (std::size_t i = 0; i < n; i += digit_block) {
    const std::size_t m = n - i < digit_block ? n - i : digit_block;
    images_of(keys + i, m, image, images);
    std::uint32_t b = 0, a = 0;
    for (std::size_t j = 0; j < m; ++j) {
      b += images[j] < middle;
      a += images[j] > middle;
    }
    below += b;
    above += a;
  }
  counts[0] = static_cast<Count>(counts[0] + below);
  counts[1] = static_cast<Count>(counts[1] + (n - below - above));
  counts[2] = static_cast<Count>(counts[2] + above);
}

template <class Count>
inline void count_block(const std::uint16_t* digits, std::size_t n, Count* counts) {
  std::size_t i = 0;
  for (; i + digit_run <= n; i += digit_run) {
    if (is_run(digits + i))
      counts[digits[i]] = static_cast<Count>(counts[digits[i]] + digit_run);
    else
      for (std::size_t j = i; j < i + digit_run; ++j)
        ++counts[digits[j]];
  }
  for (; i < n; ++i)
    ++counts[digits[i]];
}

// Counts keys a block at a time, and keeps their digits unless `kept` is null.
template <class K, class Count>
inline void count_blocks(const K* keys, std::size_t n, const key_image<K>& image, const split<K>& d, Count* counts,
                         std::uint16_t* kept) {
  alignas(64) std::uint16_t digits[digit_block];
  for (std::size_t i = 0; i < n; i += digit_block) {
    const std::size_t m = n - i < digit_block ? n - i : digit_block;
    digits_of(keys + i, m, image, d, digits);
    count_block(digits, m, counts);
    if (kept != nullptr)
      std::copy(digits, digits + m, kept + i);
  }
}

// The same beside heavy keys. Of each group the digits of what is left are kept at its beginning.
template <class K, class Count>
void count_beside_heavy(const K* keys, std::size_t n, const key_image<K>& image, const split<K>& d, Count* counts,
                        std::uint16_t* kept) {
  alignas(64) std::uint16_t digits[digit_block];
  lighter_group<K, no_value> lighter;
  for (std::size_t i = 0; i < n; i += heavy_group) {
    const std::size_t in_group = n - i < heavy_group ? n - i : heavy_group;
    const std::size_t left =
        lighter.take_out(keys + i, nullptr, in_group, 0, *d.tree, [&](std::size_t h, const void*, std::size_t count) {
          Count& sum = counts[d.tree->heavy_bucket[h]];
          sum = static_cast<Count>(sum + count);
        });
    for (std::size_t j = 0; j < left; j += digit_block) {
      const std::size_t m = left - j < digit_block ? left - j : digit_block;
      digits_of(lighter.keys() + j, lighter.in_vectors(m), image, d, digits);
      count_block(digits, m, counts);
      if (kept != nullptr)
        std::copy(digits, digits + m, kept + i + j);
    }
  }
}

template <class K, class Count>
void count_digit(const K* keys, std::size_t n, const key_image<K>& image, const split<K>& d, Count* counts) {
  if (d.around_key)
    return count_around(keys, n, image, d.key_image, counts);
  if (d.tree != nullptr && d.tree->heavy_keys > 0)
    return count_beside_heavy<K, Count>(keys, n, image, d, counts, nullptr);
  count_blocks<K, Count>(keys, n, image, d, counts, nullptr);
}

// Of a split between splitters, or by a map.
template <class K>
void count_and_keep(const K* keys, std::size_t n, const key_image<K>& image, const split<K>& d, std::uint64_t* counts,
                    std::uint16_t* kept) {
  d.tree->heavy_keys > 0 ? count_beside_heavy(keys, n, image, d, counts, kept)
                         : count_blocks(keys, n, image, d, counts, kept);
}

template <class K>
K differing_bits(const K* keys, std::size_t n, const key_image<K>& image) {
  return with_image(image, [&](auto image_of) {
    const K first = image_of(keys[0]);
    K differing = 0;
    for (std::size_t i = 1; i < n; ++i)
      differing = static_cast<K>(differing | static_cast<K>(image_of(keys[i]) ^ first));
    return static_cast<K>(differing & image.window);
  });
}

template <class K, class Word>
void make_words(const K* keys, std::size_t n, const key_image<K>& image, const word_shape& shape, Word* words) {
  const K kept = static_cast<K>(image.window & low_bits<K>(shape.width));
  const unsigned dropped = shape.dropped, position_bits = shape.position_bits;
  with_image(image, [&](auto image_of) {
    for (std::size_t i = 0; i < n; ++i)
      words[i] =
          static_cast<Word>(static_cast<Word>(static_cast<K>(image_of(keys[i]) & kept) >> dropped) << position_bits |
                            static_cast<Word>(i));
  });
}

// Which of 64 images are below the one before them; that of the first one is there too.
template <class K>
inline std::uint64_t descents(const K* images) {
  std::uint64_t found = 0;
#if defined(SORTILE_CPU_AVX512_HERE)
  constexpr std::size_t lanes = 64 / sizeof(K);
  if constexpr (sizeof(K) == 4 || sizeof(K) == 8) {
    for (std::size_t j = 0; j < 64; j += lanes) {
      const __m512i x = _mm512_loadu_si512(images + j), before = _mm512_loadu_si512(images + j - 1);
      if constexpr (sizeof(K) == 4)
        found |= static_cast<std::uint64_t>(_mm512_cmplt_epu32_mask(x, before)) << j;
      else
        found |= static_cast<std::uint64_t>(_mm512_cmplt_epu64_mask(x, before)) << j;
    }
    return found;
  }
#elif defined(SORTILE_CPU_AVX2_HERE)
  if constexpr (sizeof(K) == 4 || sizeof(K) == 8) {
    for (std::size_t j = 0; j < 64; j += wide_lanes<K>) {
      const wide below = is_greater<K>(load_wide(images + j - 1), load_wide(images + j));
      const int signs = sizeof(K) == 4 ? _mm256_movemask_ps(_mm256_castsi256_ps(below))
                                       : _mm256_movemask_pd(_mm256_castsi256_pd(below));
      found |= static_cast<std::uint64_t>(signs) << j;
    }
    return found;
  }
#endif
  for (std::size_t j = 0; j < 64; ++j)
    found |= static_cast<std::uint64_t>(images[j] < images[j - 1]) << j;
  return found;
}

template <class K, class Word>
std::uint64_t wrong_ties(const K* keys, const Word* words, std::size_t n, const key_image<K>& image, Word bits) {
  Word tied = 0;
  for (std::size_t j = 0; j < n; ++j)
    tied = static_cast<Word>(tied | static_cast<Word>((words[j] ^ words[j - 1]) <= bits));
  if (tied == 0)
    return 0;
  K images[1 + 64];
  images_of(keys - 1, n + 1, image, images);
  std::fill(images + 1 + n, std::end(images), static_cast<K>(~K{0}));
  return descents(images + 1);
}

/// Finds the keys of n that come before the one before them. Returns how many there are; where they are more than
/// `most`, a greater number than that.
template <class K>
std::size_t find_descents(const K* keys, std::size_t n, const key_image<K>& image, std::size_t most, std::size_t* at) {
  constexpr std::size_t step = 64;
  K images[1 + step];
  std::size_t found = 0;
  for (std::size_t i = 1; i < n; i += step) {
    const std::size_t m = n - i < step ? n - i : step;
    images_of(keys + i - 1, m + 1, image, images);
    std::fill(images + 1 + m, std::end(images), static_cast<K>(~K{0}));
    for (std::uint64_t here = descents(images + 1); here != 0; here &= here - 1) {
      if (found == most)
        return most + 1;
      at[found++] = i + static_cast<unsigned>(__builtin_ctzll(here));
    }
  }
  return found;
}

// OR, AND and the order of a block, by plain images. Flags are gathered in key-wide integers, which compilers turn into
// vectors.
template <bool IsFloat, class K>
void look_at(const K* keys, std::size_t n, const K* before, const key_image<K>& image, look_result<K>& found) {
  const key_image<K> im = image;
  const auto ordering = [&](K u) { return static_cast<K>(im.plain(u) & im.window); };
  K any = found.any, all = found.all, special = 0;
  for (std::size_t i = 0; i < n; ++i) {
    const K x = im.plain(keys[i]);
    any = static_cast<K>(any | x);
    all = static_cast<K>(all & x);
    if constexpr (IsFloat)
      special = static_cast<K>(special | static_cast<K>(im.is_special(keys[i])));
  }
  found.any = any;
  found.all = all;
  found.special = found.special || special != 0;
  if (n == 0 || !(found.ascending || found.descending))
    return;
  K falls = 0, rises_or_stays = 0;
  if (before != nullptr) {
    const K x = ordering(*before), y = ordering(keys[0]);
    falls = x > y;
    rises_or_stays = x <= y;
  }
  for (std::size_t i = 1; i < n; ++i) {
    const K x = ordering(keys[i - 1]), y = ordering(keys[i]);
    falls = static_cast<K>(falls | static_cast<K>(x > y));
    rises_or_stays = static_cast<K>(rises_or_stays | static_cast<K>(x <= y));
  }
  found.ascending = found.ascending && falls == 0;
  found.descending = found.descending && rises_or_stays == 0;
}

// The same by exact images, within the window.
template <class K>
void look_exactly(const K* keys, std::size_t n, const K* before, const key_image<K>& image, look_result<K>& found) {
  K images[1 + digit_block]; // the last one of the block before, then those of the block
  if (before != nullptr)
    images_of(before, 1, image, images);
  for (std::size_t i = 0; i < n; i += digit_block) {
    const std::size_t m = n - i < digit_block ? n - i : digit_block;
    images_of(keys + i, m, image, images + 1);
    look_at<false>(images + 1, m, before != nullptr || i > 0 ? images : nullptr, as_it_is<K>(), found);
    images[0] = images[m];
  }
}

template <class K>
void look(const K* keys, std::size_t n, const K* before, const key_image<K>& image, look_result<K>& found) {
  if constexpr (width_has_floats<K>) {
    if (image.is_float)
      return image.exact ? look_exactly(keys, n, before, image, found) : look_at<true>(keys, n, before, image, found);
  }
  look_at<false>(keys, n, before, image, found);
}

} // namespace sortile::cpu::SORTILE_CPU_ISA
