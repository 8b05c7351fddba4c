// Vectors of 8 and 4 keys: the operations of the vector sorts in AVX2, for processors without AVX-512.
//
// AVX2 compares signed numbers only, so images are signed here: the sort's own template flips their highest bit. It has
// no compressing stores either: for every mask of lanes a table gives the permutation that brings those to the front,
// and the whole vector is stored on both sides. And it has no minimum of 64-bit numbers: a comparison and a blend take
// its place. Sixteen registers do not hold a leaf of sixteen rows and what is needed beside it. The compiler keeps some
// rows in the L1 cache, which costs less than the further level of splits of a smaller leaf.
namespace sortile::cpu::avx2 {

// Eight words of −1, then zeros: first() loads from where as many words of −1 are left as it wants.
alignas(32) inline constexpr std::int32_t lane_mask[16] = {-1, -1, -1, -1, -1, -1, -1, -1, 0, 0, 0, 0, 0, 0, 0, 0};

// Numbers of words, of which a permutation takes what is below eight.
alignas(32) inline constexpr std::int32_t lane_numbers[16] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};

// What both widths have in common; Width has the operations that differ.
template <class Number, class Width>
struct vector_of {
  using T = Number;
  using V = __m256i;
  static constexpr std::size_t lanes = 32 / sizeof(T);
  static constexpr std::size_t rows_at_once = 16;
  static constexpr bool splits_in_four = false; // for want of a compression
  static constexpr bool counts_by_lanes = true; // of equal keys: to gather the bits of a mask takes longer

  static SORTILE_INLINE V first(std::size_t n) { // lanes
    const std::size_t words = n < lanes ? n * (sizeof(T) / 4) : 8;
    return _mm256_loadu_si256(reinterpret_cast<const V*>(lane_mask + 8 - words));
  }
  static SORTILE_INLINE V load(const T* p) { return _mm256_loadu_si256(reinterpret_cast<const V*>(p)); }
  static SORTILE_INLINE void store(T* p, V v) { _mm256_storeu_si256(reinterpret_cast<V*>(p), v); }
  static SORTILE_INLINE V load_first(const T* p, std::size_t n) {
    return _mm256_maskload_epi32(reinterpret_cast<const int*>(p), first(n));
  }
  // Fewer than all lanes. AMD's processors take a masked store apart into 40 operations; here the first lanes and the
  // last ones are stored, which overlap.
  static SORTILE_INLINE void store_first(T* p, std::size_t n, V v) {
    const std::size_t words = n * (sizeof(T) / 4);
    auto* const to = reinterpret_cast<std::int32_t*>(p);
    if (words >= 4) {
      _mm_storeu_si128(reinterpret_cast<__m128i*>(to), _mm256_castsi256_si128(v));
      _mm_storeu_si128(reinterpret_cast<__m128i*>(to + words - 4), _mm256_castsi256_si128(rotated(v, words - 4)));
    } else if (words >= 2) {
      _mm_storeu_si64(to, _mm256_castsi256_si128(v));
      _mm_storeu_si64(to + words - 2, _mm256_castsi256_si128(rotated(v, words - 2)));
    } else if (words > 0) {
      *to = _mm_cvtsi128_si32(_mm256_castsi256_si128(v));
    }
  }
  // The last lanes of n > lanes keys, of which `last` begins with n % lanes, and the rest are at the end of `before`.
  static SORTILE_INLINE void store_last(T* end, std::size_t n, V before, V last) {
    const std::size_t words = n % lanes * (sizeof(T) / 4);
    const V low = _mm256_loadu_si256(reinterpret_cast<const V*>(lane_mask + words));
    store(end - lanes, _mm256_blendv_epi8(rotated(last, words), rotated(before, words), low));
  }
  static SORTILE_INLINE V rotated(V v, std::size_t words) { // so many words to the left
    return _mm256_permutevar8x32_epi32(v, _mm256_loadu_si256(reinterpret_cast<const V*>(lane_numbers + words)));
  }
  static SORTILE_INLINE V fill_behind(V v, std::size_t n) {
    return _mm256_blendv_epi8(Width::all(std::numeric_limits<T>::max()), v, first(n));
  }

