// A CSV file as a table of rows; see csv.hpp.
//
// A newline ends a row exactly where an even number of quotes stands before it: a doubled quote inside a cell changes
// the parity twice. So slices of the text can be cut side by side once the quotes of the slices before are counted.
// (What breaks RFC 4180 may be cut in the wrong places; validate_csv() then finds the row in which that began.)
#include "files/csv.hpp"

#include "files/decimal.hpp"
#include "files/failure.hpp"
#include "files/parallel.hpp"

#include <algorithm>
#include <atomic>
#include <limits>
#include <mutex>

namespace sortile::files {

namespace {

constexpr std::size_t slice_bytes = std::size_t{1} << 20;
constexpr std::size_t slice_rows = std::size_t{1} << 12;

// What a slice holds, before it is known whether it begins within quotes.
struct slice_counts {
  std::size_t newlines[2] = {0, 0}; // behind an even and an odd number of the slice's own quotes
  std::size_t quotes = 0;
};

slice_counts count_slice(std::string_view text) {
  slice_counts counts;
  for (const char c : text) {
    counts.quotes += c == '"' ? 1 : 0;
    counts.newlines[counts.quotes & 1] += c == '\n' ? 1 : 0;
  }
  return counts;
}

void note_rows(std::string_view text, std::size_t begin, std::size_t end, bool in_quotes, std::uint64_t* next) {
  for (std::size_t i = begin; i < end; ++i) {
    in_quotes ^= text[i] == '"';
    if (text[i] == '\n' && !in_quotes)
      *next++ = i + 1;
  }
}

record_table split_quoted(std::string_view text, std::string_view name, unsigned threads) {
  const slices parts(text.size(), threads, slice_bytes);
  std::vector<slice_counts> counts(parts.count());
  parallel_for(threads, parts.count(), [&](std::size_t i) {
    counts[i] = count_slice(text.substr(parts.begin(i), parts.end(i) - parts.begin(i)));
  });
  std::vector<std::size_t> rows_before(parts.count() + 1, 0);
  std::vector<char> in_quotes(parts.count() + 1, 0);
  for (std::size_t i = 0; i < parts.count(); ++i) {
    rows_before[i + 1] = rows_before[i] + counts[i].newlines[static_cast<std::size_t>(in_quotes[i])];
    in_quotes[i + 1] = static_cast<char>((static_cast<std::size_t>(in_quotes[i]) + counts[i].quotes) & 1);
  }
  if (in_quotes.back() != 0)
    fail(name, "the number of quotes is odd: a quoted cell is never closed (or the file has no quoting: --no-quotes)");
  const bool open_end = !text.empty() && text.back() != '\n';
  const std::size_t rows = rows_before.back() + (open_end ? 1 : 0);
  record_table table{.text = text, .delimiter = '\n', .starts = raw_array<std::uint64_t>(rows + 1)};
  table.starts[0] = 0;
  if (open_end)
    table.starts[rows] = text.size() + 1;
  parallel_for(threads, parts.count(), [&](std::size_t i) {
    note_rows(text, parts.begin(i), parts.end(i), in_quotes[i] != 0, table.starts.data() + 1 + rows_before[i]);
  });
  return table;
}

bool is_number(std::string_view text) {
  const std::optional<decimal> number = parse_number(text);
  return number && number->what != decimal::kind::missing;
}

bool is_missing(std::string_view text) {
  return std::all_of(text.begin(), text.end(), is_blank);
}

// The columns of a slice of rows: does each hold numbers only, and any number at all?
struct column_facts {
  explicit column_facts(std::size_t columns) : only_numbers(columns, 1), any_number(columns, 0) {}
  std::vector<char> only_numbers;
  std::vector<char> any_number;
};

void look_at_cell(std::string_view text, cell_check check, const std::string& column_name, char& only_numbers,
                  char& any_number) {
  if (is_missing(text))
    return;
  if (is_number(text))
    any_number = 1;
  else if (check == cell_check::require)
    refuse("'{}' in the column '{}' is not a number (allowed: numbers and empty cells; or {}:text)", text.substr(0, 40),
           column_name, column_name);
  else
    only_numbers = 0;
}

void look_at_row(std::string_view row, const csv_table& table, const std::vector<cell_check>& checks,
                 column_facts& facts, std::string& scratch) {
  csv_cells cells(row, table.dialect);
  std::size_t column = 0;
  for (csv_cell cell; cells.next(cell); ++column)
    if (column < checks.size() && checks[column] != cell_check::nothing && facts.only_numbers[column])
      look_at_cell(text_of(cell, scratch), checks[column], table.names[column], facts.only_numbers[column],
                   facts.any_number[column]);
  if (column != table.names.size())
    refuse("{} cells, but the header has {}", column, table.names.size());
}

// A text whose last row lacks the newline gets the line ends of the header, so that rows can change places.
input with_last_newline(input source, bool carriage_return) {
  if (!carriage_return || source.bytes().empty() || source.bytes().back() == '\n')
    return source;
  std::string text(source.bytes());
  text += text.back() == '\r' ? "\n" : "\r\n";
  return input::of_text(source.name(), std::move(text));
}

} // namespace

std::size_t end_of_csv_record(std::string_view text, std::size_t from, const csv_dialect& dialect, bool& in_quotes) {
  in_quotes = false;
  for (std::size_t i = from; i < text.size(); ++i) {
    if (text[i] == '\n' && !in_quotes)
      return i;
    in_quotes ^= dialect.quotes && text[i] == '"';
  }
  return std::string_view::npos;
}

csv_table open_csv(input source, const csv_dialect& dialect, unsigned threads) {
  if (source.bytes().empty())
    fail(source.name(), "is empty (a CSV file begins with a header row)");
  bool in_quotes = false;
  std::size_t header_end = end_of_csv_record(source.bytes(), 0, dialect, in_quotes);
  if (in_quotes)
    fail(source.name(), "line 1: the header has a quote that is never closed");
  const bool carriage_return =
      header_end != std::string_view::npos && header_end > 0 && source.bytes()[header_end - 1] == '\r';
  csv_table table{.source = with_last_newline(std::move(source), carriage_return),
                  .dialect = dialect,
                  .header = {},
                  .names = {},
                  .rows = {}};
  const std::string_view text = table.source.bytes();
  header_end = std::min(header_end, text.size());
  table.header = text.substr(0, header_end);
  try {
    table.names = csv_names(table.header, dialect);
  } catch (const invalid_argument& error) {
    fail(table.source.name(), "line 1: {}", error.what());
  }
  const std::string_view body = text.substr(std::min(header_end + 1, text.size()));
  table.rows = dialect.quotes ? split_quoted(body, table.source.name(), threads) : split_lines(body, '\n', threads);
  table.rows.first_line = 2 + static_cast<std::uint64_t>(std::count(table.header.begin(), table.header.end(), '\n'));
  return table;
}

std::uint64_t line_of(const csv_table& table, std::size_t row) {
  const std::string_view before = table.rows.text.substr(0, table.rows.starts[row]);
  return table.rows.first_line + static_cast<std::uint64_t>(std::count(before.begin(), before.end(), '\n'));
}

std::vector<bool> validate_csv(const csv_table& table, const std::vector<cell_check>& checks, unsigned threads) {
  const std::size_t columns = table.names.size();
  column_facts all(columns);
  std::size_t first_bad = std::numeric_limits<std::size_t>::max();
  std::string complaint;
  std::mutex lock;
  parallel_slices(threads, table.rows.size(), slice_rows, [&](std::size_t begin, std::size_t end) {
    column_facts facts(columns);
    std::string scratch;
    std::size_t row = begin;
    std::string wrong;
    try {
      for (; row < end; ++row)
        look_at_row(table.rows[row], table, checks, facts, scratch);
    } catch (const invalid_argument& error) {
      wrong = error.what();
    }
    const std::lock_guard guard(lock);
    if (row < end && row < first_bad) {
      first_bad = row;
      complaint = wrong;
    }
    for (std::size_t c = 0; c < columns; ++c) {
      all.only_numbers[c] &= facts.only_numbers[c];
      all.any_number[c] |= facts.any_number[c];
    }
  });
  if (!complaint.empty())
    fail(table.source.name(), "line {}: {}", line_of(table, first_bad), complaint);
  std::vector<bool> numeric(columns);
  for (std::size_t c = 0; c < columns; ++c)
    numeric[c] = all.only_numbers[c] && all.any_number[c];
  return numeric;
}

} // namespace sortile::files
