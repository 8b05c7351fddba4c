// What a record is sorted by: a sequence of 64-bit words that compare as the keys do.
//
// Every part of a key is a string of words of which each says whether it is the last. Two records of which a part has
// equal words so far are therefore both at its end or both not, and a sort can take the words one after the other, as a
// radix sort takes digits.
#pragma once

#include <bit>
#include <cstdint>
#include <cstring>
#include <string_view>

namespace sortile::files {

struct key_word {
  std::uint64_t bits = 0;
  bool last = false;
};

constexpr std::uint64_t byteswapped(std::uint64_t x) {
  return __builtin_bswap64(x);
}

/// Bytes of text in a word. The eighth says how many are used (0–7: the text ends here; 8: it goes on), so that "a"
/// comes before "a\0".
inline constexpr std::size_t text_word_bytes = 7;

namespace detail {

inline std::uint64_t load_big_endian(const char* p) {
  std::uint64_t x;
  std::memcpy(&x, p, 8);
  return std::endian::native == std::endian::little ? byteswapped(x) : x;
}

// Up to 7 bytes, in the upper ones of the word; reads nothing beyond them.
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

/// Word `depth` of text. For depth > 0 the word before must not have been the last.
inline key_word text_word(std::string_view text, std::size_t depth) {
  const std::size_t skipped = depth * text_word_bytes;
  const char* p = text.data() + skipped;
  const std::size_t rest = text.size() - skipped;
  if (rest > text_word_bytes)
    return {(detail::load_big_endian(p) & ~std::uint64_t{0xff}) | 8, false};
  return {detail::load_few(p, rest) | rest, true};
}

} // namespace sortile::files
