// Options that say how text is ordered: those of sort(1) and --by for tables. Shared by sort, check and merge.
#pragma once

#include "files/csv.hpp"
#include "files/field_keys.hpp"
#include "files/record_order.hpp"

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
  std::string random_source;
  bool stable = false;
  bool unique = false;
  bool zero = false;
  bool no_quotes = false;

  /// \param as_sort  -h is --human-numeric-sort, not the short help
  void add_to(CLI::App& command, bool as_sort = false);

  bool wants_lines() const { return !keys.empty() || blanks || zero || ordered() != files::ordering{}; }
  bool wants_table() const { return !by.empty(); }
  /// The name of an option that has a meaning for text only; empty where none was given.
  std::string named_for_arrays() const;

  /// The order of keys that have no letters, --sort included. \throws invalid_argument
  files::ordering ordered() const;

  char delimiter() const { return zero ? '\0' : '\n'; }
  std::optional<char> separator() const;

  /// The order of lines. \throws invalid_argument
  files::record_order for_lines(bool reverse) const;

  /// The order of a table's rows; looks at every row to see that it is well formed and which columns are numbers.
  /// \throws invalid_argument, io_failure
  files::record_order for_table(const files::csv_table& table, bool reverse, unsigned threads) const;

  /// How a table is written: -t names another separator. \throws invalid_argument
  files::csv_dialect dialect(char usual_separator) const;
};

} // namespace sortile::cli
