// What a sort of text will do, in words; see record_sort.hpp.
#include "files/planning.hpp"
#include "files/record_sort.hpp"

#include <fmt/format.h>

namespace sortile::files {

std::string describe(const key_part& part) {
  std::string where;
  switch (part.where) {
  case key_part::place::record:
    where = "the whole record";
    break;
  case key_part::place::cell:
    where = fmt::format("column {}", part.column + 1);
    break;
  case key_part::place::range:
    where = fmt::format("bytes {} to {}", part.binary.offset, part.binary.offset + part.binary.bytes - 1);
    break;
  case key_part::place::fields:
    where = fmt::format("from field {} character {}", part.range.first_field + 1, part.range.first_char + 1);
    if (part.range.last_field == field_range::end_of_record)
      where += " to the end of the record";
    else if (part.range.last_char == 0)
      where += fmt::format(" to the end of field {}", part.range.last_field + 1);
    else
      where += fmt::format(" to field {} character {}", part.range.last_field + 1, part.range.last_char);
    break;
  }
  const char* as = "";
  switch (part.as) {
  case key_part::form::text:
    as = "by bytes";
    break;
  case key_part::form::folded:
    as = "by bytes, lower case as upper case";
    break;
  case key_part::form::leading_number:
    as = "by the number it begins with";
    break;
  case key_part::form::number:
    as = "as a number";
    break;
  case key_part::form::filtered:
    as = part.filter.kept == text_filter::keep::dictionary ? "by its blanks, letters and digits"
                                                           : "by its printing characters";
    break;
  case key_part::form::general_number:
    as = "by the number of any form that it begins with";
    break;
  case key_part::form::human_number:
    as = "by the number with a unit that it begins with";
    break;
  case key_part::form::month:
    as = "by the month that it begins with";
    break;
  case key_part::form::version:
    as = "as a version";
    break;
  case key_part::form::semantic:
    as = "as a semantic version";
    break;
  case key_part::form::random:
    as = "by a random hash";
    break;
  case key_part::form::natural:
    as = "by bytes, numbers within by their value";
    break;
  case key_part::form::instant:
    as = "as a date or time";
    break;
  case key_part::form::presence:
  case key_part::form::any_bytes:
    as = "by whether it is empty";
    break;
  case key_part::form::bytes:
    as = "by bytes";
    break;
  case key_part::form::code_points:
    as = "by characters";
    break;
  case key_part::form::value:
    as = "as a value";
    break;
  case key_part::form::collated:
    return fmt::format("{}, in the order of the locale {}{}", where, part.locale->name(),
                       part.reverse ? ", descending" : "");
  }
  const std::string type =
      part.as == key_part::form::value ? fmt::format(" of type {}", name(part.binary.type)) : std::string();
  return fmt::format("{}, {}{}{}", where, as, type, part.reverse ? ", descending" : "");
}

plan explain_record_sort(std::size_t n, std::size_t text_bytes, const record_order& order, const options& opts) {
  options plain = opts;
  plain.order = sortile::order::ascending;
  plain.bits = {};
  plan p = explain_request({.type = key_type::u64, .n = n, .carries = payload::indices, .value_bytes = 4}, plain);
  const std::uint64_t text = text_bytes;
  std::vector<plan_step> before{{"cut", fmt::format("text into {} records", n), 2 * text, 8 * std::uint64_t{n}}};
  for (const key_part& part : order)
    before.push_back({"key", describe(part), 0, 0});
  before.push_back({"words", "the first 64 bits of every record's key, as they compare", text, 8 * std::uint64_t{n}});
  p.steps.insert(p.steps.begin(), before.begin(), before.end());
  p.steps.push_back({"ties", "records of equal words by their further words (bytes depend on the data)", 0, 0});
  p.steps.push_back({"fetch", "records by position, to the output", text, text});
  return p;
}

} // namespace sortile::files
