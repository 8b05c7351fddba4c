// See text_options.hpp.
#include "text_options.hpp"

#include "files/failure.hpp"
#include "files/file_descriptor.hpp"
#include "files/input.hpp"
#include "files/refused_by_sort.hpp"

#include <algorithm>
#include <array>
#include <random>
#include <utility>

#include <fmt/format.h>

namespace sortile::cli {

using files::refuse;

namespace {

// The orders that --sort names.
struct named_order {
  std::string_view word;
  bool files::ordering::*flag;
};
constexpr std::array named_orders{named_order{"general-numeric", &files::ordering::general},
                                  named_order{"human-numeric", &files::ordering::human},
                                  named_order{"month", &files::ordering::month},
                                  named_order{"numeric", &files::ordering::numeric},
                                  named_order{"random", &files::ordering::random},
                                  named_order{"version", &files::ordering::version}};

// A word may be shortened, as far as it stays the only one.
bool files::ordering::*order_named(const std::string& word) {
  for (const named_order& each : named_orders)
    if (!word.empty() && each.word.starts_with(word))
      return each.flag;
  refuse("invalid argument '{}' for '--sort' (allowed: general-numeric, human-numeric, month, numeric, random, "
         "version)",
         word);
}

// A seed for an order that is another one each time, or the one of a file.
files::random_seed seed_of(const std::optional<std::string>& source) {
  files::random_seed seed{};
  if (!source) {
    std::random_device device;
    for (unsigned char& byte : seed)
      byte = static_cast<unsigned char>(device());
    return seed;
  }
  const files::file_descriptor file = files::open_input(*source);
  if (files::read_fully(file.get(), reinterpret_cast<char*>(seed.data()), seed.size(), *source) != seed.size())
    throw files::refused_by_sort(fmt::format("{}: end of file", files::quoted_by_sort(*source)),
                                 fmt::format("a source of random bytes holds {} at least", seed.size()));
  return seed;
}

files::key_part part_of(const files::field_key& field) {
  using form = files::key_part::form;
  using keep = files::text_filter::keep;
  const files::ordering& order = field.order;
  files::key_part part;
  part.where = field.range.is_whole_record() ? files::key_part::place::record : files::key_part::place::fields;
  part.range = field.range;
  part.reverse = order.reverse;
  part.filter = {order.dictionary ? keep::dictionary : order.printing ? keep::printing : keep::all, order.fold};
  part.as = order.numeric                        ? form::leading_number
            : order.general                      ? form::general_number
            : order.human                        ? form::human_number
            : order.month                        ? form::month
            : order.random                       ? form::random
            : order.version                      ? form::version
            : order.dictionary || order.printing ? form::filtered
            : order.fold                         ? form::folded
                                                 : form::text;
  return part;
}

} // namespace

void collate(files::key_part& part, const std::shared_ptr<const files::collation>& of_locale) {
  using form = files::key_part::form;
  if (!of_locale || (part.as != form::text && part.as != form::folded && part.as != form::filtered))
    return;
  part.as = form::collated;
  part.locale = of_locale;
}

void text_options::add_to(CLI::App& command, bool as_sort) {
  constexpr const char* group = "Text lines, as sort(1) in the C locale";
  const auto flag = [&](const char* names, bool& value, const char* what) {
    command.add_flag(names, value, what)->group(group);
  };
  command
      .add_option(
          "-k,--key-def", keys,
          "a key: from field F, character C, to another; letters b, d, f, g, h, i, M, n, R, r, V as the options; "
          "may be repeated")
      ->option_text("F[.C][LETTERS][,F[.C][LETTERS]]")
      ->expected(1)
      ->take_all()
      ->allow_extra_args(false)
      ->group(group);
  command
      .add_option("-t,--field-separator", separator_text,
                  "fields end at C (default: where blanks begin); in a table, cells do")
      ->option_text("C")
      ->group(group);
  flag("-n,--numeric-sort", global.numeric, "by the number that the key begins with");
  flag("-g,--general-numeric-sort", global.general,
       "by the number of any form (1e3, 0x1f, inf, nan) that it begins with");
  flag(as_sort ? "-h,--human-numeric-sort" : "--human-numeric-sort", global.human,
       "by the number with a unit that it begins with: 2K, 1G");
  flag("-M,--month-sort", global.month, "by the month that it begins with: JAN to DEC, anything else first");
  flag("-V,--version-sort", global.version, "as a version: numbers within the text by their value");
  flag("-R,--random-sort", global.random, "in a random order, equal keys beside each other");
  command.add_option("--random-source", random_source, "a file whose first 16 bytes say which random order")
      ->option_text("FILE")
      ->group(group);
  command
      .add_option("--sort", order_word,
                  "one of them by name: general-numeric, human-numeric, month, numeric, random, version")
      ->option_text("WORD")
      ->group(group);
  flag("-d,--dictionary-order", global.dictionary, "blanks, letters and digits alone count");
  flag("-i,--ignore-nonprinting", global.printing, "printing characters alone count");
  flag("-f,--ignore-case", global.fold, "lower case counts as upper case");
  flag("-b,--ignore-leading-blanks", blanks, "blanks at the beginning of a key do not count");
  command.add_flag("-z,--zero-terminated", zero, "lines end in NUL, not newline")->group(group);
  command.add_flag("-s,--stable", stable, "equal keys stay as they are (else the whole line decides)")->group(group);
  command.add_flag("-u,--unique", unique, "of equal keys, only the first; of arrays too")->group(group);
  command
      .add_flag(
          "--locale", locale,
          "text in the order of the locale that LC_ALL, LC_COLLATE or LANG names (default: by its bytes); columns of "
          "tables too")
      ->group(group);
  constexpr const char* tables = "Tables (CSV and TSV with a header)";
  command
      .add_option(
          "--by", by,
          "columns, the first deciding: size:desc,name; numbers and times are ordered as such where every cell is one; "
          ":num, :time, :text, :version, :semver, :natural say so; :nulls-first, :nulls-last say where empty cells go")
      ->option_text("NAME[:desc][:FORM][:nulls-last],…")
      ->group(tables);
  command.add_flag("--no-quotes", no_quotes, "quotes are plain characters, rows end at every newline")->group(tables);
  command.add_flag("--no-header", no_header, "the first row is a row like any other; columns are called 1, 2, …")
      ->group(tables);
  command.add_option("--comment", comment, "rows that begin with C are comments; they stay in front of the header")
      ->option_text("C")
      ->group(tables);
  command
      .add_option("--bad-rows", bad_rows,
                  "malformed rows, comments among rows, cells that are not what the column is to hold: refuse (the "
                  "default), last, drop")
      ->option_text("WHAT")
      ->check(CLI::IsMember({"refuse", "last", "drop"}))
      ->group(tables);
  command
      .add_option(
          "--nulls", nulls,
          "where empty cells go: first or last, whatever the direction (default: first, of descending columns last)")
      ->option_text("WHERE")
      ->check(CLI::IsMember({"first", "last"}))
      ->group(tables);
}

files::ordering text_options::ordered() const {
  files::ordering order = global;
  order.blanks_begin = order.blanks_end = blanks;
  if (!order_word.empty())
    order.*order_named(order_word) = true;
  return order;
}

std::string text_options::named_for_arrays() const {
  const std::pair<bool, const char*> given[] = {
      {!keys.empty(), "-k"},
      {separator_text.has_value(), "-t"},
      {global.numeric, "-n"},
      {global.general, "-g"},
      {global.human, "--human-numeric-sort"},
      {global.month, "-M"},
      {global.version, "-V"},
      {global.random, "-R"},
      {random_source.has_value(), "--random-source"},
      {!order_word.empty(), "--sort"},
      {global.dictionary, "-d"},
      {global.printing, "-i"},
      {global.fold, "-f"},
      {blanks, "-b"},
      {zero, "-z"},
  };
  for (const auto& [is_given, name] : given)
    if (is_given)
      return name;
  const std::string of_tables = table_option();
  return !of_tables.empty() ? of_tables : locale ? "--locale" : unique ? "-u" : "";
}

std::string text_options::table_option() const {
  return !by.empty()         ? "--by"
         : no_quotes         ? "--no-quotes"
         : no_header         ? "--no-header"
         : !comment.empty()  ? "--comment"
         : !bad_rows.empty() ? "--bad-rows"
         : !nulls.empty()    ? "--nulls"
                             : "";
}

std::optional<char> text_options::separator() const {
  return separator_text ? std::optional(files::parse_separator(*separator_text)) : std::nullopt;
}

std::vector<files::field_key> text_options::line_keys(bool reverse) const {
  const std::optional<char> field_separator = separator();
  files::ordering order_of_keys = ordered();
  order_of_keys.reverse = reverse;
  std::vector<files::field_key> fields;
  for (const std::string& key : keys)
    fields.push_back(files::parse_field_key(key, field_separator, order_of_keys));
  if (fields.empty()) {
    files::need_one_order(order_of_keys);
    fields.push_back(
        {files::field_range{.blanks_begin = blanks, .blanks_end = blanks, .separator = {}}, order_of_keys});
  }
  return fields;
}

bool text_options::is_random() const {
  const std::vector<files::field_key> all = line_keys(false);
  return std::any_of(all.begin(), all.end(), [](const files::field_key& key) { return key.order.random; });
}

void text_options::draw_seed() {
  seed = seed_of(random_source);
}

debug_keys text_options::for_debugging(bool reverse) const {
  debug_keys debug{.keys = line_keys(reverse),
                   .global = ordered(),
                   .global_only = keys.empty(),
                   .last_resort = !stable && !unique,
                   .separator = separator(),
                   .locale = {}};
  if (const std::shared_ptr<const files::collation> of_locale = collation())
    debug.locale = of_locale->name();
  if (keys.empty() && debug.global == files::ordering{})
    debug.keys.clear();
  debug.global.reverse = reverse;
  return debug;
}

std::shared_ptr<const files::collation> text_options::collation() const {
  return locale ? files::collation_of_environment() : nullptr;
}

files::record_order text_options::for_lines(bool reverse) const {
  if (wants_table())
    refuse("{} goes with tables (CSV or TSV; --format csv says that the input is one)", table_option());
  files::record_order order;
  const std::shared_ptr<const files::collation> of_locale = collation();
  std::optional<files::random_seed> drawn = seed;
  for (const files::field_key& field : line_keys(reverse)) {
    files::key_part part = part_of(field);
    if (part.as == files::key_part::form::random) {
      if (!drawn)
        drawn = seed_of(random_source);
      part.seed = *drawn;
    }
    collate(part, of_locale);
    order.push_back(part);
  }
  files::key_part last_resort{.reverse = reverse}; // of sort(1)
  collate(last_resort, of_locale);
  const files::key_part& last = order.back();
  const bool is_last_resort =
      last.where == last_resort.where && last.as == last_resort.as && last.filter == last_resort.filter;
  if (!stable && !unique && !is_last_resort)
    order.push_back(last_resort);
  return order;
}

namespace {

files::cell_check check_of(files::column_key::form as) {
  switch (as) {
  case files::column_key::form::number:
    return files::cell_check::require_number;
  case files::column_key::form::time:
    return files::cell_check::require_time;
  case files::column_key::form::semantic:
    return files::cell_check::require_semantic_version;
  default:
    return files::cell_check::detect;
  }
}

files::key_part::form form_of(files::column_key::form as, const files::column_facts* facts) {
  using form = files::key_part::form;
  if (as != files::column_key::form::detect || facts == nullptr)
    return files::form_named(as);
  return facts->is_numeric() ? form::number : facts->type() == files::cell_type::time ? form::instant : form::text;
}

// Cells of blanks alone are no numbers and no times; in other columns they are text.
bool is_of_numbers(files::key_part::form as) {
  return as == files::key_part::form::number || as == files::key_part::form::instant;
}

// The columns of --by in a table. A part of its own puts empty cells first or last, where the order of the cells would
// not.
class table_order {
 public:
  table_order(const std::vector<std::string>& names, const files::csv_dialect& dialect, std::string_view file,
              std::shared_ptr<const files::collation> of_locale)
      : names_(names), dialect_(dialect), file_(file), locale_(std::move(of_locale)) {}

