// Merges sorted text files into one, record by record: memory for one buffer an input, whatever their size.
#pragma once

#include "files/fixed_records.hpp"
#include "files/output.hpp"
#include "files/record_order.hpp"
#include "files/record_reader.hpp"

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <vector>

namespace sortile::files {

struct merge_rules {
  record_order order;
  char delimiter = '\n';
  bool unique = false;             ///< of records equal in the order, only the first
  std::uint64_t most = UINT64_MAX; ///< records that are written: then the merge ends
  bool trusted = false;            ///< as sort -m: inputs out of order are merged as they come
  std::function<void(std::string_view)>
      validate{}; ///< called for every record; throws invalid_argument where it is malformed
  std::function<void(std::string_view, output&)> write{}; ///< in place of the record and its delimiter
  /// In place of `write`, with `unique`: how many equal records the first of them stands for.
  std::function<void(std::string_view, std::uint64_t, output&)> write_counted{};
  std::function<void(std::uint64_t)> written{}; ///< called now and then with the bytes of the records that are through
  std::string line_end{}; ///< put behind a last record whose end is missing, unless it ends so: "\r" in CRLF files
};

/// Merges what the readers still hold. Stable: of equal records, those of the earlier input come first. O(records · log
/// inputs) comparisons. \return how many were written
/// \throws io_failure naming file and line where an input is not in order
std::uint64_t merge_records(std::vector<std::unique_ptr<record_reader>>& inputs, const merge_rules& rules, output& to);

/// The same with records of one size, which are in memory. The delimiter and line ends of the rules take no part.
std::uint64_t merge_fixed(std::span<const fixed_records> inputs, const merge_rules& rules, output& to);

} // namespace sortile::files
