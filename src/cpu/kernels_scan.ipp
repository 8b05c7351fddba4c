// Kernels that only read keys (scan and histogram), and what all kernels share. Included once per instruction set
// (kernels_all.hpp).

namespace sortile::cpu::SORTILE_CPU_ISA {

template <bool Exact, class K>
inline K image_of(const key_image<K>& image, K key) {
  return Exact ? image.codec.whole_image(key) : image.plain(key);
}

} // namespace sortile::cpu::SORTILE_CPU_ISA

#include "cpu/kernels_splitters.ipp"

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

// Digits are taken from keys a block at a time, in a loop of its own, which compilers turn into vectors; the loops that
// count or move one key after another then only load them. That halves their instructions.
inline constexpr std::size_t digit_block = 256;

template <bool Exact, class K>
inline void digits_of(const K* keys, std::size_t n, const key_image<K>& image, const std::type_identity_t<split<K>>& d,
                      std::uint16_t* digits) {
  if (d.tree != nullptr)
    return splitter_digits_of<Exact>(keys, n, image, *d.tree, digits);
  const key_image<K> im = image;
  const unsigned shift = d.by.shift;
  const K mask = static_cast<K>(d.by.buckets() - 1);
  std::size_t i = 0;
#if defined(SORTILE_CPU_AVX512_HERE)
  if constexpr (!Exact && (sizeof(K) == 4 || sizeof(K) == 8))
    i = digits_of_vectors(keys, n, im, shift, mask, digits);
#endif
  for (; i < n; ++i)
    digits[i] = static_cast<std::uint16_t>(static_cast<K>(image_of<Exact>(im, keys[i]) >> shift) & mask);
}

// Keys below, equal to and above one key. Without tables: the equal ones would all wait for one counter.
template <bool Exact, class K, class Count>
inline void count_around(const K* keys, std::size_t n, const key_image<K>& image, K middle, Count* counts) {
  const key_image<K> im = image;
  std::size_t below = 0, above = 0;
  for (std::size_t i = 0; i < n; i += digit_block) {
    const std::size_t end = n - i < digit_block ? n : i + digit_block;
    std::uint32_t b = 0, a = 0;
    for (std::size_t j = i; j < end; ++j) {
      const K x = static_cast<K>(image_of<Exact>(im, keys[j]) & im.window);
      b += x < middle;
      a += x > middle;
    }
    below += b;
    above += a;
  }
  counts[0] = static_cast<Count>(counts[0] + below);
  counts[1] = static_cast<Count>(counts[1] + (n - below - above));
  counts[2] = static_cast<Count>(counts[2] + above);
}

// In arrays that are in order, or nearly, neighbours go to one bucket, and each would wait for the counter that the one
// before it has just written. So runs of so many equal digits are counted, and moved, together.
inline constexpr std::size_t digit_run = 16;

inline bool is_run(const std::uint16_t* digits) {
  std::uint16_t differing = 0;
  for (std::size_t i = 0; i < digit_run; ++i)
    differing = static_cast<std::uint16_t>(differing | (digits[i] ^ digits[0]));
  return differing == 0;
}

template <bool Exact, class K, class Count>
inline void count_digit(const K* keys, std::size_t n, const key_image<K>& image,
                        const std::type_identity_t<split<K>>& d, Count* counts) {
  if (d.around_key)
    return count_around<Exact>(keys, n, image, d.key_image, counts);
  alignas(64) std::uint16_t digits[digit_block];
  for (std::size_t i = 0; i < n; i += digit_block) {
    const std::size_t m = n - i < digit_block ? n - i : digit_block;
    digits_of<Exact>(keys + i, m, image, d, digits);
    std::size_t j = 0;
    for (; j + digit_run <= m; j += digit_run) {
      if (is_run(digits + j))
        counts[digits[j]] = static_cast<Count>(counts[digits[j]] + digit_run);
      else
        for (std::size_t k = j; k < j + digit_run; ++k)
          ++counts[digits[k]];
    }
    for (; j < m; ++j)
      ++counts[digits[j]];
  }
}

// OR, AND and the order of a block. Flags are gathered in key-wide integers, which compilers turn into vectors.
template <bool IsFloat, bool Exact, class K>
void look_at(const K* keys, std::size_t n, const K* before, const key_image<K>& image, look_result<K>& found) {
  const key_image<K> im = image;
  const auto ordering = [&](K u) {
    return static_cast<K>((Exact ? im.codec.whole_image(u) : im.plain(u)) & im.window);
  };
  K any = found.any, all = found.all, special = 0;
  for (std::size_t i = 0; i < n; ++i) {
    const K x = Exact ? im.codec.whole_image(keys[i]) : im.plain(keys[i]);
    any = static_cast<K>(any | x);
    all = static_cast<K>(all & x);
    if constexpr (IsFloat && !Exact)
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

template <class K>
void look(const K* keys, std::size_t n, const K* before, const key_image<K>& image, look_result<K>& found) {
  if constexpr (width_has_floats<K>) {
    if (image.is_float) {
      image.exact ? look_at<true, true>(keys, n, before, image, found)
                  : look_at<true, false>(keys, n, before, image, found);
      return;
    }
  }
  look_at<false, false>(keys, n, before, image, found);
}

template <class K>
void histogram(const K* keys, std::size_t n, const key_image<K>& image, const split<K>& d, std::uint64_t* counts) {
  if constexpr (width_has_floats<K>) {
    if (image.exact)
      return count_digit<true>(keys, n, image, d, counts);
  }
  count_digit<false>(keys, n, image, d, counts);
}

} // namespace sortile::cpu::SORTILE_CPU_ISA
