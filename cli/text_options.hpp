// Options that say how text is ordered: those of sort(1) and --by for tables. Shared by sort, check and merge.
#pragma once

#include "debug_keys.hpp"

#include "files/collation.hpp"
#include "files/column_keys.hpp"
#include "files/csv_check.hpp"
#include "files/field_keys.hpp"
#include "files/record_order.hpp"

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>

namespace sortile::cli {

struct text_options {
  std::vector<std::string> keys;             ///< -k
  std::optional<std::string> separator_text; ///< -t
  std::string by;                            ///< --by
  files::ordering global;                    ///< of keys without letters of their own
  bool blanks = false;
  std::string order_word; ///< --sort
  std::optional<std::string> random_source;
  std::optional<files::random_seed> seed; ///< of a random order, where it is known already
  bool stable = false;
  bool unique = false;
  bool zero = false;
  bool locale = false; ///< --locale
  bool no_quotes = false;
  bool no_header = false;
  std::string comment;  ///< --comment
  std::string bad_rows; ///< --bad-rows; empty: refuse
  std::string nulls;    ///< --nulls: first or last

  /// \param as_sort  -h is --human-numeric-sort, not the short help
  void add_to(CLI::App& command, bool as_sort = false);

  bool wants_lines() const { return !keys.empty() || blanks || zero || ordered() != files::ordering{}; }
  bool wants_table() const { return !table_option().empty(); }
  /// The name of an option that has a meaning for tables only; empty where none was given.
  std::string table_option() const;
  /// The order of texts that --locale asks for; null: by bytes. \throws invalid_argument where the system has no such
  std::shared_ptr<const files::collation> collation() const;

  /// The name of an option that has a meaning for text only; -u, which some arrays take too, where there is no other;
  /// empty where none was given.
  std::string named_for_arrays() const;

  /// The order of keys that have no letters, --sort included. \throws invalid_argument
  files::ordering ordered() const;

  char delimiter() const { return zero ? '\0' : '\n'; }
  std::optional<char> separator() const;

  /// The keys of lines, one at least. \throws invalid_argument
  std::vector<files::field_key> line_keys(bool reverse) const;
  /// Whether one of them is in a random order.
  bool is_random() const;
  /// Reads --random-source, or draws a seed: of all orders that are asked for from now on. \throws io_failure
  void draw_seed();
  /// What --debug shows of them.
  debug_keys for_debugging(bool reverse) const;
  /// The order of lines. \throws invalid_argument
  files::record_order for_lines(bool reverse) const;

  /// The order of a table's rows; looks at every row to see that it is well formed and what the columns hold, and takes
  /// bad rows out where they are not refused. \throws invalid_argument, io_failure
  files::record_order for_table(files::csv_table& table, bool reverse, unsigned threads) const;
  /// The same by the first of a table's rows. \param further  takes what the others are to be checked for
  /// \throws io_failure too where a column whose type is not named has no filled cell there
  files::record_order for_first_rows(files::csv_table& table, bool reverse, unsigned threads,
                                     files::later_checks& further) const;
  /// The same for rows that are not all known yet, so that no type can be found.
  files::record_order for_row_stream(const std::vector<std::string>& names, const files::csv_dialect& dialect,
                                     std::string_view file, bool reverse) const;

  files::bad_rows rule_of_bad_rows() const;
  /// How a table is written: -t names the separator; tabs: the file's name says them. \throws invalid_argument
  files::csv_options table_options(bool tabs) const;

 private:
  files::record_order checked_order(files::csv_table& table, bool reverse, unsigned threads,
                                    std::vector<files::cell_check>& checks,
                                    std::vector<files::column_facts>* facts) const;
};

/// Has text ordered as in a locale, where there is one; all else stays.
void collate(files::key_part& part, const std::shared_ptr<const files::collation>& of_locale);

} // namespace sortile::cli
