// Vectors of 16 and 8 keys: the operations of the vector sorts in AVX-512.
namespace sortile::cpu::avx512 {

// For every mask of 8 lanes the permutation that brings those lanes to the front, both parts in their order.
template <class Index>
struct split_table {
  alignas(64) Index lane[256][8];
  constexpr split_table() : lane{} {
    for (unsigned mask = 0; mask < 256; ++mask) {
      unsigned at = 0;
      for (unsigned pass = 0; pass < 2; ++pass)
        for (unsigned i = 0; i < 8; ++i)
          if ((mask >> i & 1) == 1 - pass)
            lane[mask][at++] = static_cast<Index>(i);
    }
  }
};
inline constexpr split_table<std::uint32_t> split_32;
inline constexpr split_table<std::uint64_t> split_64;

// The bits of a mask in a general register. g++ 12 may keep a mask in memory as the one or two bytes that it has, and
// count the bits of four there: the instrumentation of ThreadSanitizer made it do so. A general register is written and
// read as a whole.
SORTILE_INLINE unsigned bits_of(unsigned mask) {
  __asm__("" : "+r"(mask));
  return mask;
}

// a ^ b ^ c in one instruction. The greater of two keys is a ^ b ^ min(a, b): one port has minimum and maximum, two have
// this, and leaves are bound by the former.
inline constexpr int odd_of_three = 0x96;

struct vector_32 {
  using T = std::uint32_t;
  using V = __m512i;
  static constexpr std::size_t lanes = 16;
  static constexpr std::size_t rows_at_once = 16; // of a leaf: 256 keys

  static SORTILE_INLINE __mmask16 first(std::size_t n) { return static_cast<__mmask16>(_bzhi_u32(0xffff, static_cast<unsigned>(n))); }
  static SORTILE_INLINE V load(const T* p) { return _mm512_loadu_si512(p); }
  static SORTILE_INLINE void store(T* p, V v) { _mm512_storeu_si512(p, v); }
  static SORTILE_INLINE V load_first(const T* p, std::size_t n) { return _mm512_maskz_loadu_epi32(first(n), p); }
  static SORTILE_INLINE V fill_behind(V v, std::size_t n) {
    return _mm512_mask_mov_epi32(_mm512_set1_epi32(-1), first(n), v);
  }
  static SORTILE_INLINE void store_first(T* p, std::size_t n, V v) { _mm512_mask_storeu_epi32(p, first(n), v); }
  static SORTILE_INLINE void store_last(T* end, std::size_t n, V, V last) {
    store_first(end - n % lanes, n % lanes, last);
  }
  static SORTILE_INLINE V all(T x) { return _mm512_set1_epi32(static_cast<int>(x)); }
  static SORTILE_INLINE V min(V a, V b) { return _mm512_min_epu32(a, b); }
  static SORTILE_INLINE V minus(V a, V b) { return _mm512_sub_epi32(a, b); }
  static SORTILE_INLINE void exchange(V& a, V& b) { // b: what the smaller one leaves of the two
    const V smaller = min(a, b);
    b = _mm512_ternarylogic_epi32(a, b, smaller, odd_of_three);
    a = smaller;
  }
  static SORTILE_INLINE V bits_or(V a, V b) { return _mm512_or_si512(a, b); }
  static SORTILE_INLINE bool is_zero(V v) { return _mm512_cmpneq_epu64_mask(v, _mm512_setzero_si512()) == 0; }
  static SORTILE_INLINE T reduce_min(V v) { return _mm512_reduce_min_epu32(v); }
  static SORTILE_INLINE V load_strided(const T* p, std::size_t stride) {
    const V lane = _mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
    return _mm512_i32gather_epi32(_mm512_mullo_epi32(lane, all(static_cast<T>(stride))), p, 4);
  }
  static SORTILE_INLINE T middle(V v) { return static_cast<T>(_mm256_extract_epi32(_mm512_extracti64x4_epi64(v, 1), 0)); }
  static SORTILE_INLINE T reduce_max(V v) { return _mm512_reduce_max_epu32(v); }

