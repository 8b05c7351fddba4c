// The one format of kept results: what the benches of the CPU, of the GPU and of the gallery write and read.
// bench/results/README.md describes it.
#pragma once

#include "testing/facts.hpp"

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace sortile::testing {

/// One contender on one input.
struct result_row {
  std::string type;     ///< what is sorted: "u32", "u64+u32", "u64 index"
  std::string workload; ///< as workload_named() takes it
  std::uint64_t n = 0;
  std::string contender;
  facts labels{};                          ///< what else tells rows apart: the experiment, the cache's state, …
  double median = 0;                       ///< seconds; 0 where there is no time
  double noise = 0;                        ///< as a share of the median
  std::map<std::string, double> figures{}; ///< counted, or known beforehand
  std::string note{};                      ///< why there is no time, or what one has to know about it
  std::vector<double> seconds{};           ///< every timed run, in order; may be left out
};

struct results_file {
  std::string suite;   ///< who wrote it: "cpu", "gpu", "classics"
  facts environment{}; ///< host, GPU, versions, revision, date
  facts settings{};    ///< of the run: quick, threads, seed
  std::vector<result_row> rows{};
};

std::string text_of(const results_file& all);
/// \throws invalid_argument, saying where, if the text is no such file of the suite
results_file results_in(std::string_view text, std::string_view suite);

} // namespace sortile::testing
