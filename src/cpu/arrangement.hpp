// How a sort request becomes a radix sort: what travels with the keys, and where everything lies in the workspace.
//
// The radix sort moves values of 4, 8 and 16 bytes. Others become these:
//   below 16 bytes   widened to the next of 4, 8, 16 in the workspace, sorted there, and narrowed into the output. That
//                    is two more passes over the values in memory order; a gather would miss the caches for nearly
//                    every value
//   above 16 bytes   positions are sorted, then the values are gathered once: a large value is worth its cache miss
//
//   workspace   [ radix scratch | spare keys | spare values | keys without output
//               | widened values or positions | gathered values ]
#pragma once

#include "cpu/radix_job.hpp"

#include <sortile/request.hpp>

#include <cstddef>

namespace sortile::cpu {

enum class value_handling { none, direct, indices, widened, gathered };

/// From n and the types alone; every offset is a multiple of workspace_alignment.
struct arrangement {
  value_handling handling = value_handling::none;
  std::size_t value_width = 0; ///< of the radix sort
  radix_layout layout;
  bool partitions = false;    ///< n is above the local limit: spare lanes are used
  bool double_buffer = false; ///< the output arrays are the spare lanes, the result lies in the input
  bool alone = false;         ///< keys alone, by vectors (vector_quicksort.hpp)
  bool quick = false;         ///< they are split in place, not partitioned
  bool in_place = false;      ///< the workspace is limited: sorted in the output arrays themselves (in_place.hpp)
  unsigned workers = 1;

  std::size_t scratch = 0;
  std::size_t spare_keys = 0;
  std::size_t spare_values = 0;
  std::size_t unwanted_keys = 0; ///< where keys go for which there is no output
  std::size_t moved_values = 0;  ///< widened values, or positions
  std::size_t gathered = 0;      ///< values on their way back to where they were, in place
  std::size_t bytes = 0;

  /// With opts.workspace_limit other than 0, of at most so many bytes. \throws workspace_too_small where that cannot be
  arrangement(const sort_request& request, const options& opts, unsigned threads);

 private:
  void take_quick(const sort_request& request, unsigned threads);
  void take_usual(const sort_request& request, unsigned threads);
  std::size_t take(std::size_t wanted);
  void stay_within(std::size_t limit, const sort_request& request, unsigned threads);
};

} // namespace sortile::cpu