  static SORTILE_INLINE V image(V u, V negative, V flip) {
    return _mm256_xor_si256(_mm256_xor_si256(u, _mm256_and_si256(Width::signs(u), negative)), flip);
  }
  static SORTILE_INLINE V key(V x, V negative, V flip) {
    const V folded = _mm256_xor_si256(x, flip);
    return _mm256_xor_si256(folded, _mm256_and_si256(Width::signs(folded), negative));
  }
  static SORTILE_INLINE V magnitude(V u) {
    return _mm256_andnot_si256(Width::all(std::numeric_limits<T>::min()), u);
  }
  static SORTILE_INLINE bool has_special(V u, V infinity) { // of floats: −0, or beyond infinity
    const V minus_zero = Width::all(std::numeric_limits<T>::min());
    return !is_zero(_mm256_or_si256(Width::greater(magnitude(u), infinity), Width::equal(u, minus_zero)));
  }
  static SORTILE_INLINE unsigned zeros_and_nans(V u, V infinity) { // lanes
    const V size = magnitude(u);
    return Width::mask(_mm256_or_si256(Width::greater(size, infinity), Width::equal(size, Width::all(0))));
  }
  static SORTILE_INLINE void exchange(V& a, V& b) {
    const V smaller = Width::min(a, b);
    b = Width::max(a, b);
    a = smaller;
  }
  static SORTILE_INLINE bool any_greater(V a, V b) { return !is_zero(Width::greater(a, b)); }
  static SORTILE_INLINE V bits_and(V a, V b) { return _mm256_and_si256(a, b); }
  static SORTILE_INLINE V without(V a, V b) { return _mm256_andnot_si256(b, a); }
  static SORTILE_INLINE V either(V a, V b, V second) { return _mm256_blendv_epi8(a, b, second); }
  static SORTILE_INLINE V bits_or(V a, V b) { return _mm256_or_si256(a, b); }
  static SORTILE_INLINE unsigned lanes_of(V mask) { return Width::mask(mask); }
  static SORTILE_INLINE unsigned equal_lanes(V a, V b) { return Width::mask(Width::equal(a, b)); }
  // Of v, the lanes that are not given go to `to`. A whole vector is written there, of v's keys alone.
  static SORTILE_INLINE void store_others(V v, unsigned given, T*& to) {
    const unsigned others = given ^ ((1u << lanes) - 1);
    store(to, _mm256_permutevar8x32_epi32(v, Width::permutation(others)));
    to += _mm_popcnt_u32(others);
  }
  static SORTILE_INLINE bool is_zero(V v) { return _mm256_testz_si256(v, v) != 0; }

  // Lanes of v that are below the pivot, or not above it.
  template <bool OrEqual>
  static SORTILE_INLINE unsigned low_lanes(V v, V pivot) {
    if constexpr (OrEqual)
      return Width::mask(Width::greater(v, pivot)) ^ ((1u << lanes) - 1);
    else
      return Width::mask(Width::greater(pivot, v));
  }
  static SORTILE_INLINE V bits_xor(V a, V b) { return _mm256_xor_si256(a, b); }
  // Of v, the low lanes go to `left`, the rest ends at `right`; a whole vector is written at both.
  static SORTILE_INLINE void move_apart(V v, unsigned low, T*& left, T*& right) {
    const V parts = _mm256_permutevar8x32_epi32(v, Width::permutation(low));
    const auto count = static_cast<std::size_t>(_mm_popcnt_u32(low));
    store(left, parts);
    store(right - lanes, parts);
    left += count;
    right -= lanes - count;
  }
  static SORTILE_INLINE void move_first_apart(V v, std::size_t n, unsigned low, T*& left, T*& right) {
    alignas(32) T keys[lanes];
    _mm256_store_si256(reinterpret_cast<V*>(keys), v);
    for (std::size_t i = 0; i < n; ++i) { // both places are in the gap; which one counts needs no branch
      const std::size_t is_low = low >> i & 1;
      *left = keys[i];
      right[-1] = keys[i];
      left += is_low;
      right -= 1 - is_low;
    }
  }
};

struct vector_32 : vector_of<std::int32_t, vector_32> {
  static SORTILE_INLINE V minus(V a, V b) { return _mm256_sub_epi32(a, b); }
  static SORTILE_INLINE V plus(V a, V b) { return _mm256_add_epi32(a, b); }
  static SORTILE_INLINE void store_places(std::uint32_t* p, V v) { _mm256_storeu_si256(reinterpret_cast<V*>(p), v); }
  static SORTILE_INLINE V all(T x) { return _mm256_set1_epi32(x); }
  static SORTILE_INLINE V min(V a, V b) { return _mm256_min_epi32(a, b); }
  static SORTILE_INLINE V max(V a, V b) { return _mm256_max_epi32(a, b); }
  static SORTILE_INLINE V signs(V u) { return _mm256_srai_epi32(u, 31); }
  static SORTILE_INLINE V greater(V a, V b) { return _mm256_cmpgt_epi32(a, b); }
  static SORTILE_INLINE V equal(V a, V b) { return _mm256_cmpeq_epi32(a, b); }
  static SORTILE_INLINE unsigned mask(V v) { return static_cast<unsigned>(_mm256_movemask_ps(_mm256_castsi256_ps(v))); }
  static SORTILE_INLINE V permutation(unsigned low) {
    return _mm256_load_si256(reinterpret_cast<const V*>(split_8.lane[low]));
  }
  static SORTILE_INLINE V load_strided(const T* p, std::size_t s) {
    return _mm256_setr_epi32(p[0], p[s], p[2 * s], p[3 * s], p[4 * s], p[5 * s], p[6 * s], p[7 * s]);
  }
  static SORTILE_INLINE T middle(V v) { return _mm_cvtsi128_si32(_mm256_extracti128_si256(v, 1)); }

