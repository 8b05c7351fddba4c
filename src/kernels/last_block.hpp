// The last of several blocks to come to a place goes on with what all of them have written.
#pragma once

#include "simt/simt.hpp"

namespace sortile::kernels::inline SORTILE_BACKEND {

/// Whether this block is the last of `all` that come here: then it sees what the others have written before. `came[at]`
/// is 0 before the first. By all threads of a block; a barrier before and behind, in `last` the answer.
template <class Counter>
SORTILE_DEVICE bool comes_last(const simt::global<Counter>& came, std::uint64_t at, Counter all,
                               simt::shared_value<std::uint32_t>& last) {
  simt::block_barrier();
  if (simt::thread_index() == 0)
    last = came.fetch_add(at, Counter{1}, simt::acq_rel) + 1 == all ? 1 : 0;
  simt::block_barrier();
  return last != 0;
}

} // namespace sortile::kernels::inline SORTILE_BACKEND
