// Buckets between splitters: the digit of a key is found in a tree of 127 sampled keys. Included once per instruction
// set (kernels_all.hpp).
//
// Idea: where keys are skewed, their highest bits put most of them into a few buckets, which would have to be
// partitioned again and again. Splitters drawn from a sample make intervals of equal size, however keys are spread.
// What is equal to a splitter has a bucket of its own, which needs no further sort: so duplicates are moved once. The
// rest of an interval is cut into up to 15 parts that are equally wide, for which few keys need to be compared: one
// shift a key, and what is left in a bucket fits into the L1 cache and short words.
//
//     level 0            s63                  i = 0
//     level 1       s31        s95            i = 2 i + (s ≤ x), seven times: i splitters are not above x
//     level 2    s15  s47   s79  s111
//     …
//     interval i  [ s[i − 1] | part | part | part )  s[i]      bucket = first of i + part of x − s[i − 1]
//
// The tree holds numbers of 32 bits, so that a vector has 16 and a level few registers, whatever the keys: 64-bit keys
// take half as long as in a tree of their own width. A wide key's number is its distance from where the sample is
// densest, as a float of 24 bits: any function that keeps the order would do, and this one tells keys apart where they
// are many (lognormal keys, ANDs of random words), where the highest 32 bits would leave a third of an AND of 5
// together. Keys that share a number and are not equal lie in one bucket, which is sorted as any other.
//
// What the scan has found is kept, two bytes a key, as far as scratch or the result reaches, so that the partition need
// not find it again. Source: super scalar sample sort: Sanders and Winkel, ESA 2004; equality buckets: Axtmann et al.,
// ESA 2017.
namespace sortile::cpu::SORTILE_CPU_ISA {

template <class K>
inline std::uint16_t splitter_digit(const splitter_tree<K>& tree, std::uint32_t x) {
  std::size_t i = 0;
  for (unsigned level = 0; level < splitter_tree<K>::levels; ++level)
    i = 2 * i + (tree.level[level][i] <= x);
  return tree.bucket(i, x);
}

#if defined(SORTILE_CPU_AVX512_HERE)
// Several vectors go down side by side: each level waits for the one before it, and the processor does not look far
// enough ahead to find work that does not wait.
inline constexpr std::size_t side_by_side = 4;

template <class F>
[[gnu::always_inline]] inline void each_vector(F&& f) {
  [&]<std::size_t... I>(std::index_sequence<I...>) __attribute__((always_inline)) {
    (f(I), ...);
  }
  (std::make_index_sequence<side_by_side>());
}

// As many as fill whole vectors side by side; returns how many.
template <class K>
inline std::size_t splitter_digits(const std::uint32_t* numbers, std::size_t n, const splitter_tree<K>& tree,
                                   std::uint16_t* digits) {
  const __m512i one = _mm512_set1_epi32(1), byte = _mm512_set1_epi32(0xff),
                least = _mm512_set1_epi32(static_cast<int>(tree.least)),
                last_but_one = _mm512_set1_epi32(static_cast<int>(tree.last_part() - 1));
  const __m128i part_bits = _mm_cvtsi32_si128(static_cast<int>(tree.part_bits));
  const auto table = [&](unsigned level, unsigned i) __attribute__((always_inline)) {
    return _mm512_load_si512(tree.level[level] + 16 * i);
  };
  const auto two = [&](unsigned level, unsigned i, __m512i j) __attribute__((always_inline)) {
    return _mm512_permutex2var_epi32(table(level, i), j, table(level, i + 1));
  };
  std::size_t at = 0;
  for (; at + 16 * side_by_side <= n; at += 16 * side_by_side) {
    __m512i x[side_by_side], i[side_by_side], last[side_by_side];
    each_vector([&](std::size_t v) __attribute__((always_inline)) {
      x[v] = _mm512_loadu_si512(numbers + at + 16 * v);
      i[v] = _mm512_setzero_si512();
      last[v] = least;
    });
    const auto down = [&](auto splitters_of) __attribute__((always_inline)) {
      each_vector([&](std::size_t v) __attribute__((always_inline)) {
        const __m512i splitters = splitters_of(i[v]);
        const __mmask16 right = _mm512_cmple_epu32_mask(splitters, x[v]);
        last[v] = _mm512_mask_mov_epi32(last[v], right, splitters);
        i[v] = _mm512_add_epi32(i[v], i[v]);
        i[v] = _mm512_mask_add_epi32(i[v], right, i[v], one);
      });
    };
    down([&](__m512i) __attribute__((always_inline)) { return _mm512_set1_epi32(static_cast<int>(tree.level[0][0])); });
    down([&](__m512i j) __attribute__((always_inline)) { return _mm512_permutexvar_epi32(j, table(1, 0)); });
    down([&](__m512i j) __attribute__((always_inline)) { return _mm512_permutexvar_epi32(j, table(2, 0)); });
    down([&](__m512i j) __attribute__((always_inline)) { return _mm512_permutexvar_epi32(j, table(3, 0)); });
    down([&](__m512i j) __attribute__((always_inline)) { return _mm512_permutexvar_epi32(j, table(4, 0)); });
    down([&](__m512i j) __attribute__((always_inline)) { return two(5, 0, j); });
    down([&](__m512i j) __attribute__((always_inline)) {
      return _mm512_mask_mov_epi32(two(6, 0, j), _mm512_test_epi32_mask(j, _mm512_set1_epi32(32)), two(6, 2, j));
    });
    each_vector([&](std::size_t v) __attribute__((always_inline)) {
      // The shift of an interval is a byte: four of them are looked up, and turned until it is the lowest.
      const __m512i four = _mm512_permutex2var_epi32(_mm512_load_si512(tree.shift), _mm512_srli_epi32(i[v], 2),
                                                     _mm512_load_si512(tree.shift + 64));
      const __m512i shift = _mm512_and_si512(_mm512_rorv_epi32(four, _mm512_slli_epi32(i[v], 3)), byte);
      const __m512i distance = _mm512_sub_epi32(_mm512_max_epu32(x[v], last[v]), last[v]);
      const __m512i part = _mm512_add_epi32(_mm512_min_epu32(_mm512_srlv_epi32(distance, shift), last_but_one), one);
      const __mmask16 equal = _mm512_mask_cmpeq_epu32_mask(_mm512_test_epi32_mask(i[v], i[v]), last[v], x[v]);
      const __m512i first = _mm512_sll_epi32(i[v], part_bits);
      const __m512i bucket = _mm512_mask_add_epi32(first, static_cast<__mmask16>(~equal), first, part);
      _mm256_storeu_si256(reinterpret_cast<__m256i*>(digits + at + 16 * v), _mm512_cvtepi32_epi16(bucket));
    });
  }
  return at;
}

// What splitter_tree::number_of says of wide keys, as many as fill whole vectors; returns how many. Compilers make no
// vectors of it.
inline std::size_t splitter_numbers(const std::uint64_t* keys, std::size_t n, const key_image<std::uint64_t>& image,
                                    const splitter_tree<std::uint64_t>& tree, std::uint32_t* numbers) {
  using tree_of = splitter_tree<std::uint64_t>;
  const __m512i negative = _mm512_set1_epi64(static_cast<long long>(image.negative)),
                flip = _mm512_set1_epi64(static_cast<long long>(image.flip)),
                window = _mm512_set1_epi64(static_cast<long long>(image.window)),
                center = _mm512_set1_epi64(static_cast<long long>(tree.center)),
                half = _mm512_set1_epi64(static_cast<long long>(tree_of::half)),
                middle = _mm512_set1_epi64(static_cast<long long>(tree_of::middle));
  std::size_t at = 0;
  for (; at + 8 <= n; at += 8) {
    const __m512i u = _mm512_loadu_si512(keys + at);
    const __m512i folded = _mm512_ternarylogic_epi64(u, _mm512_srai_epi64(u, 63), negative, 0x78);
    const __m512i x = _mm512_and_si512(_mm512_xor_si512(folded, flip), window);
    const __m512i distance = _mm512_sub_epi64(_mm512_max_epu64(x, center), _mm512_min_epu64(x, center));
    const __m512i bits = _mm512_castpd_si512(_mm512_cvtepu64_pd(distance));
    const __m512i code =
        _mm512_srli_epi64(_mm512_sub_epi64(_mm512_max_epu64(bits, half), half), 52 - tree_of::mantissa_bits);
    const __m512i number =
        _mm512_mask_sub_epi64(_mm512_add_epi64(middle, code), _mm512_cmplt_epu64_mask(x, center), middle, code);
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(numbers + at), _mm512_cvtepi64_epi32(number));
  }
  return at;
}
#endif

// Of n ≤ digit_block keys, by plain images.
template <class K>
inline void splitter_digits_of(const K* keys, std::size_t n, const key_image<K>& image, const splitter_tree<K>& tree,
                               std::uint16_t* digits) {
  alignas(64) std::uint32_t numbers[digit_block];
  const key_image<K> im = image;
  const K center = tree.center;
  std::size_t j = 0;
#if defined(SORTILE_CPU_AVX512_HERE) || defined(SORTILE_CPU_AVX2_HERE)
  if constexpr (sizeof(K) == 8)
    j = splitter_numbers(keys, n, image, tree, numbers);
#endif
  for (; j < n; ++j)
    numbers[j] = splitter_tree<K>::number_of(static_cast<K>(im.plain(keys[j]) & im.window), center);
  std::size_t i = 0;
#if defined(SORTILE_CPU_AVX512_HERE) || defined(SORTILE_CPU_AVX2_HERE)
  i = splitter_digits(numbers, n, tree, digits);
#endif
  for (; i < n; ++i)
    digits[i] = splitter_digit(tree, numbers[i]);
}

} // namespace sortile::cpu::SORTILE_CPU_ISA
