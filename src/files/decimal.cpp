// See decimal.hpp.
//
// The first word of a number, before the complement that negative ones get:
//
//     63      62 … 55        54 … 1                          0
//     sign    magnitude      16 digits as an integer         more digits follow
//
// The magnitude of nearly every number fits its 8 bits (0: zero, 2–252: −100 … 150, 254: infinity, 255: nan). Codes 1
// and 253 stand for the rest, and the 54 bits then hold the magnitude. Further words hold 18 digits each. Digits that a
// number lacks are zeros, and a last digit is never 0, so that a number that goes on is the larger one: the lowest bit
// orders it so. A word is made in constant time, since the place of the one point among the digits is known.
#include "files/decimal.hpp"

#include <algorithm>

namespace sortile::files {

namespace {

constexpr std::size_t first_digits = 16;
constexpr std::size_t further_digits = 18;
constexpr std::int64_t smallest_coded = -100;
constexpr std::int64_t largest_coded = 150;
constexpr std::int64_t magnitude_limit = std::int64_t{1} << 52;

constexpr bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

// Digits, a point and digits, from `p`; what is read is taken into the number. Returns where it ends.
const char* scan_digits(const char* p, const char* end, decimal& number, bool& any) {
  const char* first = nullptr; // first and last digit that is not 0
  const char* last = nullptr;
  const char* point = nullptr;
  const char* begin = p;
  for (; p != end; ++p) {
    if (*p == '.' && point == nullptr) {
      point = p;
    } else if (is_digit(*p)) {
      if (*p != '0') {
        first = first != nullptr ? first : p;
        last = p;
      }
    } else {
      break;
    }
  }
  any = p - begin > (point != nullptr ? 1 : 0);
  if (first == nullptr)
    return p;
  number.digits = {first, static_cast<std::size_t>(last + 1 - first)};
  if (point != nullptr && point > first && point < last)
    number.point = static_cast<std::size_t>(point - first);
  const char* units = point != nullptr ? point : p; // behind the digit of the units
  number.magnitude = first < units ? units - first : -(first - units - 1);
  return p;
}

bool equals_folded(std::string_view text, std::string_view lower) {
  return std::equal(text.begin(), text.end(), lower.begin(), lower.end(),
                    [](char a, char b) { return (a | 0x20) == b; });
}

// An exponent behind 'e', clamped so that magnitudes stay comparable; null where it is none.
const char* scan_exponent(const char* p, const char* end, std::int64_t& exponent) {
  const bool negative = p != end && *p == '-';
  if (p != end && (*p == '-' || *p == '+'))
    ++p;
  if (p == end || !is_digit(*p))
    return nullptr;
  std::int64_t value = 0;
  for (; p != end && is_digit(*p); ++p)
    value = std::min(value * 10 + (*p - '0'), magnitude_limit / 2);
  exponent = negative ? -value : value;
  return p;
}

std::size_t digit_count(const decimal& number) {
  return number.digits.size() - (number.point != decimal::no_point ? 1 : 0);
}

// Digit `i`, counted without the point.
std::uint64_t digit(const decimal& number, std::size_t i) {
  return static_cast<std::uint64_t>(number.digits[i < number.point ? i : i + 1] - '0');
}

// `count` digits from the one numbered `from`, followed by zeros; and whether there are more.
struct digit_group {
  std::uint64_t value = 0;
  bool more = false;
};
digit_group group_of(const decimal& number, std::size_t from, std::size_t count) {
  const std::size_t digits = digit_count(number);
  const std::size_t end = std::min(digits, from + count);
  digit_group group;
  for (std::size_t i = from; i < end; ++i)
    group.value = group.value * 10 + digit(number, i);
  for (std::size_t i = std::max(end, from); i < from + count; ++i)
    group.value *= 10;
  group.more = end < digits;
  return group;
}

key_word word_of(std::uint64_t code, std::uint64_t middle, bool more) {
  return {std::uint64_t{1} << 63 | code << 55 | middle << 1 | (more ? 1u : 0u), !more};
}

key_word positive_word(const decimal& number, std::size_t depth) {
  if (number.what == decimal::kind::infinite)
    return word_of(254, 0, false);
  if (number.what == decimal::kind::not_a_number)
    return word_of(255, 0, false);
  if (number.digits.empty())
    return word_of(0, 0, false);
  const bool coded = number.magnitude >= smallest_coded && number.magnitude <= largest_coded;
  if (depth > 0) {
    const digit_group group =
        group_of(number, (coded ? first_digits : 0) + further_digits * (depth - 1), further_digits);
    return {group.value << 1 | (group.more ? 1u : 0u), !group.more};
  }
  if (!coded)
    return word_of(number.magnitude < 0 ? 1 : 253, static_cast<std::uint64_t>(number.magnitude + 2 * magnitude_limit),
                   true);
  const digit_group group = group_of(number, 0, first_digits);
  return word_of(static_cast<std::uint64_t>(number.magnitude - smallest_coded + 2), group.value, group.more);
}

} // namespace

decimal parse_leading_number(std::string_view text) {
  decimal number;
  const char* p = text.data();
  const char* end = p + text.size();
  while (p != end && is_blank(*p))
    ++p;
  if (p != end && *p == '-') {
    number.negative = true;
    ++p;
  }
  bool any = false;
  scan_digits(p, end, number, any);
  return number;
}

std::optional<decimal> parse_number(std::string_view text) {
  while (!text.empty() && is_blank(text.front()))
    text.remove_prefix(1);
  while (!text.empty() && is_blank(text.back()))
    text.remove_suffix(1);
  decimal number;
  if (text.empty()) {
    number.what = decimal::kind::missing;
    return number;
  }
  if (text.front() == '-' || text.front() == '+') {
    number.negative = text.front() == '-';
    text.remove_prefix(1);
  }
  if (equals_folded(text, "inf") || equals_folded(text, "infinity")) {
    number.what = decimal::kind::infinite;
    return number;
  }
  if (equals_folded(text, "nan")) {
    number.what = decimal::kind::not_a_number;
    return number;
  }
  const char* end = text.data() + text.size();
  bool any = false;
  const char* p = scan_digits(text.data(), end, number, any);
  if (any && p != end && (*p == 'e' || *p == 'E')) {
    std::int64_t exponent = 0;
    p = scan_exponent(p + 1, end, exponent);
    number.magnitude += number.digits.empty() ? 0 : exponent;
  }
  return any && p == end ? std::optional(number) : std::nullopt;
}

key_word number_word(const decimal& number, std::size_t depth) {
  if (number.what == decimal::kind::missing)
    return {0, true};
  const key_word word = positive_word(number, depth);
  const bool complemented = number.negative && !number.is_zero() && number.what != decimal::kind::not_a_number;
  return {complemented ? ~word.bits : word.bits, word.last};
}

int compare(const decimal& a, const decimal& b) {
  const key_word x = number_word(a, 0);
  const key_word y = number_word(b, 0);
  if (x.bits != y.bits || x.last)
    return x.bits < y.bits ? -1 : x.bits > y.bits ? 1 : 0;
  // Of one sign and one magnitude: the digits decide, and of those the first that differs.
  const std::size_t digits_a = digit_count(a);
  const std::size_t digits_b = digit_count(b);
  int result = digits_a < digits_b ? -1 : digits_a > digits_b ? 1 : 0;
  for (std::size_t i = 0; i < std::min(digits_a, digits_b); ++i)
    if (digit(a, i) != digit(b, i)) {
      result = digit(a, i) < digit(b, i) ? -1 : 1;
      break;
    }
  return a.negative ? -result : result;
}

std::optional<std::uint64_t> plain_integer_word(std::string_view text, bool whole) {
  constexpr std::ptrdiff_t most_digits = 18;
  const char* p = text.data();
  const char* const end = p + text.size();
  while (p != end && is_blank(*p))
    ++p;
  const bool negative = p != end && *p == '-';
  p += negative ? 1 : 0;
  const char* const first = p;
  std::uint64_t value = 0;
  for (; p != end && is_digit(*p); ++p)
    value = value * 10 + static_cast<std::uint64_t>(*p - '0'); // of too many digits: discarded below
  const bool ends_here = p == end || (!whole && *p != '.');
  if (!ends_here || p - first > most_digits || (whole && p == first))
    return std::nullopt;
  return (negative ? std::uint64_t{0} - value : value) + (std::uint64_t{1} << 63);
}

std::optional<std::uint64_t> integer_word(const decimal& number) {
  if (number.what != decimal::kind::finite || number.magnitude > 19)
    return std::nullopt;
  if (number.digits.empty())
    return std::uint64_t{1} << 63;
  const std::size_t length = static_cast<std::size_t>(std::max<std::int64_t>(number.magnitude, 0));
  const digit_group group = group_of(number, 0, length); // at most 19 digits: below 2^64
  if (group.more || length == 0 || group.value >> 63 != 0)
    return std::nullopt;
  const std::uint64_t offset = number.negative ? std::uint64_t{0} - group.value : group.value;
  return offset + (std::uint64_t{1} << 63);
}

} // namespace sortile::files
