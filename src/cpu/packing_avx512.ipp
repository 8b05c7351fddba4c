// Chosen elements of a vector, brought to its front, in AVX-512. Included once per file that packs.
//
// A packing that fills up with zeros waits on a Zen 5 for what its target held before, five cycles, though nothing of
// that is left. Compilers take few registers in turn, so packings would go one behind the other. A target that has just
// been cleared is there at once: packing for two to sixteen keys then takes half of the time.
namespace sortile::cpu::avx512 {

/// Zeros of which the compiler does not know that they are, so that it leaves the packing into them as it is written.
[[gnu::always_inline]] inline __m512i cleared() {
  __m512i zeros = _mm512_setzero_si512();
#if !defined(SORTILE_EMULATE_AVX512)
  __asm__("" : "+v"(zeros));
#endif
  return zeros;
}

/// Elements of 4 and of 8 bytes.
[[gnu::always_inline]] inline __m512i packed_32(std::uint32_t chosen, __m512i v) {
  return _mm512_mask_compress_epi32(cleared(), static_cast<__mmask16>(chosen), v);
}
[[gnu::always_inline]] inline __m512i packed_64(std::uint32_t chosen, __m512i v) {
  return _mm512_mask_compress_epi64(cleared(), static_cast<__mmask8>(chosen), v);
}

} // namespace sortile::cpu::avx512
