// Comma-separated values as RFC 4180 has them: a header, quoted cells with doubled quotes, separators and newlines
// inside quotes.
#pragma once

#include "files/input.hpp"
#include "files/record_table.hpp"

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace sortile::files {

struct csv_dialect {
  char separator = ',';
  bool quotes = true; ///< false: a quote is a character like any other, and a row ends at its newline
};

/// One cell of a row, as it stands between its separators or quotes.
struct csv_cell {
  std::string_view raw;
  bool escaped = false; ///< quotes are doubled inside
};

/// The cells of one row (without its newline; a CR at the end is not part of the last cell), from left to right.
class csv_cells {
 public:
  csv_cells(std::string_view row, const csv_dialect& dialect);

  /// False behind the last cell. \throws invalid_argument where the row breaks RFC 4180
  bool next(csv_cell& cell);

 private:
  bool next_quoted(csv_cell& cell);

  const char* at_;
  const char* end_;
  csv_dialect dialect_;
  bool done_ = false;
};

/// The text of a cell; where quotes are doubled it is built in `scratch`.
std::string_view text_of(const csv_cell& cell, std::string& scratch);

/// The text of cell `column` of a row that is known to be well formed and to have it.
std::string_view csv_text(std::string_view row, std::size_t column, const csv_dialect& dialect, std::string& scratch);

/// A CSV file in memory: its header apart, its rows as records.
struct csv_table {
  input source;
  csv_dialect dialect;
  std::string_view header; ///< the first row, without its newline
  std::vector<std::string> names;
  record_table rows;
};

/// The number of the column of a name. \throws invalid_argument listing the columns where there is none of that name,
/// or several
std::size_t column_named(const std::vector<std::string>& names, std::string_view wanted, std::string_view file);

/// Cuts the text into header and rows. \throws io_failure where the header is missing or malformed, or a quote is never
/// closed.
csv_table open_csv(input source, const csv_dialect& dialect, unsigned threads);

/// What is asked of the cells of a column.
enum class cell_check : std::uint8_t {
  nothing,
  detect,  ///< are they numbers?
  require, ///< they must be numbers (or empty)
};

/// Looks at every row: it must be well formed and have as many cells as the header. `checks` has one entry a column.
/// \return for every column that was looked at: whether each cell is a number or empty, and one at least a number
/// \throws io_failure naming the line of the first row that breaks a rule
std::vector<bool> validate_csv(const csv_table& table, const std::vector<cell_check>& checks, unsigned threads);

/// The line of the file on which a row begins.
std::uint64_t line_of(const csv_table& table, std::size_t row);

/// The end of the CSV record that begins at `from`: the position of its newline, or npos where the text ends first
/// (in_quotes tells whether it ended within quotes).
std::size_t end_of_csv_record(std::string_view text, std::size_t from, const csv_dialect& dialect, bool& in_quotes);

/// The names in a header row (a byte order mark in front is no part of the first). \throws invalid_argument as
/// csv_cells
std::vector<std::string> csv_names(std::string_view header, const csv_dialect& dialect);

} // namespace sortile::files
