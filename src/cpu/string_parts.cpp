// Parts of strings, as string_batch.hpp says: how their bytes are read in plain C++, in AVX2 and in AVX-512.
//
// Few strings of a part have the same length or leave each other at the same byte, so branches on these are not
// foreseen; the plain reads have several. A load with a mask takes what there is of eight bytes or of 64, and equal
// words are found eight at a time, by AVX2 four, in a mask whose bits are looked for. A load with a mask waits for both
// lines of the cache that it touches, though the mask leaves out one of them: so strings in memory are compared 16
// bytes at a time.
#include "cpu/string_parts.hpp"

#include "cpu/intrinsics.hpp"
#include "cpu/radix_job.hpp"
#include "cpu/string_words.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <utility>

#define SORTILE_INLINE __attribute__((always_inline)) inline

namespace sortile::cpu::generic {

/// Eight bytes from `depth` on, zeros behind the end of the string; reads no byte of others.
SORTILE_INLINE std::uint64_t eight_bytes(std::string_view text, std::size_t depth) {
  if (text.size() < 8)
    return sortile::detail::load_few(text.data() + depth, text.size() - depth);
  const std::size_t used = std::min<std::size_t>(text.size() - depth, 8);
  const std::uint64_t last = sortile::detail::load_big_endian(text.data() + depth + used - 8);
  return last << (4 * (8 - used)) << (4 * (8 - used)); // 64 bits at once cannot be shifted
}

/// How many bytes two strings begin with together, at most `most`. `far`: few are read beyond those that decide.
inline std::size_t common_bytes(std::string_view a, std::string_view b, std::size_t most, bool) {
  return sortile::cpu::common_bytes(a, b, 0, most);
}

inline std::uint64_t load(const char* p) {
  std::uint64_t eight;
  std::memcpy(&eight, p, 8);
  return eight;
}

/// Not zero where two strings differ in n bytes from `depth` on; neither ends within them.
SORTILE_INLINE std::uint64_t differ_in(std::string_view a, std::string_view b, std::size_t depth, std::size_t n, bool) {
  if (n <= 8)
    return (eight_bytes(a, depth) ^ eight_bytes(b, depth)) & ~std::uint64_t{0} << (64 - 8 * n);
  const char *const x = a.data() + depth, *const y = b.data() + depth;
  std::uint64_t differ = load(x + n - 8) ^ load(y + n - 8);
  for (std::size_t i = 0; i + 8 < n; i += 8)
    differ |= load(x + i) ^ load(y + i);
  return differ;
}

/// Calls f(begin, n) where two and more words are equal but for their numbers.
template <class F>
void for_each_run(const std::uint64_t* words, std::size_t n, const F& f) {
  for_each_equal(words, n, f);
}

/// The same by equal_to_next(words, n): bit i says that word i + 1 is equal to word i but for the number, of n ≤ 64.
template <class EqualToNext, class F>
SORTILE_INLINE void for_each_run_in_mask(const std::uint64_t* words, std::size_t n, const EqualToNext& equal_to_next,
                                         const F& f) {
  for (std::size_t at = 0, next; at + 1 < n; at = next) {
    next = at + 64;
    for (std::uint64_t equal = equal_to_next(words + at, std::min<std::size_t>(n - 1 - at, 64)); equal != 0;) {
      const auto first = static_cast<std::size_t>(std::countr_zero(equal));
      const std::size_t last = first + static_cast<std::size_t>(std::countr_zero(~(equal >> first)));
      std::size_t end = at + last + 1;
      if (last < 64) {
        equal &= ~std::uint64_t{0} << last;
      } else {
        while (end < n && numbered_words::are_equal(words[end], words[end - 1]))
          ++end;
        next = end, equal = 0;
      }
      f(at + first, end - at - first);
    }
  }
}

} // namespace sortile::cpu::generic

#define SORTILE_CPU_ISA generic
#include "cpu/string_parts.ipp"
#undef SORTILE_CPU_ISA

#if defined(SORTILE_CPU_X86)
#include "cpu/target_avx2.ipp"

#include "cpu/string_parts_avx2.ipp"

#define SORTILE_CPU_ISA avx2
#include "cpu/string_parts.ipp"
#undef SORTILE_CPU_ISA
#include "cpu/target_end.ipp"

#include "cpu/target_avx512.ipp"

#include "cpu/string_parts_avx512.ipp"

#define SORTILE_CPU_ISA avx512
#include "cpu/string_parts.ipp"
#undef SORTILE_CPU_ISA
#include "cpu/target_end.ipp"
#endif

namespace sortile::cpu {

sort_of_parts* best_sort_of_parts() {
#if defined(SORTILE_CPU_X86)
  if (uses(instruction_set::avx512))
    return avx512::sort_parts;
  if (uses(instruction_set::avx2))
    return avx2::sort_parts;
#endif
  return generic::sort_parts;
}

} // namespace sortile::cpu
