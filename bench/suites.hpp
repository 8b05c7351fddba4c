// Which rows a run of the benchmark measures, by name.
#pragma once

#include "bench/row.hpp"

#include <string>
#include <vector>

namespace sortile::bench {

struct suite {
  std::string name;
  std::string description;
  std::vector<row_spec> rows;
  std::vector<std::string> rivals{}; ///< as in bench_options
  double budget_seconds = 1;         ///< as in bench_options
};

std::vector<suite> all_suites();

} // namespace sortile::bench
