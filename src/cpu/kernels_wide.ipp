// The vectors of an instruction set, for kernels that are alike whatever their width: 64 bytes in AVX-512, 32 in AVX2.
// Included once per instruction set (kernels_scan.ipp).
//
// AVX2 has no masks and no compression: of equal keys their sign bits are gathered, and a table gives the permutation
// that brings chosen elements to the front (split_tables.hpp).
#if defined(SORTILE_CPU_AVX512_HERE) || defined(SORTILE_CPU_AVX2_HERE)
#define SORTILE_CPU_WIDE_HERE 1
#else
#undef SORTILE_CPU_WIDE_HERE
#endif

#if defined(SORTILE_CPU_AVX512_HERE)
#include "cpu/packing_avx512.ipp"
#endif

#if defined(SORTILE_CPU_WIDE_HERE)
namespace sortile::cpu::SORTILE_CPU_ISA {

#if defined(SORTILE_CPU_AVX512_HERE)
using wide = __m512i;

[[gnu::always_inline]] inline wide load_wide(const void* from) {
  return _mm512_loadu_si512(from);
}
[[gnu::always_inline]] inline void store_wide(void* to, wide v) {
  _mm512_storeu_si512(to, v);
}
[[gnu::always_inline]] inline void stream_wide(void* to, wide v) {
  _mm512_stream_si512(static_cast<wide*>(to), v);
}
/// Which of a vector of keys are `key`.
[[gnu::always_inline]] inline std::uint32_t equal_to(wide keys, std::uint32_t key) {
  return _mm512_cmpeq_epu32_mask(keys, _mm512_set1_epi32(static_cast<int>(key)));
}
[[gnu::always_inline]] inline std::uint32_t equal_to(wide keys, std::uint64_t key) {
  return _mm512_cmpeq_epu64_mask(keys, _mm512_set1_epi64(static_cast<long long>(key)));
}
#else
using wide = __m256i;

[[gnu::always_inline]] inline wide load_wide(const void* from) {
  return _mm256_loadu_si256(static_cast<const wide*>(from));
}
[[gnu::always_inline]] inline void store_wide(void* to, wide v) {
  _mm256_storeu_si256(static_cast<wide*>(to), v);
}
[[gnu::always_inline]] inline void stream_wide(void* to, wide v) {
  _mm256_stream_si256(static_cast<wide*>(to), v);
}
[[gnu::always_inline]] inline std::uint32_t equal_to(wide keys, std::uint32_t key) {
  return static_cast<std::uint32_t>(_mm256_movemask_ps(_mm256_castsi256_ps(_mm256_cmpeq_epi32(keys, all_lanes(key)))));
}
[[gnu::always_inline]] inline std::uint32_t equal_to(wide keys, std::uint64_t key) {
  return static_cast<std::uint32_t>(_mm256_movemask_pd(_mm256_castsi256_pd(_mm256_cmpeq_epi64(keys, all_lanes(key)))));
}
#endif

/// Keys of a vector.
template <class K>
inline constexpr std::size_t wide_lanes = sizeof(wide) / sizeof(K);

/// As many elements as a vector has keys, where those have `Lanes`: they fill it, or half of it. The chosen ones come
/// to its front.
template <class T, std::size_t Lanes>
class wide_elements {
 public:
  static_assert(sizeof(T) * Lanes == sizeof(wide) || sizeof(T) * Lanes * 2 == sizeof(wide));

  [[gnu::always_inline]] explicit wide_elements(const T* from) {
#if defined(SORTILE_CPU_AVX512_HERE)
    if constexpr (is_half)
      all_ = _mm512_castsi256_si512(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(from)));
#else
    if constexpr (is_half)
      all_ = _mm256_castsi128_si256(_mm_loadu_si128(reinterpret_cast<const __m128i*>(from)));
#endif
    else
      all_ = load_wide(from);
  }
  [[gnu::always_inline]] wide at_front(std::uint32_t chosen) const {
#if defined(SORTILE_CPU_AVX512_HERE)
    return sizeof(T) == 4 ? packed_32(chosen, all_) : packed_64(chosen, all_);
#else
    const std::uint32_t* const order = sizeof(T) == 8 ? split_4.lane[chosen] : split_8.lane[chosen];
    return _mm256_permutevar8x32_epi32(all_, _mm256_load_si256(reinterpret_cast<const wide*>(order)));
#endif
  }
  /// Writes the chosen ones to `to`, and more of them than there are: as many as were read.
  [[gnu::always_inline]] void put(std::uint32_t chosen, T* to) const {
    const wide v = at_front(chosen);
#if defined(SORTILE_CPU_AVX512_HERE)
    if constexpr (is_half)
      _mm256_storeu_si256(reinterpret_cast<__m256i*>(to), _mm512_castsi512_si256(v));
#else
    if constexpr (is_half)
      _mm_storeu_si128(reinterpret_cast<__m128i*>(to), _mm256_castsi256_si128(v));
#endif
    else
      store_wide(to, v);
  }

 private:
  static constexpr bool is_half = sizeof(T) * Lanes < sizeof(wide);
  wide all_;
};

} // namespace sortile::cpu::SORTILE_CPU_ISA
#endif
