// Words of strings: 64-bit numbers that compare as parts of strings do, and what strings have in common.
//
// Plain words are bytes of a string and how many of these there are. A word beside a pivot says how a string compares
// with another one: a string that leaves the pivot after p bytes comes the later the larger p is where it is less than
// the pivot, and the earlier where it is larger. So p, in 16 bits, and the bytes behind it make the word, and strings
// that begin one another are told apart by one word, however long they are.
//
//   bits   63 … 48     47 … 16     15 … 8   7 … 0
//          seven bytes of the string        used     plain, text_word.hpp
//          place       five bytes behind    used     beside a pivot
//          six bytes of the string    used, number   with numbers: 3 bits say how many bytes are used, 13 which of up
//          place       four bytes     used, number   to 8192 strings it is
//
// Words with numbers are sorted as keys alone, and since no two are equal, by a sort that need not be stable.
#pragma once

#include "primitives/text_word.hpp"

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace sortile::cpu {

/// How words are made of the strings of a group.
struct text_digit {
  std::size_t depth;
  std::string_view pivot{}; ///< from depth on; empty: plain words
};

inline constexpr std::size_t most_common = 32767; ///< bytes that a word can say a string shares with the pivot

/// How many bytes two strings begin with together: at least `known`, at most `most`.
inline std::size_t common_bytes(std::string_view a, std::string_view b, std::size_t known, std::size_t most) {
  const auto differ_at = [&](std::size_t i) {
    return sortile::detail::load_big_endian(a.data() + i) ^ sortile::detail::load_big_endian(b.data() + i);
  };
  const auto same = [](std::uint64_t differ) { return static_cast<std::size_t>(std::countl_zero(differ)) / 8; };
  const std::size_t end = std::min({a.size(), b.size(), most});
  std::size_t i = known;
  for (; i + 16 <= end; i += 16) {
    const std::uint64_t first = differ_at(i), second = differ_at(i + 8);
    if ((first | second) != 0)
      return first != 0 ? i + same(first) : i + 8 + same(second);
  }
  if (i + 8 <= end) {
    if (const std::uint64_t differ = differ_at(i))
      return i + same(differ);
    i += 8;
  }
  if (end < 8)
    return std::min(end, same(sortile::detail::load_few(a.data(), end) ^ sortile::detail::load_few(b.data(), end)));
  return std::min(end, end - 8 + same(differ_at(end - 8))); // what comes before i is the same
}

inline std::string_view rest_of(std::string_view text, std::size_t depth) {
  return {text.data() + depth, text.size() - depth};
}

/// Where a string is among those that leave a pivot, in 16 bits, and how many bytes it shares with it.
struct place_beside {
  std::uint64_t place;
  std::size_t shared;
};

/// Of strings that have so many bytes in common, at most most_common.
inline place_beside compare_beside(std::string_view pivot, std::string_view text, std::size_t shared) {
  if (shared == most_common || (shared == text.size() && shared == pivot.size()))
    return {most_common, shared};
  const bool is_larger =
      shared < text.size() &&
      (shared == pivot.size() || static_cast<unsigned char>(text[shared]) > static_cast<unsigned char>(pivot[shared]));
  return {is_larger ? 2 * most_common + 1 - shared : shared, shared};
}

/// The bytes that strings in this place share with the pivot.
inline std::size_t shared_in(std::uint64_t place, std::string_view pivot) {
  return place < most_common   ? place
         : place > most_common ? 2 * most_common + 1 - place
                               : std::min(pivot.size(), most_common);
}

/// Of eight of n strings, `text_at(i)`, the one that has the most in common with the others.
template <class TextAt>
std::string_view choose_pivot(std::size_t n, const TextAt& text_at) {
  constexpr std::size_t candidates = 8;
  std::string_view texts[candidates];
  std::size_t shared[candidates] = {};
  for (std::size_t i = 0; i < candidates; ++i)
    texts[i] = text_at(n * i / candidates);
  for (std::size_t i = 1; i < candidates; ++i)
    for (std::size_t j = 0; j < i; ++j) {
      const std::size_t bytes = common_bytes(texts[i], texts[j], 0, most_common);
      shared[i] += bytes;
      shared[j] += bytes;
    }
  return texts[std::max_element(shared, shared + candidates) - shared];
}

// ---- words of seven bytes, or of a place and five ----

struct wide_words {
  static constexpr std::size_t behind_common = 5;

  static std::uint64_t make(std::string_view text, const text_digit& by) {
    if (by.pivot.empty())
      return text_word_at(text, by.depth);
    text.remove_prefix(by.depth);
    const auto [place, shared] = compare_beside(by.pivot, text, common_bytes(by.pivot, text, 0, most_common));
    return place << 48 | text_word_at(text, shared) >> 24 << 8 | std::min(text.size() - shared, behind_common + 1);
  }

  /// Where strings with this word, which goes on, are to be compared next.
  static std::size_t depth_behind(std::uint64_t word, const text_digit& by) {
    return by.depth + (by.pivot.empty() ? text_word_bytes : shared_in(word >> 48, by.pivot) + behind_common);
  }

  static bool is_last(std::uint64_t word, const text_digit& by) {
    return by.pivot.empty() ? is_last_word(word) : (word & 0xff) <= behind_common;
  }
};

// ---- words with numbers ----

struct numbered_words {
  static constexpr unsigned number_bits = 13;
  static constexpr std::uint64_t number_mask = (std::uint64_t{1} << number_bits) - 1;
  static constexpr std::size_t most = std::size_t{1} << number_bits; ///< strings
  static constexpr std::size_t bytes = 6, behind_common = 4;
  static constexpr std::uint64_t goes_on = 7; // in place of how many bytes are used

  /// Of eight bytes of a string that has `rest` bytes left, zero behind its end.
  static std::uint64_t make(std::uint64_t eight, std::size_t rest) {
    return eight >> 16 << 16 | std::min(std::uint64_t{rest}, goes_on) << number_bits;
  }

  /// Of a word of seven bytes.
  static std::uint64_t make(std::uint64_t wide) { return make(wide, wide & 0xff); }

  /// Of a string that has so many bytes in common with the pivot.
  static std::uint64_t make_beside(std::string_view pivot, std::string_view text, std::size_t in_common) {
    const auto [place, shared] = compare_beside(pivot, text, in_common);
    const std::size_t rest = text.size() - shared;
    return place << 48 | text_word_at(text, shared) >> 32 << 16 |
           (rest > behind_common ? goes_on : rest) << number_bits;
  }

  static std::size_t depth_behind(std::uint64_t word, const text_digit& by) {
    return by.depth + (by.pivot.empty() ? bytes : shared_in(word >> 48, by.pivot) + behind_common);
  }

  static bool is_last(std::uint64_t word) { return (word >> number_bits & 7) != goes_on; }

  static std::size_t number(std::uint64_t word) { return word & number_mask; }
  static bool are_equal(std::uint64_t a, std::uint64_t b) { return (a ^ b) <= number_mask; } ///< but for the numbers
};

/// Calls f(begin, n) where two and more words are equal but for their numbers.
template <class F>
void for_each_equal(const std::uint64_t* words, std::size_t n, const F& f) {
  for (std::size_t begin = 0, end; begin < n; begin = end) {
    for (end = begin + 1; end < n && numbered_words::are_equal(words[end], words[begin]);)
      ++end;
    if (end - begin > 1)
      f(begin, end - begin);
  }
}

} // namespace sortile::cpu
