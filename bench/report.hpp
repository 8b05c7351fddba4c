// What a run of the benchmark shows and writes.
#pragma once

#include "bench/row.hpp"
#include "testing/environment.hpp"

#include <string>
#include <vector>

namespace sortile::bench {

/// One row with all its contenders, fastest first.
std::string detail(const row& r);

/// A table of all rows: sortile against the best rival and against std::sort and std::stable_sort.
std::string summary(const std::vector<row>& rows);

/// The raw results with the environment; bench/results/README.md describes the format.
std::string json(const std::vector<row>& rows, const bench_options& how, const testing::environment& where);

} // namespace sortile::bench
