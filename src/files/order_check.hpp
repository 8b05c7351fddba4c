// Checks files of any size: are their records in order, and what do they hold?
#pragma once

#include "files/external/run_reader.hpp"
#include "files/multiset.hpp"
#include "files/record_order.hpp"
#include "files/record_summary.hpp"
#include "files/record_table.hpp"

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace sortile::files {

/// What is to be found out of records.
struct check_rules {
  record_order order;
  bool strict = false;  ///< a record whose key repeats that of the one before is out of order too
  bool to_end = false;  ///< reads on behind the first disorder, so that `bytes` are those of the whole input
  bool summary = false; ///< all of `records` and `facts`, to the end
  bool sum = false;     ///< `sum`, where all are in order
};

/// A record that is out of order, with the one before it.
struct found_disorder {
  std::uint64_t record = 0; ///< its number, from 0
  std::string text, before;
};

struct check_result {
  std::uint64_t records = 0; ///< that were looked at
  std::uint64_t bytes = 0;   ///< that a reader has read
  record_summary facts;      ///< without its positions
  multiset_sum sum;
  std::optional<found_disorder> disorder; ///< the first
};

/// Memory that is enough for a piece.
inline constexpr std::size_t check_memory = std::size_t{1} << 26;

/// Looks at what the reader hands out, piece by piece, so that no input is in memory as a whole.
/// \param cut  cuts a piece into records
check_result check_records(run_reader& reader, const std::function<record_table(std::string_view)>& cut,
                           const check_rules& rules, unsigned threads);
/// The same for records that are made piece by piece. \param next  makes the next piece; an empty one is the end
check_result check_records(const std::function<record_table()>& next, const check_rules& rules, unsigned threads);

} // namespace sortile::files
