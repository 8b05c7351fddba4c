// The ranks of a column's values where they are few: 10 bits for a thousand prices, where their bits span 62.
//
// A column with few values in many rows is common in tables: codes, dates, prices in cents. A sample finds out whether
// it may be one. Then every worker numbers the values of the rows that it takes, in the order in which it meets them,
// by a hash table of its own; the tables' values together are sorted, and numbers become ranks. The sample only decides
// what is tried: a table that grows too large ends the attempt, mostly after few rows.
//
//   column    9.99 2.50 2.50 | 7.00 9.99 2.50      two workers
//   numbers      0    1    1 |    0    1    2
//   ranks        2    0    0 |    1    2    0      of 2.50 7.00 9.99
//
// The tables are open addressing with a multiplicative hash, at most a quarter full, and grow with their values: some
// thousand stay in a core's L2 cache. Cost: a look-up a row; the ranks take two bytes a row.
#pragma once

#include "cpu/memory_slots.hpp"

#include <cstddef>
#include <cstdint>
#include <span>

namespace sortile::cpu {

/// What a sample says of a column.
struct value_sample {
  unsigned bits = 0;       ///< that its values span, less those that end all of them alike; the column's are no fewer
  bool may_be_few = false; ///< and its bits so many that ranks take fewer
};
value_sample look_at(std::span<std::uint64_t> drawn); ///< sorts it

class value_numbers {
 public:
  static constexpr std::size_t most = std::size_t{1} << 14; ///< values
  static constexpr std::size_t sample = 1024;

  value_numbers() : entries_(std::size_t{1} << least_bits) {}

  /// The number of a value, the next one where it is new; `most` where there are too many.
  std::uint16_t operator()(std::uint64_t value) {
    const entry& e = entries_[slot_of(value)];
    return e.value == value && e.after != 0 ? static_cast<std::uint16_t>(e.after - 1) : find_or_add(value);
  }

  /// By their numbers.
  const call_vector<std::uint64_t>& values() const { return values_; }

 private:
  static constexpr unsigned least_bits = 10;

  struct entry {
    std::uint64_t value = 0;
    std::uint32_t after = 0; ///< the number after the value's; 0: free
  };

  std::size_t slot_of(std::uint64_t value) const {
    return static_cast<std::size_t>(value * 0x9e3779b97f4a7c15u >> unused_bits_);
  }
  std::uint16_t find_or_add(std::uint64_t value);
  void grow();
  entry& free_slot_for(std::uint64_t value);

  call_vector<entry> entries_;
  call_vector<std::uint64_t> values_;
  unsigned unused_bits_ = 64 - least_bits;
};

/// For each worker the ranks of its numbers; nothing where the values are too many. descending: the greatest has rank
/// 0.
struct value_ranks {
  call_vector<call_vector<std::uint16_t>> of_worker;
  std::size_t values = 0;
};
value_ranks rank(const call_vector<value_numbers>& numbers, bool descending);

} // namespace sortile::cpu
