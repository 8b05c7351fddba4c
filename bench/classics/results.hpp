// What the experiments measured: points, by experiment, with the environment; and the file that they are kept in.
#pragma once

#include "testing/facts.hpp"

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace sortile::experiments {

/// One measurement: a place in one of the tables and charts of an experiment.
struct point {
  std::string facet{};    ///< the table or chart: "without transfers", a family; empty where the experiment has one
  std::string series;     ///< the line or row: "radix-lab", "CUB"
  std::string category{}; ///< the column, where columns are names: "range:256"; empty where they are numbers
  double x = 0;           ///< the column, where columns are numbers
  std::uint64_t n = 0;
  std::string workload{};
  std::vector<double> seconds{};           ///< every timed run; empty where it was counted alone, or not run at all
  std::map<std::string, double> figures{}; ///< counted or derived: "sectors", "bytes a key"
  std::string note{};                      ///< why there is no time, or what one has to know about it

  double median() const; ///< 0 without a run
  double noise() const;  ///< the median distance from the median, as a share of it
  /// A figure. \throws invalid_argument naming it where there is none
  double figure(const std::string& name) const;
};

struct measured {
  std::string experiment;
  std::vector<point> points;
};

/// What one run measured.
struct results {
  testing::facts environment; ///< host, GPU, driver, toolkit, CUB, IPP, copy rate
  bool quick = false;         ///< small inputs: to see that it runs, not to be read
  std::vector<measured> experiments;
};

/// In the format of testing/results.hpp: a row a point, its series the contender.
std::string json_of(const results& all);
/// \throws invalid_argument where the text is no such file, saying where
results results_of(std::string_view json);

} // namespace sortile::experiments
