// Partial sorts and nth_element, in place, in the memory that a queue's kernels see: which way, how much workspace, and
// the launches.
//
//   parts  a top-k into the workspace, with positions; the values of these gathered; the positions sorted; what stands
//          where the first ones go moved to where they come from (kernels/select/displace.hpp); the first ones copied
//          there. A top-k and what k elements cost
//   whole  all keys are first, or the others may stand anywhere (nth_element) and the top-k would sort all: a sort in
//          place
//
// An nth_element is a partial sort of nth + 1 keys. Where the end is nearer, it is one of n − nth keys in the opposite
// order, which go to the end: as long as keys that compare equal are equal in all bits. (Of zeros, NaNs and keys that
// differ outside of a bit window, a top-k from the end would take those with the lowest positions, where the stable
// sort has those with the highest ones.)
#pragma once

#include "gpu/device_select.hpp"

namespace sortile::gpu {

class device_partial_sort {
 public:
  /// Requests that the front door has checked.
  device_partial_sort(const partial_sort_request& request, const options& opts, const device_facts& device,
                      workspace_for what = workspace_for::such_calls);
  device_partial_sort(const nth_element_request& request, const options& opts, const device_facts& device,
                      workspace_for what = workspace_for::such_calls);

  /// Whether nothing is to be done.
  bool nothing() const { return way_ == way::nothing; }
  /// Enough for the request, wherever its arrays lie.
  std::size_t workspace_bytes() const { return layout_.bytes; }
  void add_steps(std::vector<plan_step>& steps) const;

  /// Queues it. `workspace`: workspace_bytes() bytes, aligned to workspace_alignment. Allocates nothing.
  void launch(const simt::queue& q, void* workspace) const;

 private:
  enum class way { nothing, parts, whole };
  struct layout {
    std::size_t keys = 0, positions = 0, values = 0; // of the first k
    std::size_t rest = 0, bytes = 0;                 // rest: of the top-k, then of the positions' sort
  };

  void plan(bool others_stand_anywhere);
  void lay_out();
  sort_request whole_sort() const;
  device_select selection(std::byte* workspace) const;
  device_sort position_sort(std::byte* workspace) const;
  unsigned position_bytes() const { return request_.n <= std::size_t{1} << 32 ? 4 : 8; }
  /// Makes room among the elements of an array, and copies the first ones there.
  void put(const simt::queue& q, std::byte* workspace, void* elements, std::size_t bytes, std::size_t first) const;

  partial_sort_request request_; ///< of an nth_element from the end: in the opposite order
  bool at_end_ = false;          ///< the first k go to the end, the k-th before the others
  options options_;              ///< order and bits alone
  device_facts device_;
  workspace_for what_;
  way way_ = way::nothing;
  layout layout_{};
};

} // namespace sortile::gpu