  static SORTILE_INLINE V image(V u, V negative, V flip) {
    return _mm512_xor_si512(_mm512_ternarylogic_epi32(u, _mm512_srai_epi32(u, 31), negative, 0x78), flip);
  }
  static SORTILE_INLINE V key(V x, V negative, V flip) {
    const V folded = _mm512_xor_si512(x, flip);
    return _mm512_ternarylogic_epi32(folded, _mm512_srai_epi32(folded, 31), negative, 0x78);
  }
  static SORTILE_INLINE V magnitude(V u) { return _mm512_and_si512(u, _mm512_set1_epi32(0x7fffffff)); }
  static SORTILE_INLINE bool has_special(V u, V infinity) { // of floats: −0, or beyond infinity
    return _mm512_cmpgt_epu32_mask(magnitude(u), infinity) != 0 || _mm512_cmpeq_epu32_mask(u, _mm512_set1_epi32(INT32_MIN)) != 0;
  }
  static SORTILE_INLINE unsigned zeros_and_nans(V u, V infinity) { // lanes; 0 − 1 is above all others
    const V one = _mm512_set1_epi32(1);
    return bits_of(_mm512_cmpgt_epu32_mask(_mm512_sub_epi32(magnitude(u), one), _mm512_sub_epi32(infinity, one)));
  }
  static SORTILE_INLINE bool any_greater(V a, V b) { return _mm512_cmpgt_epu32_mask(a, b) != 0; }

  template <unsigned Group>
  static SORTILE_INLINE V reverse(V v) { // within groups of so many lanes
    if constexpr (Group == 2)
      return _mm512_shuffle_epi32(v, _MM_PERM_ENUM(0xb1));
    else if constexpr (Group == 4)
      return _mm512_shuffle_epi32(v, _MM_PERM_ENUM(0x1b));
    else if constexpr (Group == 8)
      return _mm512_permutexvar_epi32(_mm512_setr_epi32(7, 6, 5, 4, 3, 2, 1, 0, 15, 14, 13, 12, 11, 10, 9, 8), v);
    else
      return _mm512_permutexvar_epi32(_mm512_setr_epi32(15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0), v);
  }
  template <unsigned Distance>
  static SORTILE_INLINE V swap(V v) { // lanes at a distance
    if constexpr (Distance == 1)
      return _mm512_shuffle_epi32(v, _MM_PERM_ENUM(0xb1));
    else if constexpr (Distance == 2)
      return _mm512_shuffle_epi32(v, _MM_PERM_ENUM(0x4e));
    else
      return _mm512_permutex_epi64(v, 0x4e);
  }
  // Lanes of v that stand in the upper half of groups of so many: the greater of a and b; others: the smaller.
  template <unsigned Group>
  static SORTILE_INLINE V smaller_then_greater(V a, V b) {
    constexpr __mmask16 upper = Group == 2 ? 0xaaaa : Group == 4 ? 0xcccc : Group == 8 ? 0xf0f0 : 0xff00;
    return _mm512_mask_ternarylogic_epi32(min(a, b), upper, a, b, odd_of_three);
  }

