// See message_text.hpp.
#include "files/message_text.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace sortile::files {

namespace {

bool is_control(char c) {
  return static_cast<unsigned char>(c) < 0x20 || c == 0x7f;
}

bool is_printable_ascii(char c) {
  return !is_control(c) && static_cast<unsigned char>(c) < 0x80;
}

// The second byte of U+0080 to U+009F, of which the first is C2.
bool ends_a_control(char c) {
  return (static_cast<unsigned char>(c) & 0xe0) == 0x80;
}

void append_escaped(char c, std::string& to) {
  constexpr std::string_view characters = "\a\b\t\n\v\f\r";
  constexpr std::string_view letters = "abtnvfr";
  const std::size_t at = characters.find(c);
  if (at != std::string_view::npos)
    to += {'\\', letters[at]};
  else
    to += fmt::format("\\{:03o}", static_cast<unsigned char>(c));
}

} // namespace

std::string escaped(std::string_view text) {
  std::string result;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\xc2' && i + 1 < text.size() && ends_a_control(text[i + 1])) {
      append_escaped(text[i], result);
      append_escaped(text[++i], result);
    } else if (is_control(text[i])) {
      append_escaped(text[i], result);
    } else {
      result += text[i];
    }
  }
  return result;
}

std::string shell_quoted(std::string_view name, quoted_names which) {
  constexpr std::string_view always_plain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789%+,-./@]_";
  const auto is_made_of = [&](std::string_view further) {
    const auto is_plain = [&](char c) {
      return always_plain.find(c) != std::string_view::npos || further.find(c) != std::string_view::npos;
    };
    return std::all_of(name.begin(), name.end(), is_plain);
  };
  const bool is_plain_name =
      !name.empty() && name[0] != '#' && name[0] != '~' && name != "{" && name != "}" && is_made_of("#{}~");
  if (which == quoted_names::as_needed && is_plain_name)
    return std::string(name);
  if (name.find('\'') != std::string_view::npos && is_made_of(" ':"))
    return fmt::format("\"{}\"", name);
  std::string result = "'";
  // GNU sort 9.1 reads a name with an apostrophe twice, and begins the second time in the state in which it ended.
  bool within_escapes = name.find('\'') != std::string_view::npos && !is_printable_ascii(name.back());
  for (const char c : name) {
    if (is_printable_ascii(c) == within_escapes) {
      result += within_escapes ? "''" : "'$'";
      within_escapes = !within_escapes;
    }
    if (within_escapes)
      append_escaped(c, result);
    else
      result += c == '\'' ? std::string("'\\''") : std::string(1, c);
  }
  return result + '\'';
}

std::string quoted_by_sort(std::string_view argument) {
  std::string result = "'";
  for (const char c : argument) {
    if (!is_printable_ascii(c))
      append_escaped(c, result);
    else if (c == '\\' || c == '\'')
      result += {'\\', c};
    else
      result += c;
  }
  return result + '\'';
}

} // namespace sortile::files
