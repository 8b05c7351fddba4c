// What the GPU engine has to reach, and so the rows of `sortile bench gpu`: one table, a line a row.
#pragma once

#include "bench/gpu/sort_row.hpp"

#include <optional>

namespace sortile::bench {

/// At least so many times as fast as CUB; or at most so many microseconds; or at least such a share of the rate of
/// copies from and to pinned memory.
struct target {
  double ratio = 1;
  double microseconds = 0; ///< where set, it counts in place of the ratio
  double pinned_share = 0; ///< likewise

  bool is_time() const { return microseconds > 0; }
  bool is_share() const { return pinned_share > 0; }
};

inline constexpr target never_slower{};
inline constexpr target copies_at_60_percent{.pinned_share = 0.6};

/// Where nothing else is asked for: never slower than CUB, or, in host memory, 60 % of the pinned copy rate.
inline constexpr target usual_target(const sort_kind& kind) {
  return kind.in_host_memory ? copies_at_60_percent : never_slower;
}

struct target_line {
  std::string_view group, kind, workload;
  unsigned log_n;
  target wanted = never_slower;

  sort_row row() const;
};

/// Grouped, in the order in which tables show them.
std::span<const target_line> all_targets();
/// The groups' names, in order.
std::span<const std::string_view> all_target_groups();

/// The line of a row; null where the table has none.
const target_line* find_target(const sort_row& row);

/// What a row has to reach on a GPU of this name: some ask for more on faster memory.
target target_on(std::string_view gpu, const target_line& line);

} // namespace sortile::bench
