// The first k keys of each segment in the memory that a queue's kernels see: which way, how much workspace, and the
// launches.
//
//   blocks  k fits a block's shared memory: a block a segment, one launch, whatever the lengths are (select_rows.hpp)
//   sort    k is larger, or segments are so short that a block is too much for one: all keys are sorted within their
//           segments, in the workspace, and the first ones copied
//
// The list of launches depends on n, k, the number of segments and the types. Positions travel in place of values,
// which are gathered at the end.
#pragma once

#include "gpu/segmented_sort.hpp"
#include "kernels/select/row_numbers.hpp"

#include <sortile/select.hpp>

namespace sortile::gpu {

class device_segment_select {
 public:
  /// A request that the front door has checked.
  device_segment_select(const segmented_top_k_request& request, const options& opts);

  /// Whether nothing is to be done.
  bool nothing() const { return way_ == way::nothing; }
  /// Enough for the request, wherever its arrays lie.
  std::size_t workspace_bytes() const { return layout_.bytes; }
  void add_steps(std::vector<plan_step>& steps) const;

  /// Queues the selection. `workspace`: workspace_bytes() bytes, aligned to workspace_alignment. Allocates nothing.
  void launch(const simt::queue& q, void* workspace) const;

 private:
  enum class way { nothing, blocks, sort };
  struct layout {
    std::size_t positions_out = 0; ///< of all segments, where values are gathered by them
    std::size_t sorted = 0, sorted_positions = 0, sort = 0, bytes = 0;
  };

  static way way_of(const segmented_top_k_request& request);
  bool gathers() const { return request_.arrays.carries == payload::values; }
  unsigned position_bytes() const;
  segmented_request sort_of(std::byte* workspace) const;
  kernels::row_numbers results() const;
  template <class Word>
  void launch_blocks(const simt::queue& q, std::byte* workspace) const;
  void launch_sort(const simt::queue& q, std::byte* workspace) const;
  void gather(const simt::queue& q, std::byte* workspace) const;
  void* positions_out(std::byte* workspace) const;

  segmented_top_k_request request_;
  options options_; ///< order and bits alone
  way way_;
  layout layout_{};
};

} // namespace sortile::gpu
