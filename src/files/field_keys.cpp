// See field_keys.hpp. The meaning is that of POSIX sort and of GNU's where POSIX leaves it open, bytes counted as
// characters (C locale).
#include "files/field_keys.hpp"

#include "files/decimal.hpp"
#include "files/failure.hpp"

#include <algorithm>
#include <charconv>
#include <cstring>

namespace sortile::files {

namespace {

// A walk over the fields of a record.
struct cursor {
  const char* at;
  const char* end;

  void skip_blanks() {
    while (at != end && is_blank(*at))
      ++at;
  }
  void skip_other() {
    while (at != end && !is_blank(*at))
      ++at;
  }
  void to_separator(char separator) {
    const void* found = at == end ? nullptr : std::memchr(at, separator, static_cast<std::size_t>(end - at));
    at = found != nullptr ? static_cast<const char*>(found) : end;
  }
  void advance(std::size_t n) { at += std::min(n, static_cast<std::size_t>(end - at)); }
};

const char* begin_of(const field_range& range, std::string_view record) {
  cursor c{record.data(), record.data() + record.size()};
  for (std::size_t skip = range.first_field; skip > 0 && c.at != c.end; --skip) {
    if (range.separator) {
      c.to_separator(*range.separator);
      c.advance(1);
    } else {
      c.skip_blanks();
      c.skip_other();
    }
  }
  if (range.blanks_begin)
    c.skip_blanks();
  c.advance(range.first_char);
  return c.at;
}

const char* end_of(const field_range& range, std::string_view record) {
  cursor c{record.data(), record.data() + record.size()};
  if (range.last_field == field_range::end_of_record)
    return c.end;
  const bool whole_field = range.last_char == 0;
  for (std::size_t left = range.last_field + (whole_field ? 1 : 0); left > 0 && c.at != c.end; --left) {
    if (range.separator) {
      c.to_separator(*range.separator);
      if (left > 1 || !whole_field)
        c.advance(1);
    } else {
      c.skip_blanks();
      c.skip_other();
    }
  }
  if (!whole_field) {
    if (range.blanks_end)
      c.skip_blanks();
    c.advance(range.last_char);
  }
  return c.at;
}

// The flag of a letter; null where it is none. (b is one of two, by where it stands.)
bool ordering::*flag_of(char letter) {
  switch (letter) {
  case 'd':
    return &ordering::dictionary;
  case 'f':
    return &ordering::fold;
  case 'g':
    return &ordering::general;
  case 'h':
    return &ordering::human;
  case 'i':
    return &ordering::printing;
  case 'M':
    return &ordering::month;
  case 'n':
    return &ordering::numeric;
  case 'R':
    return &ordering::random;
  case 'r':
    return &ordering::reverse;
  case 'V':
    return &ordering::version;
  default:
    return nullptr;
  }
}

// One F[.C][OPTS].
struct position {
  std::size_t field = 0;
  std::optional<std::size_t> character;
  std::string_view letters;
};

std::size_t parse_count(std::string_view& rest, std::string_view key, std::string_view what) {
  std::size_t value = 0;
  const auto [end, error] = std::from_chars(rest.data(), rest.data() + rest.size(), value);
  if (error == std::errc::result_out_of_range)
    value = field_range::end_of_record - 1;
  else if (error != std::errc{})
    refuse("-k {}: a {} is expected at '{}' (allowed: F[.C][OPTS][,F[.C][OPTS]])", key, what, rest);
  rest.remove_prefix(static_cast<std::size_t>(end - rest.data()));
  return value;
}

position parse_position(std::string_view& rest, std::string_view key) {
  position p;
  p.field = parse_count(rest, key, "field number");
  if (p.field == 0)
    refuse("-k {}: field numbers begin at 1", key);
  if (rest.starts_with('.')) {
    rest.remove_prefix(1);
    p.character = parse_count(rest, key, "character number");
  }
  p.letters = rest.substr(0, rest.find(','));
  rest.remove_prefix(p.letters.size());
  return p;
}

void apply_letters(std::string_view letters, std::string_view key, bool ordering::*blanks, ordering& order) {
  for (const char letter : letters) {
    bool ordering::*const meant = letter == 'b' ? blanks : flag_of(letter);
    if (meant == nullptr)
      refuse("-k {}: '{}' is no ordering (allowed: b, d, f, g, h, i, M, n, R, r, V)", key, letter);
    order.*meant = true;
  }
}

} // namespace

std::string_view field_range::in(std::string_view record) const {
  const char* begin = begin_of(*this, record);
  const char* end = std::max(begin, end_of(*this, record));
  return {begin, static_cast<std::size_t>(end - begin)};
}

void need_one_order(const ordering& order) {
  const bool filtered = order.version || order.random || order.dictionary || order.printing;
  if (order.numeric + order.general + order.human + order.month + filtered <= 1)
    return;
  std::string letters; // as GNU sort lists them
  for (const char letter : std::string_view("dfghiMnRV"))
    if (order.*flag_of(letter) && !(letter == 'i' && order.dictionary))
      letters += letter;
  refuse("options '-{}' are incompatible", letters);
}

field_key parse_field_key(std::string_view text, std::optional<char> separator, const ordering& global) {
  std::string_view rest = text;
  field_key key;
  key.range.separator = separator;
  const position first = parse_position(rest, text);
  if (first.character == 0u)
    refuse("-k {}: the character at which a key starts is counted from 1", text);
  key.range.first_field = first.field - 1;
  key.range.first_char = first.character.value_or(1) - 1;
  apply_letters(first.letters, text, &ordering::blanks_begin, key.order);
  if (rest.starts_with(',')) {
    rest.remove_prefix(1);
    const position last = parse_position(rest, text);
    key.range.last_field = last.field - 1;
    key.range.last_char = last.character.value_or(0);
    apply_letters(last.letters, text, &ordering::blanks_end, key.order);
  }
  if (!rest.empty())
    refuse("-k {}: '{}' is too much (allowed: F[.C][OPTS][,F[.C][OPTS]])", text, rest);
  if (key.order == ordering{})
    key.order = global;
  need_one_order(key.order);
  key.range.blanks_begin = key.order.blanks_begin;
  key.range.blanks_end = key.order.blanks_end;
  return key;
}

} // namespace sortile::files
