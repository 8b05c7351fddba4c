// How often each distinct record occurs, written beside it: in front of a line, as the last cell of a row, or as the
// last field of a .npy record.
#pragma once

#include "files/csv.hpp"
#include "files/npy.hpp"
#include "files/output.hpp"
#include "files/record_table.hpp"

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>

namespace sortile::files {

/// The name that counts have as a column or field.
inline constexpr std::string_view count_name = "count";

enum class count_place : std::uint8_t {
  in_front,   ///< seven places, a blank, the line: the form of uniq -c
  last_cell,  ///< behind a separator; in front of a CR that ends the row
  last_field, ///< 8 bytes behind the record
};

/// How a record and its count are written.
struct counted_form {
  count_place place = count_place::in_front;
  char separator = ','; ///< of a count that is a cell
};

/// Appends a record and its count to `to`, without a delimiter.
void append_counted(std::string_view record, std::uint64_t count, const counted_form& form, std::string& to);

/// Appends record ids[i], each with counts[i] and its delimiter. done(fraction) as in write_records().
void write_counted_records(const record_table& records, std::span<const std::uint32_t> ids,
                           std::span<const std::uint64_t> counts, const counted_form& form, output& to,
                           unsigned threads, const std::function<void(double)>& done = {});

/// What stands in front of the rows, the header having one column more. \throws invalid_argument where the table has a
/// column of that name
std::string prologue_with_count(const csv_table& table);

/// The dtype of records that have a count behind them; a plain element becomes the field `key`.
/// \throws invalid_argument where the records have a field of that name
std::string descr_with_count(const npy_header& header, std::string_view file);

/// Counts alone, as an array of u64: .npy or raw.
void write_counts(std::span<const std::uint64_t> counts, bool as_npy, output& to);

} // namespace sortile::files
