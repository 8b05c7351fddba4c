// Comma-separated values as RFC 4180 has them: a header, quoted cells with doubled quotes, separators and newlines
// inside quotes. Read by hand: rows are sorted as they were written, by all threads, where readers of CSV give cells.
#pragma once

#include "files/input.hpp"
#include "files/record_table.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
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

/// How a file is read as a table.
struct csv_options {
  std::optional<char> separator; ///< nothing: the one that is found in the first rows
  bool quotes = true;
  bool header = true;          ///< the first row holds names; else the columns are called 1, 2, …
  std::optional<char> comment; ///< rows that begin with it are comments: in front of the header they stay there
};

/// Rows of a joined table that come from one file.
struct csv_part {
  std::string name;
  std::size_t first_row = 0;
  std::uint64_t first_line = 1; ///< on which the first of the rows begins
};

/// A row that was taken out of a table.
struct removed_row {
  std::size_t before = 0; ///< the row in front of which it stood
  std::uint64_t lines = 1;
};

/// A CSV file in memory: what stands in front of its rows, and its rows as records.
struct csv_table {
  input source;
  csv_dialect dialect;
  std::string prologue; ///< byte order mark, comments and header with their newlines: goes first in the output
  std::string header;   ///< the row of names, without its newline; empty where there is none
  std::vector<std::string> names;
  record_table rows;
  std::optional<char> comment;
  std::vector<csv_part> parts; ///< one a file
  std::vector<removed_row> removed{};
  std::string bad_rows{}; ///< the rows that were taken out, with their newlines

  const std::string& name() const { return source.name(); }
};

/// The number of the column of a name. \throws invalid_argument listing the columns where there is none of that name,
/// or several
std::size_t column_named(const std::vector<std::string>& names, std::string_view wanted, std::string_view file);

/// \throws io_failure where the header of a file names other columns than that of the first one
void need_same_names(const std::vector<std::string>& names, std::string_view file,
                     const std::vector<std::string>& first_names, std::string_view first_file);

/// Cuts the text into header and rows. \throws io_failure where the header is missing or malformed, or a quote is never
/// closed.
csv_table open_csv(input source, const csv_options& options, unsigned threads);

/// What stands in front of the rows, from the first bytes of a file, of which csv_head_bytes are enough to find the
/// separator as open_csv() does; nothing where the header does not end within them. \throws as open_csv
inline constexpr std::size_t csv_head_bytes = (std::size_t{1} << 16) + 1;
std::optional<csv_table> open_csv_head(std::string_view first_bytes, std::string name, const csv_options& options);

/// The same of a table that is to be joined to `first`: it has to have its columns and its separator.
/// \throws io_failure where it does not, or its header does not end within these bytes
csv_table open_further_csv_head(std::string_view first_bytes, std::string name, const csv_options& options,
                                const csv_table& first);

/// Cuts text behind a header, or a piece of it, into rows. \param first_line  of the file, on which the text begins
/// \throws io_failure naming the line where a quote is never closed
record_table split_rows(std::string_view text, std::string_view name, const csv_dialect& dialect,
                        std::uint64_t first_line, unsigned threads);

/// The rows of all tables one after the other. \throws io_failure where one has another header or separator
csv_table join_tables(std::vector<csv_table> tables);

/// The separator of most of the first rows: comma, semicolon, tab or bar; comma where none is found.
char found_separator(std::string_view text, const csv_options& options);

/// Where a row begins: file and line.
struct csv_place {
  std::string_view file;
  std::uint64_t line = 0;
};
csv_place place_of(const csv_table& table, std::size_t row);

/// The end of the CSV record that begins at `from`: the position of its newline, or npos where the text ends first
/// (in_quotes tells whether it ended within quotes).
std::size_t end_of_csv_record(std::string_view text, std::size_t from, const csv_dialect& dialect, bool& in_quotes);

/// What follows UTF-8's byte order mark, which may stand before a table.
std::string_view without_byte_order_mark(std::string_view text);
/// The names in a header row (a byte order mark in front is no part of the first). \throws invalid_argument as
/// csv_cells
std::vector<std::string> csv_names(std::string_view header, const csv_dialect& dialect);

} // namespace sortile::files