  // Lanes of v that are below the pivot, or not above it.
  template <bool OrEqual>
  static SORTILE_INLINE unsigned low_lanes(V v, V pivot) {
    return bits_of(OrEqual ? _mm512_cmple_epu32_mask(v, pivot) : _mm512_cmplt_epu32_mask(v, pivot));
  }
  static SORTILE_INLINE V bits_xor(V a, V b) { return _mm512_xor_si512(a, b); }
  // Of v, the low lanes go to `left`, the rest ends at `right`; whole half vectors are written at both.
  static SORTILE_INLINE void move_apart(V v, unsigned low, T*& left, T*& right) {
    split_half(_mm512_castsi512_si256(v), low & 0xff, left, right);
    split_half(_mm512_extracti64x4_epi64(v, 1), low >> 8, left, right);
  }
  static SORTILE_INLINE void split_half(__m256i v, unsigned low, T*& left, T*& right) {
    const __m256i parts = _mm256_permutevar8x32_epi32(v, _mm256_load_si256(reinterpret_cast<const __m256i*>(split_32.lane[low])));
    const std::size_t count = static_cast<std::size_t>(_mm_popcnt_u32(low));
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(left), parts);
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(right - 8), parts);
    left += count;
    right -= 8 - count;
  }
  // Of v, what is below the first pivot goes to write[0], what is below the second to write[1], and so on; whole vectors are
  // written.
  static constexpr bool splits_in_four = true;
  static constexpr bool counts_by_lanes = false; // masks are counted
  static SORTILE_INLINE void split_in_four(V v, V first, V second, V third, T* (&write)[4]) {
    const __mmask16 below_1 = _mm512_cmplt_epu32_mask(v, first), below_2 = _mm512_cmplt_epu32_mask(v, second),
                  below_3 = _mm512_cmplt_epu32_mask(v, third);
    const auto n_1 = _mm_popcnt_u32(bits_of(below_1)), n_2 = _mm_popcnt_u32(bits_of(below_2)), n_3 = _mm_popcnt_u32(bits_of(below_3));
    store(write[0], _mm512_maskz_compress_epi32(below_1, v));
    store(write[1], _mm512_maskz_compress_epi32(_kandn_mask16(below_1, below_2), v));
    store(write[2], _mm512_maskz_compress_epi32(_kandn_mask16(below_2, below_3), v));
    store(write[3], _mm512_maskz_compress_epi32(_knot_mask16(below_3), v));
    write[0] += n_1;
    write[1] += n_2 - n_1;
    write[2] += n_3 - n_2;
    write[3] += static_cast<int>(lanes) - n_3;
  }
  static SORTILE_INLINE unsigned equal_lanes(V a, V b) { return bits_of(_mm512_cmpeq_epi32_mask(a, b)); }
  // Of v, the lanes that are not given go to `to`. A whole vector is written there, of v's keys alone: an array of one
  // value that is its own target stays as it is.
  static SORTILE_INLINE void store_others(V v, unsigned given, T*& to) {
    const unsigned others = given ^ ((1u << lanes) - 1);
    store(to, _mm512_mask_compress_epi32(v, static_cast<__mmask16>(others), v));
    to += _mm_popcnt_u32(others);
  }
  static SORTILE_INLINE void move_first_apart(V v, std::size_t n, unsigned low_or_behind, T*& left, T*& right) {
    const __mmask16 there = first(n);
    const auto low = static_cast<__mmask16>(low_or_behind & there);
    const unsigned count = static_cast<unsigned>(_mm_popcnt_u32(bits_of(low)));
    const std::size_t rest = n - count;
    _mm512_mask_storeu_epi32(left, first(count), _mm512_maskz_compress_epi32(low, v));
    left += count;
    right -= rest;
    _mm512_mask_storeu_epi32(right, first(rest), _mm512_maskz_compress_epi32(static_cast<__mmask16>(there & ~low), v));
  }

  // Digits (x − base) >> shift of the images of a vector of keys.
  static SORTILE_INLINE void digits(V x, V base, __m128i shift, std::uint16_t* to) {
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(to), _mm512_cvtepi32_epi16(_mm512_srl_epi32(_mm512_sub_epi32(x, base), shift)));
  }

  static constexpr std::size_t columns = lanes;
  // Rows become columns; the transpose of a 16 × 16 matrix is its own inverse.
  static SORTILE_INLINE void transpose(V (&r)[16]) {
    V t[16];
#pragma GCC unroll 16
    for (int i = 0; i < 16; i += 2) {
      t[i] = _mm512_unpacklo_epi32(r[i], r[i + 1]);
      t[i + 1] = _mm512_unpackhi_epi32(r[i], r[i + 1]);
    }
#pragma GCC unroll 16
    for (int i = 0; i < 16; i += 4) {
      r[i] = _mm512_unpacklo_epi64(t[i], t[i + 2]);
      r[i + 1] = _mm512_unpackhi_epi64(t[i], t[i + 2]);
      r[i + 2] = _mm512_unpacklo_epi64(t[i + 1], t[i + 3]);
      r[i + 3] = _mm512_unpackhi_epi64(t[i + 1], t[i + 3]);
    }
#pragma GCC unroll 16
    for (int i = 0; i < 4; ++i) {
      t[i] = _mm512_shuffle_i32x4(r[i], r[i + 4], 0x88);
      t[i + 4] = _mm512_shuffle_i32x4(r[i], r[i + 4], 0xdd);
      t[i + 8] = _mm512_shuffle_i32x4(r[i + 8], r[i + 12], 0x88);
      t[i + 12] = _mm512_shuffle_i32x4(r[i + 8], r[i + 12], 0xdd);
    }
#pragma GCC unroll 16
    for (int i = 0; i < 8; ++i) {
      r[i] = _mm512_shuffle_i32x4(t[i], t[i + 8], 0x88);
      r[i + 8] = _mm512_shuffle_i32x4(t[i], t[i + 8], 0xdd);
    }
  }
};

