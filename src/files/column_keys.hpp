// Keys in the words of tables: --by size:desc,package.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace sortile::files {

/// One column of --by.
struct column_key {
  enum class form { detect, text, number, time, version, semantic, natural };

  std::string name;
  form as = form::detect;
  std::optional<bool> descending{};  ///< where the key says so itself
  std::optional<bool> empty_first{}; ///< likewise
};

/// Reads NAME[:asc|:desc][:num|:text|:time|:version|:semver|:natural][:nulls-first|:nulls-last][,…]. A name that holds
/// a comma or colon, or nothing, stands in double quotes. \throws invalid_argument saying what is allowed
std::vector<column_key> parse_column_keys(std::string_view text);

/// A name as it stands in --by: in quotes where it needs them.
std::string as_column_key(std::string_view name);
/// The same of several, for messages.
std::string listed_as_column_keys(const std::vector<std::string>& names);

} // namespace sortile::files
