// Every row of a table, looked at once: is it well formed, and what do the cells of each column hold?
#pragma once

#include "files/csv.hpp"

#include <cstdint>
#include <string_view>
#include <vector>

namespace sortile::files {

/// What is asked of the cells of a column.
enum class cell_check : std::uint8_t {
  nothing,
  detect,                   ///< what are they?
  require_number,           ///< they must be numbers or empty
  require_time,             ///< they must be dates and times, or empty
  require_semantic_version, ///< they must be such, or empty
};

enum class cell_type : std::uint8_t { empty, integer, number, time, text };
std::string_view name_of(cell_type type);

/// How many cells of a column are what, in well-formed rows.
struct column_facts {
  std::uint64_t empty = 0;
  std::uint64_t integers = 0;
  std::uint64_t numbers = 0; ///< that are no integers
  std::uint64_t times = 0;
  std::uint64_t texts = 0;

  column_facts& operator+=(const column_facts& other);
  /// What all cells that are not empty are.
  cell_type type() const;
  bool is_numeric() const { return type() == cell_type::integer || type() == cell_type::number; }
};

/// What becomes of rows that are malformed, have another number of cells than the header, are comments, or hold
/// something else than they must.
enum class bad_rows : std::uint8_t { refuse, last, drop };

/// Looks at every row; `checks` has one entry a column. Bad rows are taken out of the table, unless they are refused.
/// \return one entry a column, of use where it was looked at
/// \throws io_failure naming the line of the first bad row, where they are refused
std::vector<column_facts> check_csv(csv_table& table, const std::vector<cell_check>& checks, bad_rows rule,
                                    unsigned threads);

/// What rows are looked at for that come when the types of the columns are settled: one entry a column.
struct later_checks {
  std::vector<cell_check> demanded; ///< `detect` where the first rows have told what the column holds
  std::vector<cell_check> settled;  ///< of such columns too, what it holds
};

/// check_csv() of such rows. A cell that contradicts what the first rows have told makes no bad row: it is refused.
void check_later_rows(csv_table& table, const later_checks& checks, bad_rows rule, unsigned threads);

/// What kind of cell a text is.
cell_type type_of(std::string_view text);

} // namespace sortile::files
