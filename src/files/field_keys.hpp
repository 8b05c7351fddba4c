// Keys in the words of sort(1): -k F[.C][OPTS][,F[.C][OPTS]], with -t for the separator.
#pragma once

#include <cstddef>
#include <limits>
#include <optional>
#include <string>
#include <string_view>

namespace sortile::files {

/// What a key's letters (or the global options) say.
struct ordering {
  bool numeric = false;      ///< n
  bool general = false;      ///< g: any number that strtold() reads
  bool human = false;        ///< h: numbers with units
  bool month = false;        ///< M
  bool version = false;      ///< V
  bool random = false;       ///< R
  bool dictionary = false;   ///< d: blanks, letters and digits alone count
  bool printing = false;     ///< i: printing characters alone count; d goes before it
  bool fold = false;         ///< f: lower case counts as upper case
  bool reverse = false;      ///< r
  bool blanks_begin = false; ///< b at the key's begin
  bool blanks_end = false;   ///< b at its end

  bool operator==(const ordering&) const = default;
};

/// From a character of a field to a character of another, in one record.
struct field_range {
  static constexpr std::size_t end_of_record = std::numeric_limits<std::size_t>::max();

  std::size_t first_field = 0;            ///< fields before the key's begin
  std::size_t first_char = 0;             ///< characters to skip there
  std::size_t last_field = end_of_record; ///< fields before the field in which the key ends
  std::size_t last_char = 0;              ///< characters of that field that belong to the key; 0: all of it
  bool blanks_begin = false;
  bool blanks_end = false;
  std::optional<char> separator; ///< none: a field is blanks and what follows them up to the next blank

  bool is_whole_record() const {
    return first_field == 0 && first_char == 0 && last_field == end_of_record && !blanks_begin;
  }
  std::string_view in(std::string_view record) const;
};

struct field_key {
  field_range range;
  ordering order;
};

/// Refuses orders that contradict each other. \throws invalid_argument in the words of GNU sort
void need_one_order(const ordering& order);

/// Reads a -k argument. A key without letters of its own takes those of `global`.
/// \throws invalid_argument naming what is wrong
field_key parse_field_key(std::string_view text, std::optional<char> separator, const ordering& global);
/// \throws refused_by_sort where the argument is malformed; its orders may contradict each other
void need_field_key(std::string_view text);

/// Reads a -t argument. \throws refused_by_sort
char parse_separator(std::string_view text);

} // namespace sortile::files
