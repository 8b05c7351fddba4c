// See semantic_version.hpp.
#include "files/semantic_version.hpp"

#include "files/key_forms.hpp"

#include <algorithm>
#include <optional>

namespace sortile::files {
namespace {

// Bytes of a key. A number begins with its length, which is above `list_end` and at most 0xf0.
enum key_byte : unsigned char {
  list_end,     // no further identifier
  numeric,      // in front of an identifier of digits alone
  alphanumeric, // in front of any other; behind it list_end, which is below its letters
  release,      // no pre-release
  no_version = 0xff,
};

// What stands before the first of these characters; `rest` is what follows it, or nothing where there is none.
std::string_view take_to(std::string_view& text, char separator, bool& found) {
  const std::size_t at = text.find(separator);
  const std::string_view piece = text.substr(0, at);
  found = at != std::string_view::npos;
  text.remove_prefix(found ? at + 1 : text.size());
  return piece;
}

bool is_digits(std::string_view text) {
  return !text.empty() && text.find_first_not_of("0123456789") == std::string_view::npos;
}

bool is_number(std::string_view text) {
  return is_digits(text) && (text.size() == 1 || text.front() != '0');
}

bool is_identifier(std::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), [](char c) {
    return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || c == '-';
  });
}

// Calls f with each piece of a list until it says no; false then.
template <class F>
bool all_pieces(std::string_view list, F&& f) {
  for (bool more = true; more;)
    if (!f(take_to(list, '.', more)))
      return false;
  return true;
}

struct semantic_version {
  std::string_view numbers;                      // three, with points between them
  std::optional<std::string_view> pre_release{}; // identifiers, with points between them
};

std::optional<semantic_version> parse(std::string_view text) {
  if (text.starts_with('v'))
    text.remove_prefix(1);
  bool has_build = false;
  bool has_pre_release = false;
  std::string_view build = text;
  std::string_view before = take_to(build, '+', has_build);
  const std::string_view numbers = take_to(before, '-', has_pre_release);
  int count = 0;
  if (!all_pieces(numbers, [&](std::string_view piece) { return ++count <= 3 && is_number(piece); }) || count != 3)
    return std::nullopt;
  if (has_pre_release && !all_pieces(before, [](std::string_view piece) {
        return is_identifier(piece) && (!is_digits(piece) || is_number(piece));
      }))
    return std::nullopt;
  if (has_build && !all_pieces(build, is_identifier))
    return std::nullopt;
  return semantic_version{numbers, has_pre_release ? std::optional(before) : std::nullopt};
}

void append_value(std::string_view digits, std::string& key) {
  append_number(digits == "0" ? std::string_view() : digits, key);
}

} // namespace

bool is_semantic_version(std::string_view text) {
  return parse(text).has_value();
}

void make_semantic_version_key(std::string_view text, std::string& key) {
  key.clear();
  const std::optional<semantic_version> version = parse(text);
  if (!version) {
    if (text.find_first_not_of(" \t") == std::string_view::npos)
      return;
    key += static_cast<char>(no_version);
    key += text;
    return;
  }
  all_pieces(version->numbers, [&](std::string_view piece) {
    append_value(piece, key);
    return true;
  });
  if (!version->pre_release) {
    key += static_cast<char>(release);
    return;
  }
  all_pieces(*version->pre_release, [&](std::string_view piece) {
    const bool number = is_digits(piece);
    key += static_cast<char>(number ? numeric : alphanumeric);
    if (number)
      append_value(piece, key);
    else
      (key += piece) += static_cast<char>(list_end);
    return true;
  });
  key += static_cast<char>(list_end);
}

} // namespace sortile::files
