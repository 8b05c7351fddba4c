// Numbers as people write them, compared exactly at any length: no rounding to double takes place.
#pragma once

#include "files/key_word.hpp"

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string_view>

namespace sortile::files {

/// ± 0.d₁d₂d₃… × 10^magnitude, with d₁ and the last digit not 0 (unless it is zero: no digits).
struct decimal {
  enum class kind : std::uint8_t { missing, finite, infinite, not_a_number };

  kind what = kind::finite;
  bool negative = false;
  std::int64_t magnitude = 0;
  static constexpr std::size_t no_point = std::numeric_limits<std::size_t>::max();
  std::string_view digits{};    ///< d₁ … the last digit; a point may stand between them
  std::size_t point = no_point; ///< where in `digits` it stands

  bool is_zero() const { return what == kind::finite && digits.empty(); }
};

/// The number at the beginning of a text as `sort -n` reads it: blanks, '-', digits, '.', digits. What is no number is
/// 0.
decimal parse_leading_number(std::string_view text);

/// A text that is a number as a whole: blanks around it, a sign, digits with a point, an exponent; inf, infinity and
/// nan in any case; an empty text is `missing`. Nothing where it is something else.
std::optional<decimal> parse_number(std::string_view text);

/// Word `depth` of a number: missing < −inf < … < −0 = 0 < … < inf < every nan. The first word decides between numbers
/// that differ in their first 16 digits.
key_word number_word(const decimal& number, std::size_t depth);

/// Compares as the words do, in time linear in the digits: negative, 0, positive.
int compare(const decimal& a, const decimal& b);

/// The whole number in one word that compares as number_word() does, where it is an integer that fits in 64 bits.
std::optional<std::uint64_t> integer_word(const decimal& number);

/// integer_word() of parse_leading_number(text), or with `whole` of parse_number(text), for the texts that most are: a
/// sign '-' or none and up to 18 digits. Nothing for others, which may have one all the same.
std::optional<std::uint64_t> plain_integer_word(std::string_view text, bool whole);

/// Blanks as sort(1) sees them in the C locale: space, tab, and newline (which a record holds under -z only).
constexpr bool is_blank(char c) {
  return c == ' ' || c == '\t' || c == '\n';
}

} // namespace sortile::files
