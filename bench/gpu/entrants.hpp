// Who takes part in a row of the GPU benchmark: the library through its front door, CUB, and the sorts among which the
// engine chooses, each by itself: what the choice is made from.
#pragma once

#include "bench/gpu/contestant.hpp"
#include "bench/gpu/sort_row.hpp"
#include "simt/queue.hpp"

#include <functional>
#include <vector>

namespace sortile::bench {

struct entrant {
  contestant work;
  double bytes_moved = 0; ///< by its plan; 0 where the keys decide
  /// Where set: whether the run that has ended gave the keys away and left the output alone.
  std::function<bool()> declined{};
};

/// Where the work of all entrants is queued.
inline simt::queue default_queue() {
  return simt::queue::cuda(nullptr);
}

/// Makes an entrant of a request for arrays in device memory. \throws what the sort's own checks throw
using entrant_maker = entrant (*)(const sort_row& row, const sort_request& request);

struct named_entrant {
  const char* name;
  entrant_maker make;
};

entrant make_sortile(const sort_row& row, const sort_request& request);
/// CUB's request has a place for keys and values even where sortile makes or leaves them.
entrant make_cub(const sort_row& row, const sort_request& request);

/// The engine's sorts that take such a row on this GPU.
std::vector<named_entrant> engine_sorts_for(const sort_row& row, const sort_request& request);

} // namespace sortile::bench
