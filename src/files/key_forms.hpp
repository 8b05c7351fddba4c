// How the text of a key is read: the orders of sort(1), each as words (key_word.hpp) or as a text that compares by
// bytes.
//
// Source: the descriptions of the orders in POSIX sort and in the manual of GNU coreutils ("Version sort ordering",
// "sort invocation"); versions in the words of Debian Policy 5.6.12. All of it in the C locale.
#pragma once

#include "files/key_word.hpp"

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

namespace sortile::files {

/// What of a text counts before it is compared.
struct text_filter {
  enum class keep : std::uint8_t {
    all,
    dictionary, ///< blanks, letters and digits (sort -d)
    printing,   ///< printing characters (sort -i)
  };
  keep kept = keep::all;
  bool fold = false; ///< lower case as upper case (sort -f)

  bool active() const { return kept != keep::all || fold; }
  bool operator==(const text_filter&) const = default;
};

/// The characters that count; in `scratch` where they are not the text itself.
std::string_view filtered(std::string_view text, const text_filter& filter, std::string& scratch);
/// Word `depth` of these; what comes behind it is not looked at.
key_word filtered_word(std::string_view text, const text_filter& filter, std::size_t depth);
/// Compares these of two texts.
int compare_filtered(std::string_view a, std::string_view b, const text_filter& filter);

/// Any number that strtold() reads (sort -g): what is none first, then NaN, then by value; two words.
key_word general_number_word(std::string_view text, std::size_t depth);

/// A number with a unit of the SI (sort -h): by sign, then unit, then value.
key_word human_number_word(std::string_view text, std::size_t depth);

/// The name of a month, by its first three letters (sort -M); what is none comes before January.
key_word month_word(std::string_view text);

/// Appends digits, without zeros in front, so that bytes compare by their value: their number comes first.
void append_number(std::string_view digits, std::string& key);

/// A text whose bytes compare as the version in `text` does (sort -V); linear in its length.
void make_version_key(std::string_view text, std::string& key);

/// A text whose bytes compare as `text` does where each run of digits counts by its value, and all else by bytes. Zeros
/// in front of a number do not count. Linear in its length.
void make_natural_key(std::string_view text, std::string& key);

/// Whether there is a text at all (blanks are none): empty ones come first.
key_word presence_word(std::string_view text);

/// The seed of a random order.
using random_seed = std::array<unsigned char, 16>;

/// A hash of the text under the seed, then the text itself (sort -R): equal texts are neighbours.
key_word random_word(std::string_view text, const random_seed& seed, std::size_t depth);

} // namespace sortile::files
