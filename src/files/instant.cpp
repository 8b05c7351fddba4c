// See instant.hpp.
#include "files/instant.hpp"

#include "files/decimal.hpp"

#include <chrono>

namespace sortile::files {

namespace {

constexpr std::size_t fraction_digits = 18;
constexpr std::int64_t minute = 60;
constexpr std::int64_t hour = 3600;
constexpr std::int64_t day = 86400;

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && is_blank(text.front()))
    text.remove_prefix(1);
  while (!text.empty() && is_blank(text.back()))
    text.remove_suffix(1);
  return text;
}

// Reads a text from the left; the first thing that is not as expected makes it fail for good.
class scanner {
 public:
  explicit scanner(std::string_view text) : rest_(text) {}

  bool at_end() const { return rest_.empty(); }
  bool good() const { return good_; }
  bool accept(char c) {
    if (rest_.empty() || rest_.front() != c)
      return false;
    rest_.remove_prefix(1);
    return true;
  }
  void expect(char c) { good_ = accept(c) && good_; }

  /// `count` digits whose number is not above `most`.
  int digits(std::size_t count, int most) {
    int value = 0;
    for (std::size_t i = 0; i < count; ++i) {
      if (rest_.empty() || !is_digit(rest_.front())) {
        good_ = false;
        return 0;
      }
      value = value * 10 + (rest_.front() - '0');
      rest_.remove_prefix(1);
    }
    good_ = good_ && value <= most;
    return value;
  }

  std::uint64_t fraction() {
    std::uint64_t value = 0;
    std::size_t count = 0;
    for (; !rest_.empty() && is_digit(rest_.front()) && count < fraction_digits; ++count, rest_.remove_prefix(1))
      value = value * 10 + static_cast<std::uint64_t>(rest_.front() - '0');
    good_ = good_ && count > 0;
    for (; count < fraction_digits; ++count)
      value *= 10;
    return value;
  }

 private:
  static bool is_digit(char c) { return c >= '0' && c <= '9'; }

  std::string_view rest_;
  bool good_ = true;
};

std::int64_t scan_day(scanner& in) {
  const int year = in.digits(4, 9999);
  in.expect('-');
  const int month = in.digits(2, 12);
  in.expect('-');
  const int of_month = in.digits(2, 31);
  const std::chrono::year_month_day date{std::chrono::year(year), std::chrono::month(static_cast<unsigned>(month)),
                                         std::chrono::day(static_cast<unsigned>(of_month))};
  if (!in.good() || !date.ok()) {
    in.digits(1, -1); // fails
    return 0;
  }
  return std::chrono::sys_days(date).time_since_epoch().count() * day;
}

std::int64_t scan_zone(scanner& in) {
  if (in.accept('Z') || in.accept('z'))
    return 0;
  const bool behind = in.accept('-');
  if (!behind && !in.accept('+'))
    return 0;
  std::int64_t offset = in.digits(2, 23) * hour;
  if (!in.at_end()) {
    in.accept(':');
    offset += in.digits(2, 59) * minute;
  }
  return behind ? -offset : offset;
}

} // namespace

std::optional<instant> parse_instant(std::string_view text) {
  scanner in(trimmed(text));
  instant result{.seconds = scan_day(in)};
  if (in.good() && !in.at_end()) {
    if (!in.accept('T') && !in.accept('t'))
      in.expect(' ');
    result.seconds += in.digits(2, 23) * hour;
    in.expect(':');
    result.seconds += in.digits(2, 59) * minute;
    if (in.accept(':')) {
      result.seconds += in.digits(2, 60); // 60: a leap second
      if (in.accept('.') || in.accept(','))
        result.fraction = in.fraction();
    }
    result.seconds -= scan_zone(in);
  }
  return in.good() && in.at_end() ? std::optional(result) : std::nullopt;
}

key_word instant_word(std::string_view text, std::size_t depth) {
  constexpr std::int64_t earliest = std::int64_t{1} << 40; // seconds before 1970 that no date of four digits reaches
  if (trimmed(text).empty())
    return {0, true};
  const std::optional<instant> at = parse_instant(text);
  if (!at)
    return {~std::uint64_t{0}, true};
  if (depth > 0)
    return {at->fraction, true};
  const bool more = at->fraction != 0;
  return {std::uint64_t{1} << 62 | static_cast<std::uint64_t>(at->seconds + earliest) << 1 | (more ? 1u : 0u), !more};
}

} // namespace sortile::files
