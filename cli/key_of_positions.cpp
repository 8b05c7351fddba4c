// See key_of_positions.hpp.
#include "key_of_positions.hpp"

#include "files/failure.hpp"
#include "files/message_text.hpp"

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

namespace sortile::cli {

using files::refuse;

namespace {

// F[.C] of a position, counted from 0; nothing where it is none. Numbers too large for 64 bits stand for the largest.
std::optional<std::string> take_count(std::string_view& rest, std::uint64_t add) {
  std::uint64_t value = 0;
  std::size_t digits = 0;
  for (; digits < rest.size() && rest[digits] >= '0' && rest[digits] <= '9'; ++digits) {
    const auto digit = static_cast<std::uint64_t>(rest[digits] - '0');
    value = value > (UINT64_MAX - 9) / 10 ? UINT64_MAX : value == UINT64_MAX ? value : value * 10 + digit;
  }
  if (digits == 0)
    return std::nullopt;
  rest.remove_prefix(digits);
  return std::to_string(value == UINT64_MAX ? value : value + add);
}

bool are_letters(std::string_view text) {
  return text.find_first_not_of("bdfghiMnRrV") == std::string_view::npos;
}

} // namespace

bool has_keys_of_positions(const char* edition) {
  constexpr long of_2001 = 200112;
  constexpr long of_2008 = 200809;
  if (edition == nullptr || *edition == '\0')
    return true;
  char* end = nullptr;
  const long number = std::strtol(edition, &end, 10);
  return *end != '\0' || number < of_2001 || number >= of_2008;
}

std::optional<std::string> key_of_positions(const std::string& first, const std::string& last) {
  std::string_view rest = std::string_view(first).substr(1);
  std::optional<std::string> count = take_count(rest, 1);
  if (!count)
    return std::nullopt;
  std::string key = *count;
  if (rest.starts_with('.')) {
    rest.remove_prefix(1);
    if (!(count = take_count(rest, 1)))
      return std::nullopt;
    key += "." + *count;
  }
  if (!are_letters(rest))
    return std::nullopt;
  key += rest;
  if (last.empty())
    return key;

  rest = std::string_view(last).substr(1);
  const std::string_view whole = rest;
  const std::string field = *take_count(rest, 0);
  std::string character = "0";
  if (rest.starts_with('.')) {
    rest.remove_prefix(1);
    if (!(count = take_count(rest, 0)))
      refuse("invalid number after '.': invalid count at start of {}", files::quoted_by_sort(rest));
    character = *count;
  }
  if (!are_letters(rest))
    refuse("stray character in field spec: invalid field specification {}", files::quoted_by_sort(last));
  // Up to character C of the field behind the first F; without one, to the end of field F.
  if (character == "0") {
    key += "," + (field == "0" ? "1" : field);
  } else {
    std::string_view again = whole;
    key += "," + *take_count(again, 1) + "." + character;
  }
  return key.append(rest);
}

} // namespace sortile::cli
