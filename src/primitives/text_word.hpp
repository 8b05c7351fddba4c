// The bytes of a text as words: 64-bit numbers that compare as the texts do.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

namespace sortile {

/// Bytes of text in a word. The eighth says how many are used (0–7: the text ends here; 8: it goes on), so that "a"
/// comes before "a\0".
inline constexpr std::size_t text_word_bytes = 7;

namespace detail {

inline std::uint64_t load_big_endian(const char* p) {
  std::uint64_t x;
  std::memcpy(&x, p, 8);
  return std::endian::native == std::endian::little ? __builtin_bswap64(x) : x;
}

/// Up to 7 bytes, in the upper ones of the word; reads nothing beyond them.
inline std::uint64_t load_few(const char* p, std::size_t n) {
  const auto byte = [p](std::size_t i) { return static_cast<std::uint64_t>(static_cast<unsigned char>(p[i])); };
  if (n >= 4) {
    std::uint32_t head;
    std::uint32_t tail;
    std::memcpy(&head, p, 4);
    std::memcpy(&tail, p + n - 4, 4);
    if constexpr (std::endian::native == std::endian::little) {
      head = __builtin_bswap32(head);
      tail = __builtin_bswap32(tail);
    }
    return std::uint64_t{head} << 32 | std::uint64_t{tail} << (64 - 8 * n);
  }
  if (n == 0)
    return 0;
  return byte(0) << 56 | byte(n / 2) << (56 - 8 * (n / 2)) | byte(n - 1) << (56 - 8 * (n - 1));
}

} // namespace detail

/// The word of a text that begins at byte `from`, which is not beyond its end.
[[gnu::always_inline]] inline std::uint64_t text_word_at(std::string_view text, std::size_t from) {
  const std::size_t rest = text.size() - from;
  if (rest > text_word_bytes)
    return (detail::load_big_endian(text.data() + from) & ~std::uint64_t{0xff}) | (text_word_bytes + 1);
  return detail::load_few(text.data() + from, rest) | rest;
}

/// Whether a text ends within this word of it.
inline bool is_last_word(std::uint64_t word) {
  return (word & 0xff) <= text_word_bytes;
}

} // namespace sortile
