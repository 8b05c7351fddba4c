// What a benchmark of sorts asks of its output: records, checksum, equal keys, the first disorder.
#pragma once

#include "files/record_order.hpp"
#include "files/record_table.hpp"

#include <cstdint>
#include <optional>

namespace sortile::files {

struct record_summary {
  std::uint64_t records = 0;
  uint128 checksum = 0;         ///< the sum of the CRC-32 of every record: the same in any order
  std::uint64_t duplicates = 0; ///< records whose key is that of the record before
  std::optional<std::size_t> first_duplicate{};
  std::optional<std::size_t> first_disorder{};
};

record_summary summarize(const record_table& records, const record_order& order, unsigned threads);

/// In hexadecimal digits without zeros in front.
std::string checksum_text(uint128 checksum);

} // namespace sortile::files
