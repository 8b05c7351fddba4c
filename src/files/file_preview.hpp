// What a file holds, for people: its columns or fields, their types, how many records, and by what it is sorted.
#pragma once

#include "files/array_file.hpp"
#include "files/csv_check.hpp"
#include "files/fixed_records.hpp"
#include "files/record_table.hpp"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

namespace sortile::files {

/// A column of a table, a field of a record, or the one key of a plain array.
struct column_preview {
  std::string name;
  std::string type;        ///< "integer", "text", …; of arrays the dtype or key type
  std::uint64_t empty = 0; ///< cells without text
  std::string order;       ///< "ascending", "descending", "constant"; empty: none of them
};

struct file_preview {
  std::string record; ///< what a record of it is called
  std::uint64_t records = 0;
  std::vector<std::pair<std::string, std::string>> facts; ///< in the words that are shown
  std::vector<column_preview> columns{};
  std::vector<std::string> sorted_by{}; ///< options of sort under which it is in order; "" for none
};

/// A column of a table that orders rows.
struct ordered_column {
  std::size_t column = 0;
  bool descending = false;
};
/// Whether the rows are in order by these columns, the first deciding; `strict`: and none is equal to the one before.
using column_order_test = std::function<bool(const std::vector<ordered_column>& by, bool strict)>;
/// Finds the order of each of these columns, and by what --by the table is in order.
void find_orders(file_preview& preview, const std::vector<std::size_t>& columns, const column_order_test& in_order);

file_preview preview_lines(const record_table& lines, unsigned threads);
/// \param table  loses its bad rows, which are counted
file_preview preview_table(csv_table& table, unsigned threads);
/// A .npy file, read whole.
file_preview preview_npy(input source, unsigned threads);
file_preview preview_raw(const array_file& array, unsigned threads);
/// Records of one size, of which nothing but the order is known.
file_preview preview_records(const fixed_records& file, unsigned threads);

} // namespace sortile::files
