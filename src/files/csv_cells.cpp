// Cells of a CSV row and names of a header; see csv.hpp.
#include "files/column_keys.hpp"
#include "files/csv.hpp"
#include "files/failure.hpp"
#include "files/message_text.hpp"

#include <algorithm>
#include <cstring>

namespace sortile::files {

namespace {

// As much of a cell as a message takes. (At a NUL it would end.)
std::string cell_shown(const csv_cell& cell) {
  return escaped(cell.raw.substr(0, 40));
}

} // namespace

csv_cells::csv_cells(std::string_view row, const csv_dialect& dialect)
    : at_(row.data()), end_(row.data() + row.size()), dialect_(dialect) {
  if (row.ends_with('\r'))
    --end_;
}

bool csv_cells::next(csv_cell& cell) {
  if (done_)
    return false;
  if (dialect_.quotes && at_ != end_ && *at_ == '"')
    return next_quoted(cell);
  const char* begin = at_;
  const void* found =
      begin == end_ ? nullptr : std::memchr(begin, dialect_.separator, static_cast<std::size_t>(end_ - begin));
  at_ = found != nullptr ? static_cast<const char*>(found) : end_;
  cell = {{begin, static_cast<std::size_t>(at_ - begin)}, false};
  if (dialect_.quotes && cell.raw.find('"') != std::string_view::npos)
    refuse(
        "a quote inside the unquoted cell '{}' (allowed: the whole cell quoted and the quote doubled; or --no-quotes)",
        cell_shown({cell.raw.substr(0, cell.raw.find('\n')), false})); // behind it, quotes are counted wrongly
  done_ = at_ == end_;
  at_ += done_ ? 0 : 1;
  return true;
}

bool csv_cells::next_quoted(csv_cell& cell) {
  const char* begin = ++at_;
  cell.escaped = false;
  for (;; at_ += 2, cell.escaped = true) {
    const void* quote = at_ == end_ ? nullptr : std::memchr(at_, '"', static_cast<std::size_t>(end_ - at_));
    if (quote == nullptr)
      refuse("a quoted cell is never closed (or the file has no quoting: --no-quotes)");
    at_ = static_cast<const char*>(quote);
    if (at_ + 1 == end_ || at_[1] != '"')
      break;
  }
  cell.raw = {begin, static_cast<std::size_t>(at_ - begin)};
  ++at_;
  done_ = at_ == end_;
  if (!done_ && *at_ != dialect_.separator)
    refuse("text after the closing quote of the cell '{}'", cell_shown(cell));
  at_ += done_ ? 0 : 1;
  return true;
}

std::string_view text_of(const csv_cell& cell, std::string& scratch) {
  if (!cell.escaped)
    return cell.raw;
  scratch.clear();
  for (std::size_t i = 0; i < cell.raw.size(); ++i) {
    scratch += cell.raw[i];
    i += cell.raw[i] == '"' ? 1 : 0;
  }
  return scratch;
}

std::string_view csv_text(std::string_view row, std::size_t column, const csv_dialect& dialect, std::string& scratch) {
  csv_cells cells(row, dialect);
  csv_cell cell;
  for (std::size_t i = 0; i <= column; ++i)
    if (!cells.next(cell))
      return {};
  return text_of(cell, scratch);
}

std::string_view without_byte_order_mark(std::string_view text) {
  constexpr std::string_view byte_order_mark = "\xef\xbb\xbf";
  return text.substr(text.starts_with(byte_order_mark) ? byte_order_mark.size() : 0);
}

std::vector<std::string> csv_names(std::string_view header, const csv_dialect& dialect) {
  std::vector<std::string> names;
  std::string scratch;
  csv_cells cells(without_byte_order_mark(header), dialect);
  for (csv_cell cell; cells.next(cell);)
    names.emplace_back(text_of(cell, scratch));
  return names;
}

std::size_t column_named(const std::vector<std::string>& names, std::string_view wanted, std::string_view file) {
  const auto found = std::find(names.begin(), names.end(), wanted);
  if (found != names.end() && std::find(found + 1, names.end(), wanted) != names.end())
    refuse("{}: the header has several columns '{}'", file, wanted);
  if (found != names.end())
    return static_cast<std::size_t>(found - names.begin());
  refuse("{}: there is no column '{}' (columns: {})", file, wanted, listed_as_column_keys(names));
}

void need_same_names(const std::vector<std::string>& names, std::string_view file,
                     const std::vector<std::string>& first_names, std::string_view first_file) {
  if (names.size() != first_names.size())
    fail(file, "its header is another than that of {}: {} column{}, not {}", first_file, names.size(),
         names.size() == 1 ? "" : "s", first_names.size());
  const auto [name, first] = std::mismatch(names.begin(), names.end(), first_names.begin());
  if (name != names.end())
    fail(file, "its header is another than that of {}: column {} is '{}', not '{}'", first_file,
         name - names.begin() + 1, *name, *first);
}

} // namespace sortile::files
