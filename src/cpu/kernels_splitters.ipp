// Buckets between splitters: the digit of a key is found in a tree of 127 sampled keys. Included once per instruction
// set (kernels_all.hpp).
//
// Idea: where keys are skewed, their highest bits put most of them into a few buckets, which would have to be
// partitioned again and again. Splitters drawn from a sample make buckets of equal size, however keys are spread. A key
// that is itself a splitter gets an equality bucket, which needs no further sort: so duplicates are moved once.
//
//     level 0            s63                  i = 0
//     level 1       s31        s95            i = 2 i + (s ≤ x), seven times: i splitters are not above x
//     level 2    s15  s47   s79  s111
//     …                                       bucket 2 i, or 2 i − 1 where x = s[i − 1]
//
// All levels are in registers, and permutations by i look them up. 31 splitters would cost half as much, and often one
// more partition. What the scan has found is kept, a byte a key, as far as scratch reaches, so that the partition need
// not find it again. Source: super scalar sample sort: Sanders and Winkel, ESA
// 2004; equality buckets: Axtmann et al., ESA 2017.
namespace sortile::cpu::SORTILE_CPU_ISA {

template <class K>
inline std::uint16_t splitter_digit(const splitter_tree<K>& tree, K x) {
  std::size_t i = 0;
  for (unsigned level = 0; level < splitter_tree<K>::levels; ++level)
    i = 2 * i + (tree.level[level][i] <= x);
  return static_cast<std::uint16_t>(2 * i - (i > 0 && tree.sorted[i - 1] == x));
}

#if defined(SORTILE_CPU_AVX512_HERE)
inline std::size_t splitter_digits(const std::uint32_t* keys, std::size_t n, const key_image<std::uint32_t>& image,
                                   const splitter_tree<std::uint32_t>& tree, std::uint16_t* digits) {
  const __m512i negative = _mm512_set1_epi32(static_cast<int>(image.negative)),
                flip = _mm512_set1_epi32(static_cast<int>(image.flip)),
                window = _mm512_set1_epi32(static_cast<int>(image.window)), one = _mm512_set1_epi32(1);
  const auto part = [&](unsigned level, unsigned i) { return _mm512_loadu_si512(tree.level[level] + 16 * i); };
  const __m512i root = _mm512_set1_epi32(static_cast<int>(tree.level[0][0]));
  const __m512i l1 = part(1, 0), l2 = part(2, 0), l3 = part(3, 0), l4 = part(4, 0), l5 = part(5, 0), l5b = part(5, 1);
  const __m512i l6 = part(6, 0), l6b = part(6, 1), l6c = part(6, 2), l6d = part(6, 3);
  std::size_t at = 0;
  for (; at + 16 <= n; at += 16) {
    const __m512i u = _mm512_loadu_si512(keys + at);
    const __m512i folded = _mm512_ternarylogic_epi32(u, _mm512_srai_epi32(u, 31), negative, 0x78);
    const __m512i x = _mm512_and_si512(_mm512_xor_si512(folded, flip), window);
    __m512i i = _mm512_setzero_si512(), last = _mm512_xor_si512(x, one); // not above x, at first not equal
    const auto down = [&](__m512i splitters) {
      const __mmask16 right = _mm512_cmple_epu32_mask(splitters, x);
      last = _mm512_mask_mov_epi32(last, right, splitters);
      i = _mm512_add_epi32(i, i);
      i = _mm512_mask_add_epi32(i, right, i, one);
    };
    down(root);
    down(_mm512_permutexvar_epi32(i, l1));
    down(_mm512_permutexvar_epi32(i, l2));
    down(_mm512_permutexvar_epi32(i, l3));
    down(_mm512_permutexvar_epi32(i, l4));
    down(_mm512_permutex2var_epi32(l5, i, l5b));
    const __mmask16 upper = _mm512_test_epi32_mask(i, _mm512_set1_epi32(32));
    down(_mm512_mask_mov_epi32(_mm512_permutex2var_epi32(l6, i, l6b), upper, _mm512_permutex2var_epi32(l6c, i, l6d)));
    i = _mm512_add_epi32(i, i);
    i = _mm512_mask_sub_epi32(i, _mm512_cmpeq_epu32_mask(last, x), i, one);
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(digits + at), _mm512_cvtepi32_epi16(i));
  }
  return at;
}

