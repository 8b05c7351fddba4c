// See column_keys.hpp.
#include "files/column_keys.hpp"

#include "files/failure.hpp"

#include <algorithm>
#include <array>

namespace sortile::files {

namespace {

constexpr std::string_view allowed =
    "NAME[:asc|:desc][:num|:text|:time|:version|:semver|:natural][:nulls-first|:nulls-last], "
    "several with commas; a NAME with , "
    "or :, or an empty one, in double quotes";

// A name up to ',' or ':', or one in double quotes (doubled inside).
std::string take_name(std::string_view& rest, std::string_view whole) {
  if (!rest.starts_with('"')) {
    const std::string_view name = rest.substr(0, rest.find_first_of(",:"));
    rest.remove_prefix(name.size());
    return std::string(name);
  }
  std::string name;
  for (rest.remove_prefix(1); !rest.empty(); rest.remove_prefix(1)) {
    if (rest.front() == '"') {
      if (!rest.substr(1).starts_with('"')) {
        rest.remove_prefix(1);
        return name;
      }
      rest.remove_prefix(1);
    }
    name += rest.front();
  }
  refuse("--by {}: a double quote is not closed (allowed: {})", whole, allowed);
}

struct named_form {
  std::string_view word;
  column_key::form as;
};
constexpr std::array named_forms{
    named_form{"num", column_key::form::number},      named_form{"text", column_key::form::text},
    named_form{"time", column_key::form::time},       named_form{"version", column_key::form::version},
    named_form{"semver", column_key::form::semantic}, named_form{"natural", column_key::form::natural}};

void apply_word(std::string_view word, std::string_view whole, column_key& key) {
  const auto* form =
      std::find_if(named_forms.begin(), named_forms.end(), [&](const named_form& each) { return each.word == word; });
  const bool is_direction = word == "asc" || word == "desc";
  const bool is_place = word == "nulls-first" || word == "nulls-last";
  const bool is_form = form != named_forms.end();
  if ((is_direction && key.descending) || (is_place && key.empty_first) ||
      (is_form && key.as != column_key::form::detect))
    refuse("--by {}: ':{}' says again what was said before it", whole, word);
  if (is_direction)
    key.descending = word == "desc";
  else if (is_place)
    key.empty_first = word == "nulls-first";
  else if (is_form)
    key.as = form->as;
  else
    refuse("--by {}: ':{}' is not understood (allowed: {})", whole, word, allowed);
}

} // namespace

std::string as_column_key(std::string_view name) {
  if (!name.empty() && name.find_first_of(",:\"") == std::string_view::npos)
    return std::string(name);
  std::string quoted = "\"";
  for (const char c : name)
    quoted += c == '"' ? std::string("\"\"") : std::string(1, c);
  return quoted + '"';
}

std::string listed_as_column_keys(const std::vector<std::string>& names) {
  std::string list;
  for (const std::string& name : names)
    list += (list.empty() ? "" : ", ") + as_column_key(name);
  return list;
}

std::vector<column_key> parse_column_keys(std::string_view text) {
  std::vector<column_key> keys;
  std::string_view rest = text;
  for (bool more = true; more;) {
    column_key key;
    const bool in_quotes = rest.starts_with('"'); // then it may be empty: pandas names the column of row numbers so
    key.name = take_name(rest, text);
    if (key.name.empty() && !in_quotes)
      refuse("--by {}: a column name is missing (allowed: {})", text, allowed);
    while (rest.starts_with(':')) {
      rest.remove_prefix(1);
      const std::string_view word = rest.substr(0, rest.find_first_of(",:"));
      apply_word(word, text, key);
      rest.remove_prefix(word.size());
    }
    more = rest.starts_with(',');
    if (!more && !rest.empty())
      refuse("--by {}: '{}' is not understood (allowed: {})", text, rest, allowed);
    rest.remove_prefix(more ? 1 : 0);
    keys.push_back(std::move(key));
  }
  return keys;
}

} // namespace sortile::files
