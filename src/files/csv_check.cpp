// See csv_check.hpp.
#include "files/csv_check.hpp"

#include "files/decimal.hpp"
#include "files/failure.hpp"
#include "files/instant.hpp"
#include "files/parallel.hpp"
#include "files/semantic_version.hpp"

#include <algorithm>
#include <mutex>

namespace sortile::files {

namespace {

constexpr std::size_t slice_rows = std::size_t{1} << 12;
constexpr std::size_t shown = 40;

bool is_empty(std::string_view text) {
  return std::all_of(text.begin(), text.end(), is_blank);
}

bool begins_like_a_time(std::string_view text) {
  const std::size_t digits = text.find_first_not_of(" \t0123456789");
  return digits != std::string_view::npos && digits >= 4 && text[digits] == '-';
}

cell_type type_of_filled(std::string_view text) {
  if (begins_like_a_time(text) && parse_instant(text))
    return cell_type::time;
  const std::optional<decimal> number = parse_number(text);
  if (!number)
    return cell_type::text;
  return text.find_first_not_of(" \t+-0123456789") == std::string_view::npos ? cell_type::integer : cell_type::number;
}

void count(cell_type type, column_facts& facts) {
  switch (type) {
  case cell_type::empty:
    ++facts.empty;
    break;
  case cell_type::integer:
    ++facts.integers;
    break;
  case cell_type::number:
    ++facts.numbers;
    break;
  case cell_type::time:
    ++facts.times;
    break;
  case cell_type::text:
    ++facts.texts;
    break;
  }
}

void need(cell_check check, cell_type type, std::string_view text, const std::string& column) {
  if (check == cell_check::require_number && (type == cell_type::time || type == cell_type::text))
    refuse("'{}' in the column '{}' is not a number (allowed: numbers and empty cells; or {}:text)",
           text.substr(0, shown), column, column);
  if (check == cell_check::require_time && type != cell_type::time && type != cell_type::empty)
    refuse("'{}' in the column '{}' is no date or time (allowed: 2024-02-29, 2024-02-29T12:30:00.5+01:00 and empty "
           "cells; or {}:text)",
           text.substr(0, shown), column, column);
  if (check == cell_check::require_semantic_version && type != cell_type::empty && !is_semantic_version(text))
    refuse("'{}' in the column '{}' is no semantic version (allowed: 1.2.3, 1.2.3-rc.1+build and empty cells; or "
           "{}:version)",
           text.substr(0, shown), column, column);
}

// Looks at the rows of a table; the cells of a row count when the row is through.
class row_checker {
 public:
  row_checker(const csv_table& table, const std::vector<cell_check>& checks)
      : facts(table.names.size()), table_(table), checks_(checks), types_(table.names.size()) {}

  /// \throws invalid_argument saying what is wrong with the row
  void check(std::string_view row) {
    if (table_.comment && row.starts_with(*table_.comment))
      refuse("a comment among the rows (allowed: in front of the header; or --bad-rows=last or drop)");
    csv_cells cells(row, table_.dialect);
    std::size_t column = 0;
    for (csv_cell cell; cells.next(cell); ++column)
      if (column < checks_.size() && checks_[column] != cell_check::nothing)
        look_at(text_of(cell, scratch_), column);
    if (column != table_.names.size())
      refuse("{} cell{}, but the {} has {}", column, column == 1 ? "" : "s",
             table_.header.empty() ? "first row" : "header", table_.names.size());
    for (std::size_t c = 0; c < checks_.size(); ++c)
      if (checks_[c] != cell_check::nothing)
        count(types_[c], facts[c]);
  }

  std::vector<column_facts> facts;

 private:
  void look_at(std::string_view text, std::size_t column) {
    // A column that has shown text stays one: what its other cells are does not matter, but whether they are empty.
    const bool settled = checks_[column] == cell_check::detect && facts[column].texts > 0;
    types_[column] = is_empty(text) ? cell_type::empty : settled ? cell_type::text : type_of_filled(text);
    need(checks_[column], types_[column], text, table_.names[column]);
  }

