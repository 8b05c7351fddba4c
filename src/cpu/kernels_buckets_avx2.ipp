// Buckets between splitters and by a map of cells by AVX2, for processors that have nothing wider: what
// kernels_splitters.ipp and kernels_cells.ipp do, eight numbers to a vector. Included once (kernels_all.hpp).
//
// A vector holds eight entries of a table, so longer ones are looked up in two, four or eight vectors, and the answers
// chosen by the further bits of the place: between splitters that makes 90 instructions for eight keys, where one by
// one they take 60 each. The shifts of intervals are bytes, and looked up for four vectors at once, each of which has
// one byte of a lane.
namespace sortile::cpu::avx2 {

[[gnu::always_inline]] inline __m256i choose(__m256i a, __m256i b, __m256i b_where_negative) {
  return _mm256_castps_si256(
      _mm256_blendv_ps(_mm256_castsi256_ps(a), _mm256_castsi256_ps(b), _mm256_castsi256_ps(b_where_negative)));
}

// Entry i of a table of 8, 16, 32 or 64, by the lowest 3, 4, 5 or 6 bits of i.
template <std::size_t Entries>
[[gnu::always_inline]] inline __m256i look_up(const std::uint32_t* table, __m256i i) {
  if constexpr (Entries == 8)
    return _mm256_permutevar8x32_epi32(_mm256_load_si256(reinterpret_cast<const __m256i*>(table)), i);
  else
    return choose(look_up<Entries / 2>(table, i), look_up<Entries / 2>(table + Entries / 2, i),
                  _mm256_slli_epi32(i, 33 - std::bit_width(Entries)));
}

// As many as fill four vectors; returns how many.
template <class K>
inline std::size_t splitter_digits(const std::uint32_t* numbers, std::size_t n, const splitter_tree<K>& tree,
                                   std::uint16_t* digits) {
  constexpr std::size_t vectors = 4;
  const __m256i zero = _mm256_setzero_si256(), one = _mm256_set1_epi32(1), byte = _mm256_set1_epi32(0xff),
                least = _mm256_set1_epi32(static_cast<int>(tree.least)),
                last_but_one = _mm256_set1_epi32(static_cast<int>(tree.last_part() - 1));
  const __m128i part_bits = _mm_cvtsi32_si128(static_cast<int>(tree.part_bits));
  std::size_t at = 0;
  for (; at + 8 * vectors <= n; at += 8 * vectors) {
    __m256i x[vectors], i[vectors], last[vectors];
    for (std::size_t v = 0; v < vectors; ++v) {
      x[v] = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(numbers + at + 8 * v));
      i[v] = zero;
      last[v] = least;
      const auto down = [&](__m256i splitters) __attribute__((always_inline)) {
        const __m256i right = _mm256_cmpeq_epi32(_mm256_max_epu32(splitters, x[v]), x[v]); // −1 where splitter ≤ x
        last[v] = choose(last[v], splitters, right);
        i[v] = _mm256_sub_epi32(_mm256_add_epi32(i[v], i[v]), right);
      };
      down(_mm256_set1_epi32(static_cast<int>(tree.level[0][0])));
      down(look_up<8>(tree.level[1], i[v]));
      down(look_up<8>(tree.level[2], i[v]));
      down(look_up<8>(tree.level[3], i[v]));
      down(look_up<16>(tree.level[4], i[v]));
      down(look_up<32>(tree.level[5], i[v]));
      down(look_up<64>(tree.level[6], i[v]));
    }
    const __m256i places = _mm256_or_si256(_mm256_or_si256(i[0], _mm256_slli_epi32(i[1], 8)),
                                           _mm256_or_si256(_mm256_slli_epi32(i[2], 16), _mm256_slli_epi32(i[3], 24)));
    __m256i shifts = zero;
    for (int part = 0; part < 8; ++part) { // a byte that is not of these 16 gets its sign bit set, which gives 0
      const __m256i table =
          _mm256_broadcastsi128_si256(_mm_load_si128(reinterpret_cast<const __m128i*>(tree.shift) + part));
      const __m256i in_part = _mm256_adds_epu8(_mm256_xor_si256(places, _mm256_set1_epi8(static_cast<char>(16 * part))),
                                               _mm256_set1_epi8(0x70));
      shifts = _mm256_or_si256(shifts, _mm256_shuffle_epi8(table, in_part));
    }
    __m256i bucket[vectors];
    for (std::size_t v = 0; v < vectors; ++v) {
      const __m256i shift = _mm256_and_si256(_mm256_srli_epi32(shifts, static_cast<int>(8 * v)), byte);
      const __m256i distance = _mm256_sub_epi32(_mm256_max_epu32(x[v], last[v]), last[v]);
      const __m256i part = _mm256_add_epi32(_mm256_min_epu32(_mm256_srlv_epi32(distance, shift), last_but_one), one);
      const __m256i equal = _mm256_andnot_si256(_mm256_cmpeq_epi32(i[v], zero), _mm256_cmpeq_epi32(last[v], x[v]));
      bucket[v] = _mm256_add_epi32(_mm256_sll_epi32(i[v], part_bits), _mm256_andnot_si256(equal, part));
    }
    for (std::size_t v = 0; v < vectors; v += 2) {
      const __m256i packed = _mm256_packus_epi32(bucket[v], bucket[v + 1]); // by halves of 128 bits
      _mm256_storeu_si256(reinterpret_cast<__m256i*>(digits + at + 8 * v), _mm256_permute4x64_epi64(packed, 0xd8));
    }
  }
  return at;
}

