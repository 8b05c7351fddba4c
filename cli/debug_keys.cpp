// See debug_keys.hpp.
#include "debug_keys.hpp"

#include "files/decimal.hpp"

#include <algorithm>
#include <cstdlib>

#include <fmt/format.h>

namespace sortile::cli {

using files::field_key;
using files::field_range;
using files::is_blank;
using files::ordering;

namespace {

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

bool is_numeric(const ordering& order) {
  return order.numeric || order.general || order.human;
}

// Columns that a terminal needs: none for control characters, one for tabs, which are shown as '>'.
std::size_t columns_of(std::string_view text) {
  return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), [](char c) {
    const auto byte = static_cast<unsigned char>(c);
    return c == '\t' || (byte >= 0x20 && byte != 0x7f);
  }));
}

// How much of a text is read as a number; a unit behind it is part of it where the order knows units.
std::size_t number_length(std::string_view text, bool with_unit) {
  std::size_t at = text.starts_with('-') ? 1 : 0;
  bool any = false;
  const auto skip_digits = [&] {
    for (; at < text.size() && is_digit(text[at]); ++at)
      any = true;
  };
  skip_digits();
  if (at < text.size() && text[at] == '.') {
    ++at;
    skip_digits();
  }
  if (!any)
    return 0;
  constexpr std::string_view units = "kKMGTPEZY";
  return at + (with_unit && at < text.size() && units.find(text[at]) != std::string_view::npos ? 1 : 0);
}

std::size_t month_length(std::string_view text) {
  constexpr std::string_view months = "JANFEBMARAPRMAYJUNJULAUGSEPOCTNOVDEC";
  constexpr std::size_t letters = 3;
  std::string name(text.substr(0, letters));
  for (char& c : name)
    c = c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
  for (std::size_t at = 0; at < months.size(); at += letters)
    if (months.substr(at, letters) == name)
      return letters;
  return 0;
}

// Whether a key ends in front of its beginning.
bool ends_before(const field_range& range, std::string_view line, std::size_t begin) {
  field_range from_line_begin = range;
  from_line_begin.first_field = from_line_begin.first_char = 0;
  from_line_begin.blanks_begin = false;
  return from_line_begin.in(line).size() < begin;
}

// What of a line decides.
std::string_view deciding_part(std::string_view line, const field_key& key) {
  std::string_view text = key.range.in(line);
  const ordering& order = key.order;
  const bool whole_from_begin = key.range.first_field == 0 && key.range.first_char == 0;
  if (!(order.blanks_begin && whole_from_begin) && !order.month && !is_numeric(order))
    return text;
  const auto begin = static_cast<std::size_t>(text.data() - line.data());
  if (text.empty() && ends_before(key.range, line, begin)) // GNU sort skips the blanks behind such a beginning
    return {std::find_if_not(text.data(), line.data() + line.size(), is_blank), 0};
  while (!text.empty() && is_blank(text.front()))
    text.remove_prefix(1);
  if (order.month)
    return text.substr(0, month_length(text));
  if (order.general) {
    const std::string copy(text); // ends in a NUL, as strtold() needs it
    char* end = nullptr;
    std::strtold(copy.c_str(), &end);
    return text.substr(0, static_cast<std::size_t>(end - copy.c_str()));
  }
  return is_numeric(order) ? text.substr(0, number_length(text, order.human)) : text;
}

void append_underline(std::string_view line, std::string_view part, std::string& to) {
  const auto before = static_cast<std::size_t>(part.data() - line.data());
  to.append(columns_of(line.substr(0, before)), ' ');
  const std::size_t width = columns_of(part);
  if (width == 0)
    to += "^ no match for key\n";
  else
    to.append(width, '_').append(1, '\n');
}

// Flags of the options that no key has taken.
class unused_flags {
 public:
  explicit unused_flags(const ordering& global) : left_(counting(global)) {}

  void take(const ordering& by) {
    for (const auto& [letter, flag] : flags)
      if (counting(by).*flag)
        left_.*flag = false;
  }
  bool any_but_reverse() const {
    ordering without = left_;
    without.reverse = false;
    return without != ordering{};
  }
  bool reverse() const { return left_.reverse; }
  std::string letters(bool with_reverse) const {
    std::string text = left_.blanks_begin || left_.blanks_end ? "b" : "";
    for (const auto& [letter, flag] : flags)
      if (left_.*flag && letter != 'b' && (letter != 'r' || with_reverse))
        text += letter;
    return text;
  }

