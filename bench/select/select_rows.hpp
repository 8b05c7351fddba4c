// The rows of the bench of selections: which there are, and how one is measured.
#pragma once

#include "testing/results.hpp"

#include <sortile/types.hpp>

#include <cstdint>
#include <string>
#include <vector>

namespace sortile::bench {

enum class selection { top_k, quantiles, in_place };

/// In the order of the enumerators, as options and rows name them.
inline constexpr const char* selection_names[] = {"top-k", "quantiles", "in-place"};
inline constexpr key_type selection_types[] = {key_type::u32, key_type::f32, key_type::u64};

struct selection_row {
  selection kind;
  key_type type;
  std::string workload;
  std::uint64_t n; ///< of one of the rows
  std::uint64_t k; ///< how many keys, or quantiles
  std::uint64_t rows = 1;

  /// "top-k of u32 uniform, n = 2^20, k = 10".
  std::string name() const;
  bool operator==(const selection_row&) const = default;
};

/// All of them: uniform keys, and other workloads where there is one size of each.
std::vector<selection_row> selection_rows();

/// What was measured of one row, in the format of all results: the times are medians; `rounds` of them where calls can
/// be repeated.
std::vector<testing::result_row> measured(const selection_row& row, unsigned rounds);

/// A line for people.
std::string line_of(const testing::result_row& row);

} // namespace sortile::bench