struct vector_64 {
  using T = std::uint64_t;
  using V = __m512i;
  static constexpr std::size_t lanes = 8;
  static constexpr std::size_t rows_at_once = 16; // of a leaf: 128 keys

  static SORTILE_INLINE __mmask8 first(std::size_t n) { return static_cast<__mmask8>(_bzhi_u32(0xff, static_cast<unsigned>(n))); }
  static SORTILE_INLINE V load(const T* p) { return _mm512_loadu_si512(p); }
  static SORTILE_INLINE void store(T* p, V v) { _mm512_storeu_si512(p, v); }
  static SORTILE_INLINE V load_first(const T* p, std::size_t n) { return _mm512_maskz_loadu_epi64(first(n), p); }
  static SORTILE_INLINE V fill_behind(V v, std::size_t n) {
    return _mm512_mask_mov_epi64(_mm512_set1_epi64(-1), first(n), v);
  }
  static SORTILE_INLINE void store_first(T* p, std::size_t n, V v) { _mm512_mask_storeu_epi64(p, first(n), v); }
  static SORTILE_INLINE void store_last(T* end, std::size_t n, V, V last) {
    store_first(end - n % lanes, n % lanes, last);
  }
  static SORTILE_INLINE V all(T x) { return _mm512_set1_epi64(static_cast<long long>(x)); }
  static SORTILE_INLINE V min(V a, V b) { return _mm512_min_epu64(a, b); }
  static SORTILE_INLINE V minus(V a, V b) { return _mm512_sub_epi64(a, b); }
  static SORTILE_INLINE void exchange(V& a, V& b) { // b: what the smaller one leaves of the two
    const V smaller = min(a, b);
    b = _mm512_ternarylogic_epi64(a, b, smaller, odd_of_three);
    a = smaller;
  }
  static SORTILE_INLINE V bits_or(V a, V b) { return _mm512_or_si512(a, b); }
  static SORTILE_INLINE bool is_zero(V v) { return _mm512_cmpneq_epu64_mask(v, _mm512_setzero_si512()) == 0; }
  static SORTILE_INLINE T reduce_min(V v) { return _mm512_reduce_min_epu64(v); }
  static SORTILE_INLINE V load_strided(const T* p, std::size_t stride) {
    const V lane = _mm512_setr_epi64(0, 1, 2, 3, 4, 5, 6, 7);
    return _mm512_i64gather_epi64(_mm512_mullo_epi64(lane, all(stride)), p, 8);
  }
  static SORTILE_INLINE T middle(V v) { return static_cast<T>(_mm256_extract_epi64(_mm512_extracti64x4_epi64(v, 1), 0)); }
  static SORTILE_INLINE T reduce_max(V v) { return _mm512_reduce_max_epu64(v); }

