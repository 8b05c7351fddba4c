// The contenders of sortile bench, each on its own copy of the same keys.
#pragma once

#include "testing/race.hpp"
#include "testing/workloads.hpp"

#include <sortile/options.hpp>

#include <vector>

namespace sortile::cli {

struct bench_data {
  testing::workload workload;
  testing::array_shape shape;
  std::size_t value_bytes = 0; ///< 0: keys alone; else 4 or 8
};

/// sortile first, then std::sort (keys alone), std::stable_sort and qsort. Results are compared key by key.
/// \throws error where a result is wrong
std::vector<testing::timing> race_array_sorts(const bench_data& data, const options& opts,
                                              const testing::race_options& how);

} // namespace sortile::cli
