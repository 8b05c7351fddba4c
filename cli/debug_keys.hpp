// sort --debug: each line with its keys underlined, and what of the options may surprise. The output is that of GNU
// sort under LC_ALL=C.
#pragma once

#include "files/field_keys.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace sortile::cli {

/// What a sort of lines was asked for, in the words of its options.
struct debug_keys {
  std::vector<files::field_key> keys; ///< without -k: the whole line, where it has an order
  files::ordering global;             ///< of the options that are no key's
  bool global_only = false;           ///< no -k was given
  bool last_resort = true;            ///< lines with equal keys are ordered by all their bytes
  std::optional<char> separator;
  std::string locale; ///< in whose order text is; empty: that of bytes
};

/// Appends the line, tabs shown as '>', and under it a line for each key.
void append_debugged(std::string_view line, const debug_keys& of, std::string& to);

/// One message each, in the words of GNU sort.
std::vector<std::string> debug_warnings(const debug_keys& of);

} // namespace sortile::cli