  static SORTILE_INLINE V image(V u, V negative, V flip) {
    return _mm512_xor_si512(_mm512_ternarylogic_epi64(u, _mm512_srai_epi64(u, 63), negative, 0x78), flip);
  }
  static SORTILE_INLINE V key(V x, V negative, V flip) {
    const V folded = _mm512_xor_si512(x, flip);
    return _mm512_ternarylogic_epi64(folded, _mm512_srai_epi64(folded, 63), negative, 0x78);
  }
  static SORTILE_INLINE V magnitude(V u) { return _mm512_and_si512(u, _mm512_set1_epi64(INT64_MAX)); }
  static SORTILE_INLINE bool has_special(V u, V infinity) {
    return _mm512_cmpgt_epu64_mask(magnitude(u), infinity) != 0 || _mm512_cmpeq_epu64_mask(u, _mm512_set1_epi64(INT64_MIN)) != 0;
  }
  static SORTILE_INLINE unsigned zeros_and_nans(V u, V infinity) {
    const V one = _mm512_set1_epi64(1);
    return bits_of(_mm512_cmpgt_epu64_mask(_mm512_sub_epi64(magnitude(u), one), _mm512_sub_epi64(infinity, one)));
  }
  static SORTILE_INLINE bool any_greater(V a, V b) { return _mm512_cmpgt_epu64_mask(a, b) != 0; }

  template <unsigned Group>
  static SORTILE_INLINE V reverse(V v) {
    if constexpr (Group == 2)
      return _mm512_permutex_epi64(v, 0xb1);
    else if constexpr (Group == 4)
      return _mm512_permutex_epi64(v, 0x1b);
    else
      return _mm512_permutexvar_epi64(_mm512_setr_epi64(7, 6, 5, 4, 3, 2, 1, 0), v);
  }
  template <unsigned Distance>
  static SORTILE_INLINE V swap(V v) {
    if constexpr (Distance == 1)
      return _mm512_permutex_epi64(v, 0xb1);
    else
      return _mm512_permutex_epi64(v, 0x4e);
  }
  template <unsigned Group>
  static SORTILE_INLINE V smaller_then_greater(V a, V b) {
    constexpr __mmask8 upper = Group == 2 ? 0xaa : Group == 4 ? 0xcc : 0xf0;
    return _mm512_mask_ternarylogic_epi64(min(a, b), upper, a, b, odd_of_three);
  }