  std::size_t column_of(const files::column_key& key) const { return files::column_named(names_, key.name, file_); }

  void add(const files::column_key& key, bool reverse, std::optional<bool> empty_first,
           const files::column_facts* facts) {
    files::key_part part{.where = files::key_part::place::cell, .reverse = key.descending.value_or(reverse)};
    part.column = column_of(key);
    part.dialect = dialect_;
    part.as = form_of(key.as, facts);
    const std::optional<bool> first = key.empty_first ? key.empty_first : empty_first;
    const bool by_itself = !part.reverse; // empty cells are the smallest
    if (first && *first != by_itself && (facts == nullptr || facts->empty != 0)) {
      files::key_part presence = part;
      presence.as = is_of_numbers(part.as) ? files::key_part::form::presence : files::key_part::form::any_bytes;
      presence.reverse = !*first;
      order_.push_back(presence);
    }
    collate(part, locale_);
    order_.push_back(part);
  }
  const files::record_order& order() const { return order_; }

 private:
  const std::vector<std::string>& names_;
  const files::csv_dialect& dialect_;
  std::string_view file_;
  std::shared_ptr<const files::collation> locale_;
  files::record_order order_;
};

std::optional<bool> empty_first(const std::string& nulls) {
  return nulls.empty() ? std::nullopt : std::optional(nulls == "first");
}

} // namespace

files::record_order text_options::for_table(files::csv_table& table, bool reverse, unsigned threads) const {
  std::vector<files::cell_check> checks;
  return checked_order(table, reverse, threads, checks, nullptr);
}

files::record_order text_options::for_first_rows(files::csv_table& table, bool reverse, unsigned threads,
                                                 files::later_checks& further) const {
  std::vector<files::column_facts> facts;
  const files::record_order order = checked_order(table, reverse, threads, further.demanded, &facts);
  further.settled = further.demanded;
  for (std::size_t c = 0; c < further.settled.size(); ++c) {
    if (further.settled[c] != files::cell_check::detect)
      continue;
    const std::string& name = table.names[c];
    if (facts[c].type() == files::cell_type::empty)
      files::fail(table.name(),
                  "the column '{}' is empty in the first {} rows, which fill the memory: say what it holds, "
                  "{}:num or {}:text (or give more memory with -S)",
                  name, table.rows.size(), name, name);
    further.settled[c] = facts[c].is_numeric()                       ? files::cell_check::require_number
                         : facts[c].type() == files::cell_type::time ? files::cell_check::require_time
                                                                     : files::cell_check::nothing;
    if (further.settled[c] == files::cell_check::nothing)
      further.demanded[c] = files::cell_check::nothing;
  }
  return order;
}

// `facts` null: all rows are there. Else there may be empty cells among those that are not, and it takes what there is.
files::record_order text_options::checked_order(files::csv_table& table, bool reverse, unsigned threads,
                                                std::vector<files::cell_check>& checks,
                                                std::vector<files::column_facts>* facts) const {
  if (wants_lines())
    refuse("{} goes with lines; a table is ordered with --by (--format lines reads it as lines)", named_for_arrays());
  if (by.empty())
    refuse("{}: say by which columns the table is to be ordered: --by NAME[:desc],… (columns: {})", table.name(),
           files::listed_as_column_keys(table.names));
  checks.assign(table.names.size(), files::cell_check::nothing);
  const std::vector<files::column_key> columns = files::parse_column_keys(by);
  const std::string name = table.name();
  table_order order(table.names, table.dialect, name, collation());
  for (const files::column_key& column : columns) {
    files::cell_check& check = checks[order.column_of(column)];
    using form = files::column_key::form;
    const bool by_text = column.as == form::text || column.as == form::version || column.as == form::natural;
    if (by_text && (facts != nullptr || (nulls.empty() && !column.empty_first)))
      continue;
    if (const files::cell_check wanted = check_of(column.as); check <= files::cell_check::detect)
      check = wanted;
  }
  std::vector<files::column_facts> found = files::check_csv(table, checks, rule_of_bad_rows(), threads);
  if (facts != nullptr)
    *facts = found;
  for (files::column_facts& each : found)
    each.empty += facts != nullptr ? 1 : 0;
  for (const files::column_key& column : columns)
    order.add(column, reverse, empty_first(nulls), &found[order.column_of(column)]);
  return order.order();
}

files::record_order text_options::for_row_stream(const std::vector<std::string>& names,
                                                 const files::csv_dialect& dialect, std::string_view file,
                                                 bool reverse) const {
  if (by.empty())
    refuse("say by which columns the tables are in order: --by NAME[:desc][:num],…");
  table_order order(names, dialect, file, collation());
  for (const files::column_key& column : files::parse_column_keys(by))
    order.add(column, reverse, empty_first(nulls), nullptr);
  return order.order();
}

files::bad_rows text_options::rule_of_bad_rows() const {
  return bad_rows == "last"   ? files::bad_rows::last
         : bad_rows == "drop" ? files::bad_rows::drop
                              : files::bad_rows::refuse;
}

files::csv_options text_options::table_options(bool tabs) const {
  files::csv_options options{.separator = separator(), .quotes = !no_quotes, .header = !no_header, .comment = {}};
  if (tabs && !options.separator)
    options.separator = '\t';
  for (const char c : {'"', '\n', '\r'})
    if (options.separator == c)
      refuse("-t: a quote or the end of a line cannot separate the cells of a table");
  if (comment.size() > 1 || comment == "\"" || comment == "\n")
    refuse("--comment {}: a single character is needed, and no quote", comment);
  if (!comment.empty())
    options.comment = comment.front();
  return options;
}

} // namespace sortile::cli
