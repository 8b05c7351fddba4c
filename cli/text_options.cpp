// See text_options.hpp.
#include "text_options.hpp"

#include "files/column_keys.hpp"
#include "files/failure.hpp"

#include <array>
#include <utility>

namespace sortile::cli {

using files::refuse;

namespace {

// What sort(1) of GNU has and sortile has not, so that nobody believes it was heard.
struct missing_option {
  const char* names;
  bool has_argument;
  const char* what;
};
constexpr std::array missing_options{
    missing_option{"-d,--dictionary-order", false, "dictionary order"},
    missing_option{"-g,--general-numeric-sort", false, "general numbers"},
    missing_option{"-i,--ignore-nonprinting", false, "printing characters only"},
    missing_option{"-M,--month-sort", false, "months"},
    missing_option{"--human-numeric-sort", false, "numbers with units (-h is the short help)"},
    missing_option{"-R,--random-sort", false, "random order"},
    missing_option{"-V,--version-sort", false, "versions"},
    missing_option{"--random-source", true, "random order"},
    missing_option{"--sort", true, "orders by word"},
    missing_option{"--batch-size", true, "merging in batches"},
    missing_option{"--compress-program", true, "compressed temporaries"},
    missing_option{"--debug", false, "annotated keys"},
    missing_option{"--files0-from", true, "file names from a file"},
    missing_option{"-S,--buffer-size", true, "a bound on memory"},
    missing_option{"-T,--temporary-directory", true, "temporary files elsewhere"},
};

[[noreturn]] void refuse_missing(const missing_option& option) {
  refuse("{} of sort(1) is not supported yet: {}", option.names, option.what);
}

} // namespace

void text_options::add_to(CLI::App& command) {
  constexpr const char* group = "Text lines, as sort(1) in the C locale";
  command
      .add_option("-k,--key-def", keys,
                  "a key: from field F, character C, to another; letters b, f, n, r; may be repeated")
      ->option_text("F[.C][bfnr][,F[.C][bfnr]]")
      ->expected(1)
      ->take_all()
      ->allow_extra_args(false)
      ->group(group);
  command
      .add_option("-t,--field-separator", separator_text,
                  "fields end at C (default: where blanks begin); in a table, cells do")
      ->option_text("C")
      ->group(group);
  command.add_flag("-n,--numeric-sort", numeric, "by the number that the key begins with")->group(group);
  command.add_flag("-f,--ignore-case", fold, "lower case counts as upper case")->group(group);
  command.add_flag("-b,--ignore-leading-blanks", blanks, "blanks at the start of a key do not count")->group(group);
  command.add_flag("-z,--zero-terminated", zero, "lines end in NUL, not newline")->group(group);
  command.add_flag("-s,--stable", stable, "equal keys stay as they are (else the whole line decides)")->group(group);
  command.add_flag("-u,--unique", unique, "of lines with equal keys, only the first")->group(group);
  constexpr const char* tables = "Tables (CSV and TSV with a header)";
  command
      .add_option(
          "--by", by,
          "columns, the first deciding: size:desc,name; a column is numeric where every cell is; :num, :text say so")
      ->option_text("NAME[:desc][:num|:text],…")
      ->group(tables);
  command.add_flag("--no-quotes", no_quotes, "quotes are plain characters, rows end at every newline")->group(tables);
  for (const missing_option& option : missing_options) {
    if (option.has_argument)
      command.add_option_function<std::string>(option.names, [&option](const std::string&) { refuse_missing(option); })
          ->group("");
    else
      command.add_flag_callback(option.names, [&option] { refuse_missing(option); })->group("");
  }
}

std::string text_options::named_for_arrays() const {
  const std::pair<bool, const char*> given[] = {{!keys.empty(), "-k"},
                                                {separator_text.has_value(), "-t"},
                                                {numeric, "-n"},
                                                {fold, "-f"},
                                                {blanks, "-b"},
                                                {zero, "-z"},
                                                {unique, "-u"},
                                                {wants_table(), "--by"},
                                                {no_quotes, "--no-quotes"}};
  for (const auto& [is_given, name] : given)
    if (is_given)
      return name;
  return {};
}

std::optional<char> text_options::separator() const {
  if (!separator_text)
    return std::nullopt;
  if (*separator_text == "\\0")
    return '\0';
  if (*separator_text == "\\t")
    return '\t';
  if (separator_text->size() != 1)
    refuse("-t '{}': a single byte is needed (\\t and \\0 stand for tab and NUL)", *separator_text);
  return separator_text->front();
}

files::record_order text_options::for_lines(bool reverse) const {
  if (wants_table() || no_quotes)
    refuse("{} goes with tables (CSV or TSV; --format csv says that the input is one)",
           wants_table() ? "--by" : "--no-quotes");
  const std::optional<char> field_separator = separator();
  const files::ordering global{
      .numeric = numeric, .fold = fold, .reverse = reverse, .blanks_begin = blanks, .blanks_end = blanks};
  std::vector<files::field_key> fields;
  for (const std::string& key : keys)
    fields.push_back(files::parse_field_key(key, field_separator, global));
  if (fields.empty())
    fields.push_back({files::field_range{.blanks_begin = blanks, .blanks_end = blanks, .separator = {}}, global});
  files::record_order order;
  for (const files::field_key& field : fields) {
    files::key_part part;
    part.where = field.range.is_whole_record() ? files::key_part::place::record : files::key_part::place::fields;
    part.as = field.order.numeric ? files::key_part::form::leading_number
              : field.order.fold  ? files::key_part::form::folded
                                  : files::key_part::form::text;
    part.reverse = field.order.reverse;
    part.range = field.range;
    order.push_back(part);
  }
  const bool whole_line_by_bytes =
      order.back().where == files::key_part::place::record && order.back().as == files::key_part::form::text;
  if (!stable && !unique && !whole_line_by_bytes)
    order.push_back({.reverse = reverse}); // the last resort of sort(1)
  return order;
}

files::record_order text_options::for_table(const files::csv_table& table, bool reverse, unsigned threads) const {
  if (wants_lines())
    refuse("{} goes with lines; a table is ordered with --by (--format lines reads it as lines)", named_for_arrays());
  if (by.empty())
    refuse("{}: say by which columns the table is to be ordered: --by NAME[:desc],… ", table.source.name());
  std::vector<files::cell_check> checks(table.names.size(), files::cell_check::nothing);
  std::vector<files::column_key> columns = files::parse_column_keys(by);
  files::record_order order;
  for (const files::column_key& column : columns) {
    files::key_part part{.where = files::key_part::place::cell, .reverse = column.descending.value_or(reverse)};
    part.column = files::column_named(table.names, column.name, table.source.name());
    part.dialect = table.dialect;
    files::cell_check& check = checks[part.column];
    if (column.as == files::column_key::form::number)
      check = files::cell_check::require;
    else if (column.as == files::column_key::form::detect && check == files::cell_check::nothing)
      check = files::cell_check::detect;
    order.push_back(part);
  }
  const std::vector<bool> numeric_column = files::validate_csv(table, checks, threads);
  for (std::size_t i = 0; i < columns.size(); ++i) {
    const bool number = columns[i].as == files::column_key::form::number ||
                        (columns[i].as == files::column_key::form::detect && numeric_column[order[i].column]);
    order[i].as = number ? files::key_part::form::number : files::key_part::form::text;
  }
  return order;
}

files::csv_dialect text_options::dialect(char usual_separator) const {
  const char chosen = separator().value_or(usual_separator);
  if (chosen == '"' || chosen == '\n' || chosen == '\r')
    refuse("-t: a quote or the end of a line cannot separate the cells of a table");
  return {chosen, !no_quotes};
}

} // namespace sortile::cli