  const csv_table& table_;
  const std::vector<cell_check>& checks_;
  std::vector<cell_type> types_;
  std::string scratch_;
};

// Takes rows out of the table, which keeps its text and loses their places in it.
void take_out(csv_table& table, const std::vector<std::size_t>& bad) {
  byte_buffer text;
  text.reserve(table.rows.text.size() + 1, table.name());
  record_starts starts(table.rows.size() - bad.size() + 1, table.rows.text.size() + 1);
  std::vector<csv_part> parts = table.parts;
  starts.set(0, 0);
  std::size_t kept = 0;
  auto next_bad = bad.begin();
  for (std::size_t row = 0; row < table.rows.size(); ++row) {
    const std::string_view record = table.rows[row];
    if (next_bad != bad.end() && *next_bad == row) {
      ++next_bad;
      table.bad_rows.append(record).append(1, '\n');
      table.removed.push_back({kept, 1 + static_cast<std::uint64_t>(std::count(record.begin(), record.end(), '\n'))});
      for (std::size_t i = 0; i < parts.size(); ++i)
        parts[i].first_row -= table.parts[i].first_row > row ? 1 : 0;
      continue;
    }
    std::copy(record.begin(), record.end(), text.end());
    text.end()[record.size()] = '\n';
    text.grow(record.size() + 1);
    starts.set(++kept, text.size());
  }
  std::string name = table.name();
  table.parts = std::move(parts);
  table.source = input::of_buffer(std::move(name), std::move(text));
  table.rows.text = table.source.bytes();
  table.rows.starts = std::move(starts);
}

} // namespace

std::string_view name_of(cell_type type) {
  switch (type) {
  case cell_type::empty:
    return "empty";
  case cell_type::integer:
    return "integer";
  case cell_type::number:
    return "number";
  case cell_type::time:
    return "time";
  default:
    return "text";
  }
}

column_facts& column_facts::operator+=(const column_facts& other) {
  empty += other.empty;
  integers += other.integers;
  numbers += other.numbers;
  times += other.times;
  texts += other.texts;
  return *this;
}

cell_type column_facts::type() const {
  if (texts != 0 || (times != 0 && integers + numbers != 0))
    return cell_type::text;
  return times != 0      ? cell_type::time
         : numbers != 0  ? cell_type::number
         : integers != 0 ? cell_type::integer
                         : cell_type::empty;
}

cell_type type_of(std::string_view text) {
  return is_empty(text) ? cell_type::empty : type_of_filled(text);
}

std::vector<column_facts> check_csv(csv_table& table, const std::vector<cell_check>& checks, bad_rows rule,
                                    unsigned threads) {
  std::vector<column_facts> all(table.names.size());
  std::vector<std::size_t> bad;
  std::string complaint;
  std::mutex lock;
  parallel_slices(threads, table.rows.size(), slice_rows, [&](std::size_t begin, std::size_t end) {
    row_checker checker(table, checks);
    std::vector<std::size_t> wrong;
    std::string first_wrong;
    for (std::size_t row = begin; row < end && (wrong.empty() || rule != bad_rows::refuse); ++row) {
      try {
        checker.check(table.rows[row]);
      } catch (const invalid_argument& error) {
        if (wrong.empty())
          first_wrong = error.what();
        wrong.push_back(row);
      }
    }
    const std::lock_guard guard(lock);
    if (!wrong.empty() && (bad.empty() || wrong.front() < *std::min_element(bad.begin(), bad.end())))
      complaint = first_wrong;
    bad.insert(bad.end(), wrong.begin(), wrong.end());
    for (std::size_t c = 0; c < all.size(); ++c)
      all[c] += checker.facts[c];
  });
  if (bad.empty())
    return all;
  std::sort(bad.begin(), bad.end());
  if (rule == bad_rows::refuse) {
    const csv_place place = place_of(table, bad.front());
    fail(place.file, "line {}: {}", place.line, complaint);
  }
  take_out(table, bad);
  return all;
}

namespace {

bool contradict(const column_facts& facts, cell_check settled) {
  const bool other = facts.texts != 0;
  return (settled == cell_check::require_number && (other || facts.times != 0)) ||
         (settled == cell_check::require_time && (other || facts.integers + facts.numbers != 0));
}

} // namespace

void check_later_rows(csv_table& table, const later_checks& checks, bad_rows rule, unsigned threads) {
  if (rule == bad_rows::refuse) {
    check_csv(table, checks.settled, rule, threads);
    return;
  }
  const std::vector<column_facts> facts = check_csv(table, checks.demanded, rule, threads);
  for (std::size_t c = 0; c < facts.size(); ++c)
    if (checks.demanded[c] == cell_check::detect && contradict(facts[c], checks.settled[c]))
      check_csv(table, checks.settled, bad_rows::refuse, threads); // names the line
}

} // namespace sortile::files