  template <bool OrEqual>
  static SORTILE_INLINE unsigned low_lanes(V v, V pivot) {
    return bits_of(OrEqual ? _mm512_cmple_epu64_mask(v, pivot) : _mm512_cmplt_epu64_mask(v, pivot));
  }
  static SORTILE_INLINE V bits_xor(V a, V b) { return _mm512_xor_si512(a, b); }
  static SORTILE_INLINE void move_apart(V v, unsigned low, T*& left, T*& right) {
    const V parts = _mm512_permutexvar_epi64(_mm512_load_si512(split_64.lane[low]), v);
    const std::size_t count = static_cast<std::size_t>(_mm_popcnt_u32(low));
    _mm512_storeu_si512(left, parts);
    _mm512_storeu_si512(right - lanes, parts);
    left += count;
    right -= lanes - count;
  }
  // Of v, what is below the first pivot goes to write[0], what is below the second to write[1], and so on; whole vectors are
  // written.
  static constexpr bool splits_in_four = true;
  static constexpr bool counts_by_lanes = false; // masks are counted
  static SORTILE_INLINE void split_in_four(V v, V first, V second, V third, T* (&write)[4]) {
    const __mmask8 below_1 = _mm512_cmplt_epu64_mask(v, first), below_2 = _mm512_cmplt_epu64_mask(v, second),
                  below_3 = _mm512_cmplt_epu64_mask(v, third);
    const auto n_1 = _mm_popcnt_u32(bits_of(below_1)), n_2 = _mm_popcnt_u32(bits_of(below_2)), n_3 = _mm_popcnt_u32(bits_of(below_3));
    store(write[0], _mm512_maskz_compress_epi64(below_1, v));
    store(write[1], _mm512_maskz_compress_epi64(_kandn_mask8(below_1, below_2), v));
    store(write[2], _mm512_maskz_compress_epi64(_kandn_mask8(below_2, below_3), v));
    store(write[3], _mm512_maskz_compress_epi64(_knot_mask8(below_3), v));
    write[0] += n_1;
    write[1] += n_2 - n_1;
    write[2] += n_3 - n_2;
    write[3] += static_cast<int>(lanes) - n_3;
  }
  static SORTILE_INLINE unsigned equal_lanes(V a, V b) { return bits_of(_mm512_cmpeq_epi64_mask(a, b)); }
  // Of v, the lanes that are not given go to `to`. A whole vector is written there, of v's keys alone.
  static SORTILE_INLINE void store_others(V v, unsigned given, T*& to) {
    const unsigned others = given ^ ((1u << lanes) - 1);
    store(to, _mm512_mask_compress_epi64(v, static_cast<__mmask8>(others), v));
    to += _mm_popcnt_u32(others);
  }
  static SORTILE_INLINE void move_first_apart(V v, std::size_t n, unsigned low_or_behind, T*& left, T*& right) {
    const __mmask8 there = first(n);
    const auto low = static_cast<__mmask8>(low_or_behind & there);
    const unsigned count = static_cast<unsigned>(_mm_popcnt_u32(bits_of(low)));
    const std::size_t rest = n - count;
    _mm512_mask_storeu_epi64(left, first(count), _mm512_maskz_compress_epi64(low, v));
    left += count;
    right -= rest;
    _mm512_mask_storeu_epi64(right, first(rest), _mm512_maskz_compress_epi64(static_cast<__mmask8>(there & ~low), v));
  }

  static SORTILE_INLINE void digits(V x, V base, __m128i shift, std::uint16_t* to) {
    _mm_storeu_si128(reinterpret_cast<__m128i*>(to), _mm512_cvtepi64_epi16(_mm512_srl_epi64(_mm512_sub_epi64(x, base), shift)));
  }

  static SORTILE_INLINE void transpose(V (&r)[8]) {
    V t[8];
#pragma GCC unroll 8
    for (int i = 0; i < 8; i += 2) {
      t[i] = _mm512_unpacklo_epi64(r[i], r[i + 1]);
      t[i + 1] = _mm512_unpackhi_epi64(r[i], r[i + 1]);
    }
#pragma GCC unroll 8
    for (int i = 0; i < 2; ++i) {
      r[i] = _mm512_shuffle_i64x2(t[i], t[i + 2], 0x88);
      r[i + 2] = _mm512_shuffle_i64x2(t[i], t[i + 2], 0xdd);
      r[i + 4] = _mm512_shuffle_i64x2(t[i + 4], t[i + 6], 0x88);
      r[i + 6] = _mm512_shuffle_i64x2(t[i + 4], t[i + 6], 0xdd);
    }
#pragma GCC unroll 8
    for (int i = 0; i < 4; ++i) {
      t[i] = _mm512_shuffle_i64x2(r[i], r[i + 4], 0x88);
      t[i + 4] = _mm512_shuffle_i64x2(r[i], r[i + 4], 0xdd);
    }
#pragma GCC unroll 8
    for (int i = 0; i < 8; ++i)
      r[i] = t[i];
  }
};

} // namespace sortile::cpu::avx512
