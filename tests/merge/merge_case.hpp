// A merge as a test makes it: on guarded buffers, checked against a stable sort of the runs laid end to end.
#pragma once

#include "testing/guarded_buffer.hpp"
#include "testing/verify.hpp"
#include "testing/workloads.hpp"

#include <sortile/request.hpp>

#include <string>
#include <vector>

namespace sortile::testing {

struct merge_case {
  ordering by;
  std::vector<std::size_t> lengths{};
  std::size_t value_bytes = 0;
  std::string workload = "uniform";
  std::uint64_t seed = 1; ///< of odd ones values are aligned to their size, of even ones to nothing
  unsigned threads = 0;
  std::string engine{};
  const array_memory* where = nullptr; ///< null: in host memory; else in this, as memory::device
};

std::string to_string(const merge_case& c);

/// Merges, with a workspace of exactly as many bytes as are said where there is one, and checks every byte. Runs lie in
/// memory in the reverse of their order.
verdict check_merge(const merge_case& c);

/// A merge drawn from a seed: any type, direction, window, values and lengths, of at most largest_n elements.
merge_case random_merge(std::uint64_t seed, std::size_t largest_n);

} // namespace sortile::testing
