// Sorts over growing n, each as far as it may and as is worth waiting for: what crossings and the comparison with CUB
// have in common.
#pragma once

#include "bench/classics/experiment.hpp"

namespace sortile::experiments {

struct size_series {
  std::vector<const classics::classic*> members;
  unsigned first_log = 10, last_log = 26, log_step = 2;
  double seconds_a_run = 1; ///< the size at which a classic's runs were measured to take longer is its last
};

/// A facet a family; the library's sort, CUB's sort and scan and Thrust's sorts in the facet "references".
points run_over_sizes(workbench& bench, const size_series& wanted);

inline constexpr const char* references = "references";

/// The chart of some families and the references, time over n.
plot::chart chart_over_sizes(const points& all, const std::vector<std::string>& families, const std::string& name,
                             const std::string& title, const testing::facts& environment);

} // namespace sortile::experiments
