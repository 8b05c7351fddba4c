// The stable merge of sorted runs of the library's keys, of 32, 64 and 128 bits: any_order/merge_list.hpp by the order
// of the keys' images. Plain C++.
//
// Asynchronous on the queue; allocates nothing; the list of runs is read before the call returns, and a captured graph
// holds it.
#pragma once

#include "kernels/any_order/merge_plan.hpp"
#include "primitives/key_codec.hpp"
#include "simt/queue.hpp"

#include <sortile/request.hpp>

#include <span>

namespace sortile::kernels {

/// Arrays are aligned to their elements; outputs lie apart from everything.
template <class Word> // std::uint32_t, std::uint64_t, uint128
struct merge_runs_request {
  std::span<const sorted_run> runs{}; ///< in host memory
  key_codec<Word> codec;
  bool nan_last = false; ///< NaN behind all others in a descending order too; with whole keys
  Word* keys_out = nullptr;
  void* values_out = nullptr;
  unsigned value_bytes = 0;  ///< 0, 4 or 8
  bool numbered = false;     ///< values are the elements' numbers through all runs, in place of the runs' values
  list_merge_plan plan;      ///< of the runs that are not empty
  void* workspace = nullptr; ///< plan.bytes, aligned to 128
};

/// Throws invalid_argument, or simt::error where a launch is refused.
template <class Word>
void merge_runs(const simt::queue& q, const merge_runs_request<Word>& request);

} // namespace sortile::kernels