inline std::size_t splitter_digits(const std::uint64_t* keys, std::size_t n, const key_image<std::uint64_t>& image,
                                   const splitter_tree<std::uint64_t>& tree, std::uint16_t* digits) {
  const __m512i negative = _mm512_set1_epi64(static_cast<long long>(image.negative)),
                flip = _mm512_set1_epi64(static_cast<long long>(image.flip)),
                window = _mm512_set1_epi64(static_cast<long long>(image.window)), one = _mm512_set1_epi64(1);
  const auto part = [&](unsigned level, unsigned i) { return _mm512_loadu_si512(tree.level[level] + 8 * i); };
  const __m512i root = _mm512_set1_epi64(static_cast<long long>(tree.level[0][0]));
  const __m512i l1 = part(1, 0), l2 = part(2, 0), l3 = part(3, 0), l4 = part(4, 0), l4b = part(4, 1);
  const __m512i l5 = part(5, 0), l5b = part(5, 1), l5c = part(5, 2), l5d = part(5, 3);
  const __m512i l6a = part(6, 0), l6b = part(6, 1), l6c = part(6, 2), l6d = part(6, 3), l6e = part(6, 4),
                l6f = part(6, 5), l6g = part(6, 6), l6h = part(6, 7);
  std::size_t at = 0;
  for (; at + 8 <= n; at += 8) {
    const __m512i u = _mm512_loadu_si512(keys + at);
    const __m512i folded = _mm512_ternarylogic_epi64(u, _mm512_srai_epi64(u, 63), negative, 0x78);
    const __m512i x = _mm512_and_si512(_mm512_xor_si512(folded, flip), window);
    __m512i i = _mm512_setzero_si512(), last = _mm512_xor_si512(x, one); // not above x, at first not equal
    const auto down = [&](__m512i splitters) {
      const __mmask8 right = _mm512_cmple_epu64_mask(splitters, x);
      last = _mm512_mask_mov_epi64(last, right, splitters);
      i = _mm512_add_epi64(i, i);
      i = _mm512_mask_add_epi64(i, right, i, one);
    };
    down(root);
    down(_mm512_permutexvar_epi64(i, l1));
    down(_mm512_permutexvar_epi64(i, l2));
    down(_mm512_permutexvar_epi64(i, l3));
    down(_mm512_permutex2var_epi64(l4, i, l4b));
    const __mmask8 upper = _mm512_test_epi64_mask(i, _mm512_set1_epi64(16));
    down(_mm512_mask_mov_epi64(_mm512_permutex2var_epi64(l5, i, l5b), upper, _mm512_permutex2var_epi64(l5c, i, l5d)));
    const __mmask8 second = _mm512_test_epi64_mask(i, _mm512_set1_epi64(16)),
                   half = _mm512_test_epi64_mask(i, _mm512_set1_epi64(32));
    down(_mm512_mask_mov_epi64(
        _mm512_mask_mov_epi64(_mm512_permutex2var_epi64(l6a, i, l6b), second, _mm512_permutex2var_epi64(l6c, i, l6d)),
        half,
        _mm512_mask_mov_epi64(_mm512_permutex2var_epi64(l6e, i, l6f), second, _mm512_permutex2var_epi64(l6g, i, l6h))));
    i = _mm512_add_epi64(i, i);
    i = _mm512_mask_sub_epi64(i, _mm512_cmpeq_epu64_mask(last, x), i, one);
    _mm_storeu_si128(reinterpret_cast<__m128i*>(digits + at), _mm512_cvtepi64_epi16(i));
  }
  return at;
}
#endif

// By plain images.
template <class K>
inline void splitter_digits_of(const K* keys, std::size_t n, const key_image<K>& image, const splitter_tree<K>& tree,
                               std::uint16_t* digits) {
  std::size_t i = 0;
#if defined(SORTILE_CPU_AVX512_HERE)
  if constexpr (sizeof(K) == 4 || sizeof(K) == 8)
    i = splitter_digits(keys, n, image, tree, digits);
#endif
  for (; i < n; ++i)
    digits[i] = splitter_digit(tree, static_cast<K>(image.plain(keys[i]) & image.window));
}

} // namespace sortile::cpu::SORTILE_CPU_ISA
