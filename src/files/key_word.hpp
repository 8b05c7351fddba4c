// What a record is sorted by: a sequence of 64-bit words that compare as the keys do.
//
// Every part of a key is a string of words of which each says whether it is the last. Two records of which a part has
// equal words so far are therefore both at its end or both not, and a sort can take the words one after the other, as a
// radix sort takes digits.
#pragma once

#include "primitives/text_word.hpp"

#include <cstdint>
#include <string_view>

namespace sortile::files {

struct key_word {
  std::uint64_t bits = 0;
  bool last = false;
};

constexpr std::uint64_t byteswapped(std::uint64_t x) {
  return __builtin_bswap64(x);
}

/// Word `depth` of text. For depth > 0 the word before must not have been the last.
inline key_word text_word(std::string_view text, std::size_t depth) {
  const std::uint64_t word = text_word_at(text, depth * text_word_bytes);
  return {word, is_last_word(word)};
}

} // namespace sortile::files
