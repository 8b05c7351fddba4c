// How parts of strings are read in AVX2 (string_parts.cpp).
namespace sortile::cpu::avx2 {

using generic::differ_in;
using generic::eight_bytes;

/// How many bytes at a and b are the same, of 16 or 32.
inline std::size_t same_of_16(const char* a, const char* b) {
  const __m128i x = _mm_loadu_si128(reinterpret_cast<const __m128i*>(a)),
                y = _mm_loadu_si128(reinterpret_cast<const __m128i*>(b));
  const auto same = static_cast<unsigned>(_mm_movemask_epi8(_mm_cmpeq_epi8(x, y)));
  return static_cast<std::size_t>(std::countr_one(same));
}
inline std::size_t same_of_32(const char* a, const char* b) {
  const __m256i x = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(a)),
                y = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(b));
  const auto same = static_cast<unsigned>(_mm256_movemask_epi8(_mm256_cmpeq_epi8(x, y)));
  return static_cast<std::size_t>(std::countr_one(same));
}

inline std::size_t common_bytes(std::string_view a, std::string_view b, std::size_t most, bool far) {
  const std::size_t end = std::min({a.size(), b.size(), most});
  if (end < 16)
    return generic::common_bytes(a, b, most, far);
  std::size_t i = 0;
  if (!far)
    for (; i + 32 <= end; i += 32)
      if (const std::size_t same = same_of_32(a.data() + i, b.data() + i); same < 32)
        return i + same;
  for (; i + 16 <= end; i += 16)
    if (const std::size_t same = same_of_16(a.data() + i, b.data() + i); same < 16)
      return i + same;
  return end - 16 + same_of_16(a.data() + end - 16, b.data() + end - 16); // what comes before i is the same
}

/// Bit i: word i + 1 is equal to word i but for the number; n of them, at most 64.
SORTILE_INLINE std::uint64_t equal_to_next(const std::uint64_t* words, std::size_t n) {
  const __m256i texts = _mm256_set1_epi64x(static_cast<long long>(~numbered_words::number_mask));
  std::uint64_t equal = 0;
  std::size_t i = 0;
  for (; i + 4 <= n; i += 4) {
    const __m256i word = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(words + i)),
                  next = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(words + i + 1)),
                  differ = _mm256_and_si256(_mm256_xor_si256(word, next), texts),
                  same = _mm256_cmpeq_epi64(differ, _mm256_setzero_si256());
    equal |= std::uint64_t{static_cast<unsigned>(_mm256_movemask_pd(_mm256_castsi256_pd(same)))} << i;
  }
  for (; i < n; ++i)
    equal |= std::uint64_t{numbered_words::are_equal(words[i], words[i + 1])} << i;
  return equal;
}

template <class F>
void for_each_run(const std::uint64_t* words, std::size_t n, const F& f) {
  generic::for_each_run_in_mask(words, n, equal_to_next, f);
}

} // namespace sortile::cpu::avx2
