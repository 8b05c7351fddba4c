// Buckets by a map of cells (cell_map.hpp), by vectors. Included once per instruction set (kernels_all.hpp).
//
// The table of cells fits into four vectors, so a look-up is two permutations and a choice between them: some 16
// instructions for 16 keys, where a search among splitters takes 60.
namespace sortile::cpu::SORTILE_CPU_ISA {

#if defined(SORTILE_CPU_AVX512_HERE)
// Images of a vector of keys.
inline __m512i plain_images(__m512i u, const key_image<std::uint32_t>& image) {
  const __m512i folded =
      _mm512_ternarylogic_epi32(u, _mm512_srai_epi32(u, 31), _mm512_set1_epi32(static_cast<int>(image.negative)), 0x78);
  return _mm512_and_si512(_mm512_xor_si512(folded, _mm512_set1_epi32(static_cast<int>(image.flip))),
                          _mm512_set1_epi32(static_cast<int>(image.window)));
}
inline __m512i plain_images(__m512i u, const key_image<std::uint64_t>& image) {
  const __m512i folded = _mm512_ternarylogic_epi64(u, _mm512_srai_epi64(u, 63),
                                                   _mm512_set1_epi64(static_cast<long long>(image.negative)), 0x78);
  return _mm512_and_si512(_mm512_xor_si512(folded, _mm512_set1_epi64(static_cast<long long>(image.flip))),
                          _mm512_set1_epi64(static_cast<long long>(image.window)));
}

// Buckets of distances that have 32 bits each.
inline __m512i buckets_of_cells(__m512i distance, const __m512i (&table)[4]) {
  const __m512i c = _mm512_srli_epi32(distance, 26);
  const __m512i low = _mm512_permutex2var_epi32(table[0], c, table[1]),
                high = _mm512_permutex2var_epi32(table[2], c, table[3]);
  const __m512i cell = _mm512_mask_mov_epi32(low, _mm512_test_epi32_mask(c, _mm512_set1_epi32(32)), high);
  const __m512i in_cell = _mm512_srli_epi32(_mm512_slli_epi32(distance, 6), 16); // 0 in the upper halves
  return _mm512_add_epi32(_mm512_srli_epi32(cell, 16), _mm512_mulhi_epu16(in_cell, cell));
}

// As many as fill whole vectors; returns how many.
template <class K>
inline std::size_t cell_digits(const K* keys, std::size_t n, const key_image<K>& image, const splitter_tree<K>& tree,
                               std::uint16_t* digits) {
  static_assert(cell_map<K>::cell_bits == 6 && cell_map<K>::part_bits == 16);
  const cell_map<K>& map = tree.map;
  const __m512i table[4] = {_mm512_load_si512(map.cell), _mm512_load_si512(map.cell + 16),
                            _mm512_load_si512(map.cell + 32), _mm512_load_si512(map.cell + 48)};
  const __m128i down = _mm_cvtsi32_si128(static_cast<int>(map.down)), up = _mm_cvtsi32_si128(static_cast<int>(map.up));
  const key_image<K> im = image;
  std::size_t at = 0;
  for (; at + 16 <= n; at += 16) {
    __m512i distance;
    __m512i x[2];
    if constexpr (sizeof(K) == 4) {
      const __m512i least = _mm512_set1_epi32(static_cast<int>(map.least)),
                    most = _mm512_set1_epi32(static_cast<int>(map.most));
      x[0] = plain_images(_mm512_loadu_si512(keys + at), im);
      distance = _mm512_sll_epi32(_mm512_min_epu32(_mm512_sub_epi32(_mm512_max_epu32(x[0], least), least), most), up);
    } else {
      const __m512i least = _mm512_set1_epi64(static_cast<long long>(map.least)),
                    most = _mm512_set1_epi64(static_cast<long long>(map.most));
      __m256i half[2];
      for (std::size_t h = 0; h < 2; ++h) {
        x[h] = plain_images(_mm512_loadu_si512(keys + at + 8 * h), im);
        const __m512i from_least = _mm512_min_epu64(_mm512_sub_epi64(_mm512_max_epu64(x[h], least), least), most);
        half[h] = _mm512_cvtepi64_epi32(_mm512_sll_epi64(_mm512_srl_epi64(from_least, down), up));
      }
      distance = _mm512_inserti64x4(_mm512_castsi256_si512(half[0]), half[1], 1);
    }
    __m512i bucket = buckets_of_cells(distance, table);
    for (std::size_t h = 0; h < tree.heavy_keys; ++h) {
      const K heavy = tree.heavy_image[h];
      std::uint32_t above;
      if constexpr (sizeof(K) == 4)
        above = _mm512_cmpgt_epu32_mask(x[0], _mm512_set1_epi32(static_cast<int>(heavy)));
      else
        above =
            _mm512_cmpgt_epu64_mask(x[0], _mm512_set1_epi64(static_cast<long long>(heavy))) |
            static_cast<std::uint32_t>(_mm512_cmpgt_epu64_mask(x[1], _mm512_set1_epi64(static_cast<long long>(heavy))))
                << 8;
      bucket = _mm512_mask_add_epi32(bucket, static_cast<__mmask16>(above), bucket, _mm512_set1_epi32(2));
    }
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(digits + at), _mm512_cvtepi32_epi16(bucket));
  }
  return at;
}
#endif

// Of n keys, by plain images.
template <class K>
inline void cell_digits_of(const K* keys, std::size_t n, const key_image<K>& image, const splitter_tree<K>& tree,
                           std::uint16_t* digits) {
  const key_image<K> im = image;
  std::size_t i = 0;
#if defined(SORTILE_CPU_AVX512_HERE) || defined(SORTILE_CPU_AVX2_HERE)
  if constexpr (sizeof(K) == 4 || sizeof(K) == 8)
    i = cell_digits(keys, n, image, tree, digits);
#endif
  for (; i < n; ++i)
    digits[i] = tree.bucket_by_map(static_cast<K>(im.plain(keys[i]) & im.window));
}

} // namespace sortile::cpu::SORTILE_CPU_ISA
