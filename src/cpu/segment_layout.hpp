// How a sort within segments uses its workspace: fixed by the types, the threads, the longest segment and all elements.
//
// One thread sorts a segment of up to alone_limit elements, in an area of its own. All threads sort longer ones, one
// after the other, in the shared area, which is the same memory.
//
//   workspace   [ transposed keys | values | results ]  [ area of worker 0 | of worker 1 | … ]   or   [ shared area ]
//   an area     [ radix scratch | spare keys | spare values | keys without output | positions | gathered values ]
#pragma once

#include "cpu/radix_job.hpp"

#include <sortile/segments.hpp>

#include <cstddef>

namespace sortile::cpu {

/// How values come along: as they are, as positions that the sort makes, or gathered by position at a segment's end
/// (widths that the radix sort does not move).
enum class segment_values { none, direct, indices, gathered };

/// What the layout has to be enough for.
struct segment_extent {
  std::size_t longest = 0;
  std::size_t elements = 0;
  bool anywhere = false; ///< also for other places of the arrays than those of the request
};

struct segment_layout {
  struct area {
    std::size_t spare_keys = 0, spare_values = 0, unwanted_keys = 0, positions = 0, gathered = 0; ///< offsets
    std::size_t bytes = 0;
  };

  segment_values handling = segment_values::none;
  std::size_t value_width = 0; ///< of the radix sort
  std::size_t local_limit = 0; ///< elements of a local sort
  std::size_t alone_limit = 0; ///< elements that one thread sorts
  unsigned workers = 1;
  area own, shared;
  std::size_t keys = 0, values = 0, values_out = 0; ///< offsets of transposed arrays
  std::size_t areas = 0;
  std::size_t bytes = 0;

  segment_layout(const segmented_request& request, unsigned threads, const segment_extent& extent);
};

} // namespace sortile::cpu
