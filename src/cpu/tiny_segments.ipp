// Vectors whose keys come from neighbouring short segments, in AVX-512: loads that spread them, stores that pack them.
namespace sortile::cpu::avx512 {

struct spread_32 : vector_32 {
  static SORTILE_INLINE V load_spread(const T* p, std::size_t n, unsigned lanes_used) {
    return _mm512_maskz_expand_epi32(static_cast<__mmask16>(lanes_used), load_first(p, n));
  }
  static SORTILE_INLINE V fill_others(V v, unsigned lanes_used) {
    return _mm512_mask_mov_epi32(_mm512_set1_epi32(-1), static_cast<__mmask16>(lanes_used), v);
  }
  static SORTILE_INLINE void store_packed(T* p, std::size_t n, unsigned lanes_used, V v) {
    store_first(p, n, _mm512_maskz_compress_epi32(static_cast<__mmask16>(lanes_used), v));
  }
};

struct spread_64 : vector_64 {
  static SORTILE_INLINE V load_spread(const T* p, std::size_t n, unsigned lanes_used) {
    return _mm512_maskz_expand_epi64(static_cast<__mmask8>(lanes_used), load_first(p, n));
  }
  static SORTILE_INLINE V fill_others(V v, unsigned lanes_used) {
    return _mm512_mask_mov_epi64(_mm512_set1_epi64(-1), static_cast<__mmask8>(lanes_used), v);
  }
  static SORTILE_INLINE void store_packed(T* p, std::size_t n, unsigned lanes_used, V v) {
    store_first(p, n, _mm512_maskz_compress_epi64(static_cast<__mmask8>(lanes_used), v));
  }
};

} // namespace sortile::cpu::avx512
