// Reads the Python literal in the header of a .npy file: strings, integers, True, False, None, tuples, lists and one
// level of dictionary.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace sortile::files {

struct python_literal {
  enum class kind { none, boolean, integer, text, sequence, dictionary };

  kind what = kind::none;
  bool boolean = false;
  bool tuple = false; // of a sequence: (…), not […]
  std::int64_t integer = 0;
  std::string text{};                  // of an integer: its digits, where 64 bits do not hold it
  std::vector<python_literal> items{}; // of a tuple or list; of a dictionary: its values
  std::vector<std::string> keys{};     // of a dictionary, beside `items`

  bool is(kind k) const { return what == k; }

  /// The value of a dictionary's key, null where there is none.
  const python_literal* find(std::string_view key) const;
};

/// The literal as Python would print it; texts are UTF-8.
std::string to_string(const python_literal& literal);

/// Appends a character of Unicode in UTF-8.
void append_utf8(std::uint32_t code, std::string& to);

/// \param text  UTF-8
/// \throws invalid_argument saying at which character it stops being a literal
python_literal parse_python_literal(std::string_view text);

} // namespace sortile::files