  template <unsigned Group>
  static SORTILE_INLINE V reverse(V v) { // within groups of so many lanes
    if constexpr (Group == 2)
      return _mm256_shuffle_epi32(v, 0xb1);
    else if constexpr (Group == 4)
      return _mm256_shuffle_epi32(v, 0x1b);
    else
      return _mm256_permutevar8x32_epi32(v, _mm256_setr_epi32(7, 6, 5, 4, 3, 2, 1, 0));
  }
  template <unsigned Distance>
  static SORTILE_INLINE V swap(V v) { // lanes at a distance
    if constexpr (Distance == 1)
      return _mm256_shuffle_epi32(v, 0xb1);
    else
      return _mm256_shuffle_epi32(v, 0x4e);
  }
  // Lanes of v that stand in the upper half of groups of so many: the greater of a and b; others: the smaller.
  template <unsigned Group>
  static SORTILE_INLINE V smaller_then_greater(V a, V b) {
    constexpr int upper = Group == 2 ? 0xaa : Group == 4 ? 0xcc : 0xf0;
    return _mm256_blend_epi32(min(a, b), max(a, b), upper);
  }
};

struct vector_64 : vector_of<std::int64_t, vector_64> {
  static SORTILE_INLINE V minus(V a, V b) { return _mm256_sub_epi64(a, b); }
  static SORTILE_INLINE V plus(V a, V b) { return _mm256_add_epi64(a, b); }
  static SORTILE_INLINE void store_places(std::uint32_t* p, V v) { // the lower halves
    const V places = _mm256_permutevar8x32_epi32(v, _mm256_setr_epi32(0, 2, 4, 6, 0, 2, 4, 6));
    _mm_storeu_si128(reinterpret_cast<__m128i*>(p), _mm256_castsi256_si128(places));
  }
  static SORTILE_INLINE V all(T x) { return _mm256_set1_epi64x(x); }
  static SORTILE_INLINE V min(V a, V b) { return _mm256_blendv_epi8(a, b, greater(a, b)); }
  static SORTILE_INLINE V max(V a, V b) { return _mm256_blendv_epi8(b, a, greater(a, b)); }
  static SORTILE_INLINE V signs(V u) { return _mm256_cmpgt_epi64(_mm256_setzero_si256(), u); }
  static SORTILE_INLINE V greater(V a, V b) { return _mm256_cmpgt_epi64(a, b); }
  static SORTILE_INLINE V equal(V a, V b) { return _mm256_cmpeq_epi64(a, b); }
  static SORTILE_INLINE unsigned mask(V v) { return static_cast<unsigned>(_mm256_movemask_pd(_mm256_castsi256_pd(v))); }
  static SORTILE_INLINE V permutation(unsigned low) {
    return _mm256_load_si256(reinterpret_cast<const V*>(split_4.lane[low]));
  }
  static SORTILE_INLINE V load_strided(const T* p, std::size_t s) {
    return _mm256_setr_epi64x(p[0], p[s], p[2 * s], p[3 * s]);
  }
  static SORTILE_INLINE T lowest(V v) { return _mm_cvtsi128_si64(_mm256_castsi256_si128(v)); }

  template <unsigned Group>
  static SORTILE_INLINE V reverse(V v) {
    if constexpr (Group == 2)
      return _mm256_shuffle_epi32(v, 0x4e);
    else
      return _mm256_permute4x64_epi64(v, 0x1b);
  }
  template <unsigned Distance>
  static SORTILE_INLINE V swap(V v) {
    static_assert(Distance == 1);
    return _mm256_shuffle_epi32(v, 0x4e);
  }
  template <unsigned Group>
  static SORTILE_INLINE V smaller_then_greater(V a, V b) {
    const V in_order = greater(b, a); // lanes of which the smaller one is a
    const V upper = Group == 2 ? _mm256_setr_epi64x(0, -1, 0, -1) : _mm256_setr_epi64x(0, 0, -1, -1);
    return _mm256_blendv_epi8(b, a, _mm256_xor_si256(in_order, upper));
  }
};

} // namespace sortile::cpu::avx2
