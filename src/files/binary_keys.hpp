// Keys of records of one size: ranges of their bytes, as bytes or as numbers in binary form.
#pragma once

#include "files/key_word.hpp"

#include <sortile/options.hpp>
#include <sortile/types.hpp>

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace sortile::files {

/// Where a key lies in a record, and what its bytes mean where they are no plain text.
struct binary_range {
  std::size_t offset = 0;
  std::size_t bytes = 0;
  key_type type = key_type::u8;
  bool big_endian = false;
  bool smallest_last = false; ///< the smallest integer stands for none, as NaT does, and comes last
  unsigned bits_begin = 0;    ///< of a number's image, bits [bits_begin, bits_end) decide
  unsigned bits_end = bit_window::whole_key;

  bool operator==(const binary_range&) const = default;
};

/// One --key of a record.
struct range_key {
  std::size_t offset = 0;
  std::size_t bytes = 0;
  std::optional<key_type> type{};   ///< nothing: by bytes
  std::optional<bool> big_endian{}; ///< where the key says so itself
  std::optional<bool> descending{}; ///< where the key says so itself

  bool operator==(const range_key&) const = default;
};

/// Whether a text begins as OFFSET:LENGTH does.
bool looks_like_range(std::string_view text);

/// Reads OFFSET:LENGTH[:TYPE][:le|:be][:asc|:desc]. \throws invalid_argument saying what is allowed
range_key parse_range_key(std::string_view text);

/// Word `depth` of a text, eight bytes a word. All texts of a key have one length.
key_word bytes_word(std::string_view text, std::size_t depth);

/// Word `depth` of characters of four bytes each, two a word.
key_word code_points_word(std::string_view text, const binary_range& range, std::size_t depth);

/// Word `depth` of a number; 128-bit ones have two words.
key_word value_word(std::string_view text, const binary_range& range, std::size_t depth);

} // namespace sortile::files
