// How parts of strings are read in AVX-512 (string_parts.cpp).
namespace sortile::cpu::avx512 {

SORTILE_INLINE std::uint64_t eight_bytes(std::string_view text, std::size_t depth) {
  const auto used = static_cast<unsigned>(std::min<std::size_t>(text.size() - depth, 8));
  const __m128i eight = _mm_maskz_loadu_epi8(static_cast<__mmask16>(_bzhi_u32(0xff, used)), text.data() + depth);
  return __builtin_bswap64(static_cast<std::uint64_t>(_mm_cvtsi128_si64(eight)));
}

/// How many bytes are compared at a time.
SORTILE_INLINE std::size_t step(bool far) {
  return far ? 16 : 64;
}

/// Bit i: bytes i differ, of at most n bytes and a step.
SORTILE_INLINE std::uint64_t differ_at(const char* a, const char* b, std::size_t n, bool far) {
  if (far) {
    const auto some = static_cast<__mmask16>(_bzhi_u32(0xffff, static_cast<unsigned>(std::min<std::size_t>(n, 16))));
    return _mm_mask_cmpneq_epu8_mask(some, _mm_maskz_loadu_epi8(some, a), _mm_maskz_loadu_epi8(some, b));
  }
  const __mmask64 some = _bzhi_u64(~std::uint64_t{0}, static_cast<unsigned>(std::min<std::size_t>(n, 64)));
  return _mm512_mask_cmpneq_epu8_mask(some, _mm512_maskz_loadu_epi8(some, a), _mm512_maskz_loadu_epi8(some, b));
}

SORTILE_INLINE std::uint64_t differ_in(std::string_view a, std::string_view b, std::size_t depth, std::size_t n,
                                       bool far) {
  std::uint64_t differ = 0;
  for (std::size_t i = depth, end = depth + n; i < end; i += step(far))
    differ |= differ_at(a.data() + i, b.data() + i, end - i, far);
  return differ;
}

inline std::size_t common_bytes(std::string_view a, std::string_view b, std::size_t most, bool far) {
  const std::size_t end = std::min({a.size(), b.size(), most});
  for (std::size_t i = 0;; i += step(far)) {
    const std::uint64_t differ = differ_at(a.data() + i, b.data() + i, end - i, far);
    if (differ != 0)
      return i + static_cast<std::size_t>(std::countr_zero(differ));
    if (end - i <= step(far))
      return end;
  }
}

/// Bit i: word i + 1 is equal to word i but for the number; n of them, at most 64.
inline std::uint64_t equal_to_next(const std::uint64_t* words, std::size_t n) {
  const __m512i numbers = _mm512_set1_epi64(numbered_words::number_mask);
  std::uint64_t equal = 0;
  for (std::size_t i = 0; i < n; i += 8) {
    const auto some = static_cast<__mmask8>(_bzhi_u32(0xff, static_cast<unsigned>(std::min<std::size_t>(n - i, 8))));
    const __m512i differ =
        _mm512_xor_si512(_mm512_maskz_loadu_epi64(some, words + i), _mm512_maskz_loadu_epi64(some, words + i + 1));
    equal |= std::uint64_t{static_cast<__mmask8>(some & _mm512_cmple_epu64_mask(differ, numbers))} << i;
  }
  return equal;
}

template <class F>
void for_each_run(const std::uint64_t* words, std::size_t n, const F& f) {
  generic::for_each_run_in_mask(words, n, equal_to_next, f);
}

} // namespace sortile::cpu::avx512
