// See field_keys.hpp. The meaning is that of POSIX sort and of GNU's where POSIX leaves it open, bytes counted as
// characters (C locale).
#include "files/field_keys.hpp"

#include "files/decimal.hpp"
#include "files/failure.hpp"
#include "files/refused_by_sort.hpp"

#include <algorithm>
#include <bit>
#include <charconv>
#include <cstdint>
#include <cstring>

namespace sortile::files {

namespace {

// The bytes of a word that are blank: their highest bits, the lowest of which is exact.
std::uint64_t blank_bytes(std::uint64_t word) {
  constexpr std::uint64_t ones = 0x0101010101010101;
  const auto equal_to = [word](char c) {
    const std::uint64_t apart = word ^ (ones * static_cast<unsigned char>(c));
    return (apart - ones) & ~apart;
  };
  return (equal_to(' ') | equal_to('\t') | equal_to('\n')) & (ones << 7);
}

// A walk over the fields of a record.
struct cursor {
  const char* at;
  const char* end;

  void skip_blanks() {
    while (at != end && is_blank(*at))
      ++at;
  }
  void skip_other() {
    if constexpr (std::endian::native == std::endian::little)
      for (; end - at >= 8; at += 8) {
        std::uint64_t word;
        std::memcpy(&word, at, sizeof word);
        if (const std::uint64_t blanks = blank_bytes(word); blanks != 0) {
          at += std::countr_zero(blanks) / 8;
          return;
        }
      }
    while (at != end && !is_blank(*at))
      ++at;
  }
  void to_separator(char separator) {
    const void* found = at == end ? nullptr : std::memchr(at, separator, static_cast<std::size_t>(end - at));
    at = found != nullptr ? static_cast<const char*>(found) : end;
  }
  // Past fields, each with the separator behind it; without one, blanks lie in front of a field.
  void skip_fields(std::size_t n, std::optional<char> separator) {
    for (; n > 0 && at != end; --n) {
      if (separator) {
        to_separator(*separator);
        advance(1);
      } else {
        skip_blanks();
        skip_other();
      }
    }
  }
  void advance(std::size_t n) { at += std::min(n, static_cast<std::size_t>(end - at)); }
};

// The end of a key that does not go on to the end of the record. \param c  behind `skipped` fields
const char* end_of(const field_range& range, cursor c, std::size_t skipped) {
  c.skip_fields(range.last_field - skipped, range.separator);
  if (range.last_char != 0) {
    if (range.blanks_end)
      c.skip_blanks();
    c.advance(range.last_char);
  } else if (range.separator) {
    c.to_separator(*range.separator);
  } else {
    c.skip_fields(1, std::nullopt);
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

std::string allowed_for(std::string_view key) {
  return fmt::format("-k {}; allowed: F[.C][OPTS][,F[.C][OPTS]], numbers from 1 on, OPTS of bdfghiMnRrV", key);
}

[[noreturn]] void refuse_key(std::string_view key, std::string_view why) {
  throw refused_by_sort(fmt::format("{}: invalid field specification {}", why, quoted_by_sort(key)), allowed_for(key));
}

// As strtoumax() reads one: blanks may stand in front, and a '+'. \param where  in the words of GNU sort
std::size_t parse_count(std::string_view& rest, std::string_view key, std::string_view where) {
  const std::size_t sign = std::min(rest.find_first_not_of(" \t\n\v\f\r"), rest.size());
  const std::string_view digits = rest.substr(rest.substr(sign).starts_with('+') ? sign + 1 : sign);
  std::size_t value = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  if (error == std::errc::result_out_of_range)
    value = field_range::end_of_record - 1;
  else if (error != std::errc{})
    throw refused_by_sort(fmt::format("invalid number {}: invalid count at start of {}", where, quoted_by_sort(rest)),
                          allowed_for(key));
  rest.remove_prefix(static_cast<std::size_t>(end - rest.data()));
  return value;
}

position parse_position(std::string_view& rest, std::string_view key, std::string_view where) {
  position p;
  p.field = parse_count(rest, key, where);
  if (p.field == 0)
    refuse_key(key, "field number is zero");
  if (rest.starts_with('.')) {
    rest.remove_prefix(1);
    p.character = parse_count(rest, key, "after '.'");
  }
  p.letters = rest.substr(0, rest.find(','));
  rest.remove_prefix(p.letters.size());
  return p;
}

void apply_letters(std::string_view letters, std::string_view key, bool ordering::*blanks, ordering& order) {
  for (const char letter : letters) {
    bool ordering::*const meant = letter == 'b' ? blanks : flag_of(letter);
    if (meant == nullptr)
      refuse_key(key, "stray character in field spec");
    order.*meant = true;
  }
}

} // namespace

char parse_separator(std::string_view text) {
  if (text == "\\0")
    return '\0';
  if (text == "\\t")
    return '\t';
  if (text.size() != 1)
    throw refused_by_sort(text.empty() ? "empty tab" : fmt::format("multi-character tab {}", quoted_by_sort(text)),
                          "a single byte is needed; \\t and \\0 stand for tab and NUL");
  return text.front();
}

std::string_view field_range::in(std::string_view record) const {
  const cursor whole{record.data(), record.data() + record.size()};
  cursor fields = whole;
  fields.skip_fields(first_field, separator);
  cursor begin = fields;
  if (blanks_begin)
    begin.skip_blanks();
  begin.advance(first_char);
  const char* end = whole.end;
  if (last_field != end_of_record)
    end = last_field >= first_field ? end_of(*this, fields, first_field) : end_of(*this, whole, 0);
  return {begin.at, static_cast<std::size_t>(std::max(begin.at, end) - begin.at)};
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

namespace {

// Whether its orders go together is not looked at.
field_key read_field_key(std::string_view text, std::optional<char> separator, const ordering& global) {
  std::string_view rest = text;
  field_key key;
  key.range.separator = separator;
  const position first = parse_position(rest, text, "at field start");
  if (first.character == 0u)
    refuse_key(text, "character offset is zero");
  key.range.first_field = first.field - 1;
  key.range.first_char = first.character.value_or(1) - 1;
  apply_letters(first.letters, text, &ordering::blanks_begin, key.order);
  if (rest.starts_with(',')) {
    rest.remove_prefix(1);
    const position last = parse_position(rest, text, "after ','");
    key.range.last_field = last.field - 1;
    key.range.last_char = last.character.value_or(0);
    apply_letters(last.letters, text, &ordering::blanks_end, key.order);
  }
  if (!rest.empty())
    refuse_key(text, "stray character in field spec");
  if (key.order == ordering{})
    key.order = global;
  key.range.blanks_begin = key.order.blanks_begin;
  key.range.blanks_end = key.order.blanks_end;
  return key;
}

} // namespace

field_key parse_field_key(std::string_view text, std::optional<char> separator, const ordering& global) {
  field_key key = read_field_key(text, separator, global);
  need_one_order(key.order);
  return key;
}

void need_field_key(std::string_view text) {
  read_field_key(text, std::nullopt, {});
}

} // namespace sortile::files
