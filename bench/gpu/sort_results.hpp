// What `sortile bench gpu` measured, and the file that it is kept in.
#pragma once

#include "bench/gpu/sort_row.hpp"
#include "testing/facts.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace sortile::bench {

/// How one contestant did in a row.
struct sort_standing {
  std::string name;                ///< "sortile", the row's rival_of(), or a sort of the engine by itself: "lsd", …
  std::size_t workspace_bytes = 0; ///< beside input and output
  double bytes_moved = 0;          ///< read plus written, by the contestant's own plan; 0 where keys decide. Of arrays
                                   ///< in host memory: to the device and back
  double seconds = 0;              ///< median
  double noise = 0;                ///< as a share of the median
  std::vector<double> runs{};      ///< seconds, in the order in which they were run
  std::string complaint{};         ///< why there is no time: a wrong result, an error
};

struct sort_result {
  sort_row row;
  bool cold = false; ///< the L2 cache was filled with other data before each run
  std::vector<sort_standing> standings;

  /// Null where there is none of that name.
  const sort_standing* find(std::string_view name) const;
};

struct sort_results {
  testing::facts environment; ///< host, GPU, driver, toolkit, CUB, copy rate, an empty kernel's time
  bool quick = false;         ///< small inputs: figures that mean little
  /// A figure is the time of one call on an idle GPU; otherwise of one among several in a row, which hides launches.
  bool single_calls = true;
  std::vector<sort_result> rows;

  /// The result of a row; null where it was not measured.
  const sort_result* find(const sort_row& row, bool cold) const;
};

/// In the format of testing/results.hpp: a row a standing.
std::string json_of(const sort_results& all);
/// \throws invalid_argument where the text is no such file, saying where
sort_results sort_results_of(std::string_view json);

} // namespace sortile::bench
