// Are two files permutations of each other?
//
// Records are hashed to 128 bits and the hashes are added up: a sum does not depend on the order. Different multisets
// of records have equal sums with a chance of about 2^-100 at most, and nobody can make such files on purpose: the hash
// is keyed with random bits at each start.
#pragma once

#include "files/record_table.hpp"

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace sortile::files {

struct multiset_sum {
  std::uint64_t records = 0;
  std::uint64_t low = 0;
  std::uint64_t high = 0;

  bool operator==(const multiset_sum&) const = default;
  multiset_sum& operator+=(const multiset_sum& other);
};

/// The sum over the records of a text. O(text) on `threads` threads.
multiset_sum sum_of_records(const record_table& records, unsigned threads);

/// The sum over records of equal size.
multiset_sum sum_of_records(std::string_view data, std::size_t record_bytes, unsigned threads);

} // namespace sortile::files