[[gnu::always_inline]] inline __m256i all_lanes(std::uint64_t word) {
  return _mm256_set1_epi64x(static_cast<long long>(word));
}
[[gnu::always_inline]] inline __m256i all_lanes(std::uint32_t word) {
  return _mm256_set1_epi32(static_cast<int>(word));
}

// Images of a vector of keys.
[[gnu::always_inline]] inline __m256i plain_images(const std::uint32_t* keys, const key_image<std::uint32_t>& image) {
  const __m256i u = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(keys));
  const __m256i folded = _mm256_xor_si256(u, _mm256_and_si256(_mm256_srai_epi32(u, 31), all_lanes(image.negative)));
  return _mm256_and_si256(_mm256_xor_si256(folded, all_lanes(image.flip)), all_lanes(image.window));
}
[[gnu::always_inline]] inline __m256i plain_images(const std::uint64_t* keys, const key_image<std::uint64_t>& image) {
  const __m256i u = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(keys));
  const __m256i signs = _mm256_cmpgt_epi64(_mm256_setzero_si256(), u);
  const __m256i folded = _mm256_xor_si256(u, _mm256_and_si256(signs, all_lanes(image.negative)));
  return _mm256_and_si256(_mm256_xor_si256(folded, all_lanes(image.flip)), all_lanes(image.window));
}

// −1 where a > b, as unsigned numbers.
template <class K>
[[gnu::always_inline]] inline __m256i is_greater(__m256i a, __m256i b) {
  const __m256i sign = all_lanes(static_cast<K>(K{1} << (8 * sizeof(K) - 1)));
  const __m256i x = _mm256_xor_si256(a, sign), y = _mm256_xor_si256(b, sign);
  return sizeof(K) == 4 ? _mm256_cmpgt_epi32(x, y) : _mm256_cmpgt_epi64(x, y);
}

// The lower halves of eight words of 64 bits.
[[gnu::always_inline]] inline __m256i lower_halves(__m256i a, __m256i b) {
  const __m256i order = _mm256_setr_epi32(0, 2, 4, 6, 0, 2, 4, 6);
  return _mm256_blend_epi32(_mm256_permutevar8x32_epi32(a, order), _mm256_permutevar8x32_epi32(b, order), 0xf0);
}

