// Measures sorts of arrays in device memory on this machine's GPU: the library's, and CUB's beside it.
//
// In each row all contestants sort the same keys, taking turns, round after round. The clock: two events around one
// call, queued on an idle GPU, so that launches count; an empty kernel's reading is in the environment. Before each
// timed run either the same sort runs once (warm), or a buffer twice as large as the L2 cache is written (cold); arrays
// that are far larger than the cache need neither. All results are compared with CUB's, element by element, before
// anything is timed. Rows of host memory: host_sort.hpp.
#pragma once

#include "bench/gpu/sort_results.hpp"

#include <memory>

namespace sortile::bench {

struct sort_measuring {
  unsigned rounds = 7; ///< timed runs of each; small n take seven times as many
  bool cold = false;
  bool with_engine_sorts = false; ///< also the sorts among which the engine chooses, each by itself
};

class sort_bench {
 public:
  /// Looks at the current device. \throws engine_unusable in a build without CUDA; device_failure
  sort_bench();
  ~sort_bench();

  const testing::facts& environment() const;

  /// Failures, wrong results and lack of memory among them, are complaints in the result.
  sort_result measure(const sort_row& row, const sort_measuring& how);

 private:
  struct inside;
  std::unique_ptr<inside> inside_;
};

} // namespace sortile::bench
