// The order of texts, byte by byte.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

namespace sortile::python {

/// What texts have in common. Those whose data is null are no texts, and stand for nulls.
struct text_extent {
  std::size_t shared = 0;  ///< bytes that all begin with
  std::size_t longest = 0; ///< bytes of the longest
};
text_extent extent_of(std::span<const std::string_view> texts, unsigned threads);

/// words[i]: the bytes of texts[i] from `from` on as a number that compares as they do (primitives/text_word.hpp); 0
/// where there are none.
void make_words(std::span<const std::string_view> texts, std::size_t from, std::uint64_t* words, unsigned threads);

/// ranks[i]: how many different texts come before texts[i]. n below 2^32.
void rank_texts(std::span<const std::string_view> texts, std::uint32_t* ranks, unsigned threads);

} // namespace sortile::python
