// A CSV file as a table of rows; see csv.hpp.
//
// A newline ends a row exactly where an even number of quotes stands before it: a doubled quote inside a cell changes
// the parity twice. So slices of the text can be cut side by side once the quotes of the slices before are counted.
// (What breaks RFC 4180 may be cut in the wrong places; check_csv() then finds the row in which that began.)
#include "files/csv.hpp"

#include "files/failure.hpp"
#include "files/message_text.hpp"
#include "files/parallel.hpp"

#include <algorithm>

namespace sortile::files {

namespace {

constexpr std::size_t slice_bytes = std::size_t{1} << 20;

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

void note_rows(std::string_view text, std::size_t begin, std::size_t end, bool in_quotes, std::size_t row,
               record_starts& starts) {
  for (std::size_t i = begin; i < end; ++i) {
    in_quotes ^= text[i] == '"';
    if (text[i] == '\n' && !in_quotes)
      starts.set(++row, i + 1);
  }
}

// A quote is never closed: says in which row. A row that breaks RFC 4180 before is where it went wrong; else it is the
// row that has no end.
[[noreturn]] void fail_unclosed(std::string_view text, std::string_view name, const csv_dialect& dialect,
                                std::uint64_t line) {
  for (std::size_t at = 0; at < text.size();) {
    bool in_quotes = false;
    const std::size_t end = std::min(end_of_csv_record(text, at, dialect, in_quotes), text.size());
    const std::string_view row = text.substr(at, end - at);
    try {
      csv_cells cells(row, dialect);
      for (csv_cell cell; cells.next(cell);) {
      }
    } catch (const invalid_argument& error) {
      fail(name, "line {}: {}", line, error.what());
    }
    if (in_quotes)
      break;
    line += 1 + static_cast<std::uint64_t>(std::count(row.begin(), row.end(), '\n'));
    at = end + 1;
  }
  fail(name, "line {}: a quoted cell is never closed (or the file has no quoting: --no-quotes)", line);
}

record_table split_quoted(std::string_view text, std::string_view name, const csv_dialect& dialect,
                          std::uint64_t first_line, unsigned threads) {
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
    fail_unclosed(text, name, dialect, first_line);
  const bool open_end = !text.empty() && text.back() != '\n';
  const std::size_t rows = rows_before.back() + (open_end ? 1 : 0);
  record_table table{.text = text, .delimiter = '\n', .starts = record_starts(rows + 1, text.size() + 1)};
  table.starts.set(0, 0);
  if (open_end)
    table.starts.set(rows, text.size() + 1);
  parallel_for(threads, parts.count(), [&](std::size_t i) {
    note_rows(text, parts.begin(i), parts.end(i), in_quotes[i] != 0, rows_before[i], table.starts);
  });
  return table;
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

namespace {

bool is_comment(std::string_view row, std::optional<char> comment) {
  return comment && row.starts_with(*comment);
}

void refuse_wide_text(std::string_view text, std::string_view name) {
  for (const std::string_view mark : {"\xff\xfe", "\xfe\xff"})
    if (text.starts_with(mark))
      fail(name, "is UTF-16 text (a table is UTF-8 or another set of single bytes: iconv -f UTF-16 -t UTF-8)");
}

// The byte order mark and the comments in front of the first row.
std::size_t size_of_preface(std::string_view text, std::optional<char> comment) {
  std::size_t at = text.size() - without_byte_order_mark(text).size();
  while (at < text.size() && is_comment(text.substr(at), comment))
    at = std::min(text.find('\n', at), text.size() - 1) + 1;
  return at;
}

std::uint64_t newlines_in(std::string_view text) {
  return static_cast<std::uint64_t>(std::count(text.begin(), text.end(), '\n'));
}

std::vector<std::string> numbered(std::size_t columns) {
  std::vector<std::string> names;
  for (std::size_t i = 1; i <= columns; ++i)
    names.push_back(std::to_string(i));
  return names;
}

// How often each of some separators stands in a row, outside quotes.
std::size_t count_outside_quotes(std::string_view row, char separator, bool quotes) {
  std::size_t count = 0;
  bool inside = false;
  for (const char c : row) {
    inside ^= quotes && c == '"';
    count += c == separator && !inside ? 1 : 0;
  }
  return count;
}

// The first rows of a text, the last of which may be cut off unless it is the only one.
std::vector<std::string_view> first_rows(std::string_view text, const csv_options& options) {
  constexpr std::size_t most_bytes = std::size_t{1} << 16;
  constexpr std::size_t most_rows = 64;
  const std::string_view sample = text.substr(0, most_bytes);
  const csv_dialect dialect{',', options.quotes};
  std::vector<std::string_view> rows;
  for (std::size_t at = size_of_preface(sample, options.comment); at < sample.size() && rows.size() < most_rows;) {
    bool in_quotes = false;
    const std::size_t end = end_of_csv_record(sample, at, dialect, in_quotes);
    if (end == std::string_view::npos && sample.size() < text.size() && !rows.empty())
      break;
    const std::string_view row = sample.substr(at, std::min(end, sample.size()) - at);
    if (!row.empty() && row != "\r" && !is_comment(row, options.comment))
      rows.push_back(row);
    at = std::min(end, sample.size() - 1) + 1;
  }
  return rows;
}

// Files of old Macs end their rows in carriage returns: to us, they are all one row, the header.
void need_newlines(std::string_view first, const csv_table& table, std::uint64_t line) {
  first = without_byte_order_mark(first);
  csv_cells cells(first.substr(0, first.find_last_not_of('\r') + 1), table.dialect);
  for (csv_cell cell; cells.next(cell);) {
    const bool is_quoted = table.dialect.quotes && cell.raw.data() != first.data() && cell.raw.data()[-1] == '"';
    if (!is_quoted && cell.raw.find('\r') != std::string_view::npos)
      fail(table.name(),
           "line {}: a carriage return within the cell '{}' (rows end in newlines; tr '\\r' '\\n' mends it)", line,
           escaped(cell.raw.substr(0, 40)));
  }
}

// Header (or number of columns) and where the rows begin.
void read_header(csv_table& table, const csv_options& options, std::size_t preface) {
  const std::string_view text = table.source.bytes();
  bool in_quotes = false;
  const std::size_t end = std::min(end_of_csv_record(text, preface, table.dialect, in_quotes), text.size());
  const std::uint64_t line = 1 + newlines_in(text.substr(0, preface));
  if (in_quotes)
    fail(table.name(), "line {}: the {} has a quote that is never closed", line,
         options.header ? "header" : "first row");
  const std::string_view first = text.substr(preface, end - preface);
  try {
    table.names = csv_names(first, table.dialect);
    need_newlines(first, table, line);
  } catch (const invalid_argument& error) {
    fail(table.name(), "line {}: {}", line, error.what());
  }
  table.header = options.header ? first : std::string_view();
  if (!options.header)
    table.names = numbered(text.size() == preface ? 0 : table.names.size());
  const std::size_t begin = options.header ? std::min(end + 1, text.size()) : preface;
  table.prologue = text.substr(0, begin);
  if (options.header && !table.prologue.ends_with('\n'))
    table.prologue += '\n';
  table.parts = {{table.name(), 0, 1 + newlines_in(table.prologue)}};
}

csv_dialect dialect_of(std::string_view text, std::string_view name, const csv_options& options) {
  refuse_wide_text(text, name);
  return {options.separator ? *options.separator : found_separator(text, options), options.quotes};
}

// A table whose rows are still to be split.
csv_table with_header(input source, const csv_dialect& dialect, const csv_options& options, std::size_t preface) {
  csv_table table{.source = std::move(source),
                  .dialect = dialect,
                  .prologue = {},
                  .header = {},
                  .names = {},
                  .rows = {},
                  .comment = options.comment,
                  .parts = {}};
  read_header(table, options, preface);
  return table;
}

} // namespace

char found_separator(std::string_view text, const csv_options& options) {
  const std::vector<std::string_view> rows = first_rows(text, options);
  std::size_t best_rows = 0;
  char best = ',';
  for (const char separator : {',', ';', '\t', '|'}) {
    const std::size_t wanted = rows.empty() ? 0 : count_outside_quotes(rows[0], separator, options.quotes);
    const auto alike = static_cast<std::size_t>(std::count_if(rows.begin(), rows.end(), [&](std::string_view row) {
      return count_outside_quotes(row, separator, options.quotes) == wanted;
    }));
    if (wanted > 0 && 2 * alike > rows.size() && alike > best_rows) {
      best_rows = alike;
      best = separator;
    }
  }
  return best;
}

csv_table open_csv(input source, const csv_options& options, unsigned threads) {
  const csv_dialect dialect = dialect_of(source.bytes(), source.name(), options);
  const std::size_t preface = size_of_preface(source.bytes(), options.comment);
  if (preface == source.bytes().size() && (options.header || source.bytes().empty()))
    fail(source.name(), "is empty (a CSV file begins with {})",
         options.header ? "a header row" : "a row, where it has no header");
  bool in_quotes = false;
  const std::size_t first_end = end_of_csv_record(source.bytes(), preface, dialect, in_quotes);
  const bool carriage_return =
      first_end != std::string_view::npos && first_end > preface && source.bytes()[first_end - 1] == '\r';
  csv_table table = with_header(with_last_newline(std::move(source), carriage_return), dialect, options, preface);
  const std::string_view text = table.source.bytes();
  const std::string_view body = text.substr(std::min(table.prologue.size(), text.size()));
  table.rows = split_rows(body, table.name(), dialect, table.parts.front().first_line, threads);
  return table;
}

std::optional<csv_table> open_csv_head(std::string_view first_bytes, std::string name, const csv_options& options) {
  const csv_dialect dialect = dialect_of(first_bytes, name, options);
  const std::size_t preface = size_of_preface(first_bytes, options.comment);
  bool in_quotes = false;
  const std::size_t end = end_of_csv_record(first_bytes, preface, dialect, in_quotes);
  if (end == std::string_view::npos)
    return std::nullopt;
  return with_header(input::of_text(std::move(name), std::string(first_bytes.substr(0, end + 1))), dialect, options,
                     preface);
}

record_table split_rows(std::string_view text, std::string_view name, const csv_dialect& dialect,
                        std::uint64_t first_line, unsigned threads) {
  return dialect.quotes ? split_quoted(text, name, dialect, first_line, threads) : split_lines(text, '\n', threads);
}

namespace {

void need_same_columns(const csv_table& table, const csv_table& first) {
  if (table.dialect.separator != first.dialect.separator)
    fail(table.name(), "its separator is '{}', but that of {} is '{}' (-t says which it is)",
         escaped({&table.dialect.separator, 1}), first.name(), escaped({&first.dialect.separator, 1}));
  if (table.header.empty() && table.names.size() != first.names.size())
    fail(table.name(), "its first row has {} cell{}, but that of {} has {}", table.names.size(),
         table.names.size() == 1 ? "" : "s", first.name(), first.names.size());
  need_same_names(table.names, table.name(), first.names, first.name());
}

} // namespace

csv_table open_further_csv_head(std::string_view first_bytes, std::string name, const csv_options& options,
                                const csv_table& first) {
  const bool is_whole = first_bytes.size() < csv_head_bytes;
  std::optional<csv_table> head = open_csv_head(first_bytes, name, options);
  if (!head && !is_whole)
    fail(name, "its {} does not end within the first {} bytes, as that of {} does",
         options.header ? "header" : "first row", csv_head_bytes, first.name());
  if (!head)
    head = open_csv(input::of_text(std::move(name), std::string(first_bytes)), options, 1);
  need_same_columns(*head, first);
  return std::move(*head);
}

csv_table join_tables(std::vector<csv_table> tables) {
  csv_table& first = tables.front();
  if (tables.size() == 1)
    return std::move(first);
  std::size_t bytes = 0;
  std::size_t rows = 0;
  for (const csv_table& table : tables) {
    need_same_columns(table, first);
    bytes += table.rows.text.size() + 1;
    rows += table.rows.size();
  }
  byte_buffer text;
  text.reserve(std::max<std::size_t>(bytes, 1), "the joined tables");
  csv_table all{.source = {},
                .dialect = first.dialect,
                .prologue = first.prologue,
                .header = first.header,
                .names = first.names,
                .rows = {},
                .comment = first.comment,
                .parts = {}};
  record_starts starts(rows + 1, bytes);
  std::size_t row = 0;
  starts.set(0, 0);
  for (csv_table& table : tables) {
    all.parts.push_back({table.name(), row, table.parts.front().first_line});
    const std::uint64_t begin = text.size();
    const std::string_view body = table.rows.text;
    std::copy(body.begin(), body.end(), text.end());
    text.grow(body.size());
    if (!body.empty() && body.back() != '\n') {
      *text.end() = '\n';
      text.grow(1);
    }
    for (std::size_t i = 0; i < table.rows.size(); ++i)
      starts.set(++row, begin + table.rows.starts[i + 1]);
    table.source = {};
  }
  all.source = input::of_buffer(fmt::format("{} files", tables.size()), std::move(text));
  all.rows.text = all.source.bytes();
  all.rows.starts = std::move(starts);
  return all;
}

csv_place place_of(const csv_table& table, std::size_t row) {
  const auto behind = std::upper_bound(table.parts.begin(), table.parts.end(), row,
                                       [](std::size_t r, const csv_part& part) { return r < part.first_row; });
  const csv_part& part = *(behind - 1);
  const std::uint64_t begin = table.rows.starts[part.first_row];
  std::uint64_t line = part.first_line + newlines_in(table.rows.text.substr(begin, table.rows.starts[row] - begin));
  for (const removed_row& removed : table.removed)
    if (removed.before >= part.first_row && removed.before <= row)
      line += removed.lines;
  return {part.name, line};
}

} // namespace sortile::files
