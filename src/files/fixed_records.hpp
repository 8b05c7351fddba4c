// Records of one size, ordered by several ranges of their bytes: plain ones, and those of .npy files whose keys the
// library does not have as types, or that have several keys.
#pragma once

#include "files/array_file.hpp"
#include "files/input.hpp"
#include "files/npy.hpp"
#include "files/record_order.hpp"
#include "files/record_table.hpp"

#include <sortile/options.hpp>

#include <cstddef>
#include <string>
#include <vector>

namespace sortile::files {

struct fixed_records {
  input source;
  std::string_view header; ///< of a .npy file; goes first
  std::string descr;       ///< the dtype of a .npy file
  std::size_t record_bytes = 0;
  record_table records;
  record_order order;

  const std::string& name() const { return source.name(); }
};

/// Plain records. `keys` as parse_range_key() reads them; none: the whole record by bytes.
/// \throws invalid_argument; io_failure where the file is no whole number of records
fixed_records open_records(input source, std::size_t record_bytes, const std::vector<std::string>& keys, bool reverse,
                           unsigned threads);

/// The order of plain records. \throws invalid_argument where a key is malformed or reaches beyond the record
record_order order_of_ranges(std::size_t record_bytes, const std::vector<std::string>& keys, bool reverse);

/// The records of a .npy file; `keys` are fields, none: the first. A key may end in :asc or :desc.
fixed_records open_npy_records(input source, const std::vector<std::string>& keys, bool reverse, unsigned threads);

/// The order of the records of a .npy file. \throws io_failure where a field is missing or cannot be ordered
record_order order_of_fields(const npy_header& header, const std::vector<std::string>& keys, bool reverse,
                             std::string_view name);

/// The order of an array's keys within their records: that of the library.
record_order order_of_keys(const array_layout& layout, const options& opts);

/// An array as records, ordered by its keys.
fixed_records as_records(array_file array, const options& opts);

/// \throws io_failure where `data_bytes` behind `header_bytes` are no whole number of records
void need_whole_records(std::string_view name, std::uint64_t header_bytes, std::uint64_t data_bytes,
                        std::size_t record_bytes);

/// Whether a .npy file with these keys is sorted as records, and not as keys of the library. \param bytes  its header
/// at least. \throws io_failure
bool needs_records(std::string_view bytes, std::string_view name, const std::vector<std::string>& keys);

/// How records are ordered by a field.
key_part part_of(const npy_field& field, bool reverse);

} // namespace sortile::files
