// The ranks of a column's values where they are few: 10 bits for a thousand prices, where their bits span 62.
//
// A column with few values in many rows is common in tables: codes, dates, prices in cents. A sample finds out whether
// it may be one. Then every worker puts the values of the rows that it takes into a hash table of its own, the tables'
// values together are sorted, and a table gives the rank of each. The sample only decides what is tried: a table that
// grows too large ends the attempt, mostly after few rows.
//
// The tables are open addressing with a multiplicative hash, at most a quarter full, and grow with their values: some
// thousand stay in a core's L2 cache. Cost: two look-ups a row.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace sortile::cpu {

class value_ranks {
 public:
  static constexpr std::size_t most = std::size_t{1} << 14; ///< values
  static constexpr std::size_t sample = 1024;

  value_ranks() : entries_(std::size_t{1} << least_bits) {}
  /// Ascending values get the ranks 0, 1, …; descending: the greatest has rank 0.
  value_ranks(const std::vector<std::uint64_t>& ascending, bool descending);

  /// Whether a column of which `drawn` is a sample may have few values. Sorts it.
  static bool may_be_few(std::vector<std::uint64_t>& drawn);

  /// Puts a value in, where it is new with this rank; false where there are too many.
  bool insert(std::uint64_t value, std::uint32_t rank = 0) {
    const entry& e = entries_[slot_of(value)];
    return (e.is_used && e.value == value) || insert_new(value, rank);
  }
  std::size_t size() const { return values_; }
  void append_to(std::vector<std::uint64_t>& values) const;

  /// Of a value that was put in.
  std::uint32_t operator[](std::uint64_t value) const {
    std::size_t slot = slot_of(value);
    while (entries_[slot].value != value)
      slot = (slot + 1) % entries_.size();
    return entries_[slot].rank;
  }

 private:
  static constexpr unsigned least_bits = 10;

  struct entry {
    std::uint64_t value = 0;
    std::uint32_t rank = 0;
    bool is_used = false;
  };

  std::size_t slot_of(std::uint64_t value) const {
    return static_cast<std::size_t>(value * 0x9e3779b97f4a7c15u >> unused_bits_);
  }
  bool insert_new(std::uint64_t value, std::uint32_t rank);
  void place(const entry& e);

  std::vector<entry> entries_;
  std::size_t values_ = 0;
  unsigned unused_bits_ = 64 - least_bits;
};

} // namespace sortile::cpu
