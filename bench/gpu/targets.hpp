// What the GPU engine has to reach, and so the rows of `sortile bench gpu`: one table, a line a row.
#pragma once

#include "bench/gpu/sort_row.hpp"

#include <optional>

namespace sortile::bench {

/// Either at least so many times as fast as CUB, or at most so many microseconds.
struct target {
  double ratio = 1;
  double microseconds = 0; ///< where set, it counts in place of the ratio

  bool is_time() const { return microseconds > 0; }
};

/// Where nothing else is asked for: never slower than CUB.
inline constexpr target never_slower{};

struct target_line {
  std::string_view group, kind, shape;
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
