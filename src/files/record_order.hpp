// The order of text records: the parts of the key, each located in the record and read as text or as a number.
#pragma once

#include "files/binary_keys.hpp"
#include "files/collation.hpp"
#include "files/column_keys.hpp"
#include "files/csv.hpp"
#include "files/field_keys.hpp"
#include "files/key_forms.hpp"
#include "files/key_word.hpp"

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace sortile::files {

/// One part of a key.
struct key_part {
  enum class place : std::uint8_t { record, fields, cell, range };
  enum class form : std::uint8_t {
    text,           ///< by bytes
    folded,         ///< by bytes, lower case counting as upper case
    leading_number, ///< as sort -n
    number,         ///< the whole text is a number or empty
    filtered,       ///< by those bytes that count
    general_number, ///< as sort -g
    human_number,   ///< as sort -h
    month,          ///< as sort -M
    version,        ///< as sort -V
    random,         ///< as sort -R
    semantic,       ///< semantic versions
    natural,        ///< runs of digits by their value, all else by bytes
    instant,        ///< a date or time
    presence,       ///< texts of blanks alone first, all others alike: numbers and times that are none
    any_bytes,      ///< texts without a byte first, all others alike
    bytes,          ///< by bytes, of texts of one length
    code_points,    ///< characters of four bytes each
    value,          ///< a number in binary form
    collated,       ///< by those bytes that count, in the order of a locale
  };

  place where = place::record;
  form as = form::text;
  bool reverse = false;
  field_range range{};                       ///< place::fields
  std::size_t column = 0;                    ///< place::cell
  csv_dialect dialect{};                     ///< place::cell
  text_filter filter{};                      ///< of filtered texts, versions, random orders and human numbers
  random_seed seed{};                        ///< form::random
  binary_range binary{};                     ///< place::range
  std::shared_ptr<const collation> locale{}; ///< form::collated

  /// Whether a word far behind costs as much as the first; else what lies before it is read again for each word.
  bool has_cheap_words() const {
    return where == place::range || (where == place::record && (as == form::text || as == form::folded));
  }
};

/// All parts; records equal in the first are ordered by the second, and so on; those equal in all keep their order.
using record_order = std::vector<key_part>;

/// The form that a key of --by says; text where it says none.
key_part::form form_named(column_key::form as);

/// The text of a part within a record; `scratch` holds it where it had to be rebuilt.
std::string_view locate(const key_part& part, std::string_view record, std::string& scratch);

/// Word `depth` of a part of a record.
key_word word_of(const key_part& part, std::string_view record, std::size_t depth, std::string& scratch);

/// Words of many records at once: words[i] = word `depth` of the record numbered ids[i] (where ids is null: begin + i).
void words_of(const key_part& part, const record_table& records, const std::uint32_t* ids, std::size_t begin,
              std::size_t n, std::size_t depth, std::uint64_t* words);

/// Like words_of() at depth 0, for numbers that all are integers of at most 64 bits: the words are then whole keys.
/// \return false (words unspecified) where one of them is not
bool integer_words_of(const key_part& part, const record_table& records, std::size_t begin, std::size_t n,
                      std::uint64_t* words);

/// Checks one row of a table for an order: as many cells as `columns`, and numbers where the order reads numbers.
/// \throws invalid_argument
void validate_row(std::string_view row, std::size_t columns, const csv_dialect& dialect, const record_order& order);

/// Compares records, in time linear in their lengths, from word `depth` of part `part` on: negative, 0, positive.
int compare(const record_order& order, std::string_view a, std::string_view b, std::size_t part = 0,
            std::size_t depth = 0);

/// Appends the whole key of a record: bytes that compare as the records do in all parts of the order, and of which none
/// are the beginning of another key. Linear in the record's length for texts and numbers.
void append_normalized(const record_order& order, std::string_view record, std::string& key);

/// Bytes that the texts of a part have in common, at least; for parts by bytes.
std::size_t common_prefix(const key_part& part, std::string_view a, std::string_view b, std::size_t from);

} // namespace sortile::files