 private:
  // Beside -d, -i has no meaning.
  static ordering counting(ordering order) {
    order.printing = order.printing && !order.dictionary;
    return order;
  }

  struct named_flag {
    char letter;
    bool ordering::*flag;
  };
  static constexpr named_flag flags[] = {
      {'b', &ordering::blanks_begin}, {'b', &ordering::blanks_end}, {'d', &ordering::dictionary},
      {'f', &ordering::fold},         {'g', &ordering::general},    {'h', &ordering::human},
      {'i', &ordering::printing},     {'M', &ordering::month},      {'n', &ordering::numeric},
      {'R', &ordering::random},       {'r', &ordering::reverse},    {'V', &ordering::version}};
  ordering left_;
};

void warn_of_key(const field_key& key, std::size_t number, const debug_keys& of, std::vector<std::string>& to) {
  const field_range& range = key.range;
  const ordering& order = key.order;
  const bool from_line_begin = range.first_field == 0 && range.first_char == 0;
  const bool no_width = !from_line_begin && range.last_field < range.first_field;
  if (no_width)
    to.push_back(fmt::format("key {} has zero width and will be ignored", number));
  const bool skips_anyway = is_numeric(order) || order.month;
  const bool by_offset = range.last_field == 0 && range.last_char != 0;
  const bool blanks_count =
      (!order.blanks_begin && (!skips_anyway || range.first_char != 0)) || (!order.blanks_end && range.last_char != 0);
  if (!no_width && !of.global_only && !of.separator && !by_offset && blanks_count)
    to.push_back(fmt::format("leading blanks are significant in key {}; consider also specifying 'b'", number));
}

bool spans_fields(const field_key& key) {
  return key.range.last_field == field_range::end_of_record || key.range.last_field > key.range.first_field;
}

void warn_of_numbers(const debug_keys& of, std::vector<std::string>& to) {
  bool numeric = false;
  bool spans = false;
  bool general_spans = false;
  for (const field_key& key : of.keys) {
    const bool is_span = is_numeric(key.order) && !of.global_only && spans_fields(key);
    numeric |= is_numeric(key.order);
    spans |= is_span;
    general_spans |= is_span && key.order.general;
  }
  if (spans && of.separator == '.') {
    to.emplace_back("field separator '.' is treated as a decimal point in numbers");
    return;
  }
  if (spans && of.separator == '-')
    to.emplace_back("field separator '-' is treated as a minus sign in numbers");
  else if (general_spans && of.separator == '+')
    to.emplace_back("field separator '+' is treated as a plus sign in numbers");
  if (numeric)
    to.push_back(
        fmt::format("{}numbers use '.' as a decimal point in this locale", of.separator == '.' ? "" : "note "));
}

} // namespace

void append_debugged(std::string_view line, const debug_keys& of, std::string& to) {
  for (const char c : line)
    to += c == '\t' ? '>' : c;
  to += '\n';
  for (const field_key& key : of.keys)
    append_underline(line, deciding_part(line, key), to);
  if (of.keys.empty() || of.last_resort)
    append_underline(line, line, to);
}

std::vector<std::string> debug_warnings(const debug_keys& of) {
  std::vector<std::string> warnings{of.locale.empty()
                                        ? "text ordering performed using simple byte comparison"
                                        : fmt::format("text ordering performed using '{}' sorting rules", of.locale)};
  unused_flags unused(of.global);
  for (std::size_t i = 0; i < of.keys.size(); ++i) {
    const field_key& key = of.keys[i];
    warn_of_key(key, i + 1, of, warnings);
    if (is_numeric(key.order) && !of.global_only && spans_fields(key))
      warnings.push_back(fmt::format("key {} is numeric and spans multiple fields", i + 1));
    unused.take(key.order);
  }
  warn_of_numbers(of, warnings);
  if (of.keys.empty())
    return warnings;
  const bool reverse_is_lost = unused.reverse() && !of.last_resort;
  if (unused.any_but_reverse() || reverse_is_lost) {
    const std::string letters = unused.letters(reverse_is_lost);
    warnings.push_back(fmt::format("option{} '-{}' {} ignored", letters.size() == 1 ? "" : "s", letters,
                                   letters.size() == 1 ? "is" : "are"));
  }
  if (unused.reverse() && of.last_resort)
    warnings.emplace_back("option '-r' only applies to last-resort comparison");
  return warnings;
}

} // namespace sortile::cli