// What splitter_tree::number_of says of wide keys, as many as fill whole vectors; returns how many.
inline std::size_t splitter_numbers(const std::uint64_t* keys, std::size_t n, const key_image<std::uint64_t>& image,
                                    const splitter_tree<std::uint64_t>& tree, std::uint32_t* numbers) {
  using tree_of = splitter_tree<std::uint64_t>;
  const __m256i center = all_lanes(tree.center), half = all_lanes(tree_of::half),
                middle = all_lanes(std::uint64_t{tree_of::middle}), low = all_lanes(std::uint64_t{0xffffffff});
  // A number of 32 bits behind the exponent of 2^52 is that plus the number; behind that of 2^84 it counts 2^32 times.
  const __m256i two_52 = all_lanes(std::uint64_t{0x4330000000000000}),
                two_84 = all_lanes(std::uint64_t{0x4530000000000000});
  const __m256d both = _mm256_set1_pd(0x1p84 + 0x1p52);
  std::size_t at = 0;
  for (; at + 4 <= n; at += 4) {
    const __m256i x = plain_images(keys + at, image), below = is_greater<std::uint64_t>(center, x);
    const __m256i distance = _mm256_sub_epi64(_mm256_xor_si256(_mm256_sub_epi64(x, center), below), below);
    const __m256d high = _mm256_castsi256_pd(_mm256_or_si256(_mm256_srli_epi64(distance, 32), two_84));
    const __m256d rest = _mm256_castsi256_pd(_mm256_or_si256(_mm256_and_si256(distance, low), two_52));
    const __m256i bits = _mm256_castpd_si256(_mm256_add_pd(_mm256_sub_pd(high, both), rest)); // rounded once
    const __m256i more = _mm256_cmpgt_epi64(bits, half);
    const __m256i code =
        _mm256_srli_epi64(_mm256_and_si256(_mm256_sub_epi64(bits, half), more), 52 - tree_of::mantissa_bits);
    const __m256i number = _mm256_add_epi64(middle, _mm256_sub_epi64(_mm256_xor_si256(code, below), below));
    _mm_storeu_si128(reinterpret_cast<__m128i*>(numbers + at), _mm256_castsi256_si128(lower_halves(number, number)));
  }
  return at;
}

// cell_map::distance of eight images.
template <class K>
[[gnu::always_inline]] inline __m256i cell_distances(const __m256i (&x)[sizeof(K) / 4], const cell_map<K>& map) {
  const __m256i least = all_lanes(map.least), most = all_lanes(map.most);
  const __m128i down = _mm_cvtsi32_si128(static_cast<int>(map.down)), up = _mm_cvtsi32_si128(static_cast<int>(map.up));
  __m256i from_least[sizeof(K) / 4];
  for (std::size_t h = 0; h < sizeof(K) / 4; ++h) {
    from_least[h] = sizeof(K) == 4 ? _mm256_sub_epi32(x[h], least) : _mm256_sub_epi64(x[h], least);
    from_least[h] = _mm256_and_si256(from_least[h], is_greater<K>(x[h], least));
    from_least[h] = _mm256_blendv_epi8(from_least[h], most, is_greater<K>(from_least[h], most));
  }
  if constexpr (sizeof(K) == 4)
    return _mm256_sll_epi32(from_least[0], up);
  else
    return _mm256_sll_epi32(lower_halves(_mm256_srl_epi64(from_least[0], down), _mm256_srl_epi64(from_least[1], down)),
                            up);
}

// As many as fill whole vectors; returns how many.
template <class K>
inline std::size_t cell_digits(const K* keys, std::size_t n, const key_image<K>& image, const splitter_tree<K>& tree,
                               std::uint16_t* digits) {
  static_assert(cell_map<K>::cell_bits == 6 && cell_map<K>::part_bits == 16);
  constexpr std::size_t parts = sizeof(K) / 4, lanes = 8 / parts;
  std::size_t at = 0;
  for (; at + 8 <= n; at += 8) {
    __m256i x[parts];
    for (std::size_t h = 0; h < parts; ++h)
      x[h] = plain_images(keys + at + lanes * h, image);
    const __m256i distance = cell_distances<K>(x, tree.map);
    const __m256i cell = look_up<64>(tree.map.cell, _mm256_srli_epi32(distance, 26));
    const __m256i in_cell = _mm256_srli_epi32(_mm256_slli_epi32(distance, 6), 16); // 0 in the upper halves
    __m256i bucket = _mm256_add_epi32(_mm256_srli_epi32(cell, 16), _mm256_mulhi_epu16(in_cell, cell));
    for (std::size_t h = 0; h < tree.heavy_keys; ++h) {
      const __m256i heavy = all_lanes(tree.heavy_image[h]);
      __m256i above = is_greater<K>(x[0], heavy); // −1, and two buckets more
      if constexpr (parts == 2)
        above = lower_halves(above, is_greater<K>(x[1], heavy));
      bucket = _mm256_sub_epi32(bucket, _mm256_add_epi32(above, above));
    }
    const __m256i packed = _mm256_permute4x64_epi64(_mm256_packus_epi32(bucket, bucket), 0xd8);
    _mm_storeu_si128(reinterpret_cast<__m128i*>(digits + at), _mm256_castsi256_si128(packed));
  }
  return at;
}

} // namespace sortile::cpu::avx2
