// Groups of equal keys in the memory that a queue's kernels see: of a short array by one launch, which needs no
// workspace; else a sort, then find_groups (kernels/groups/find_groups.hpp).
//
//   workspace   [ sorted keys | positions, where they are needed and not wanted | offsets, likewise | workspace of the
//                 sort, then of find_groups ]
#pragma once

#include "plan/group_bytes.hpp"
#include "sort/device_sort.hpp"

#include <sortile/groups.hpp>

#include <vector>

namespace sortile::gpu {

class device_groups {
 public:
  /// A request that the front door has checked.
  device_groups(const groups_request& request, const options& opts, const device_facts& device,
                workspace_for what = workspace_for::such_calls);

  /// Enough for the request, wherever its arrays lie.
  std::size_t workspace_bytes() const { return bytes_; }

  void add_steps(std::vector<plan_step>& steps) const;

  /// Queues it. `workspace`: workspace_bytes() bytes, aligned to workspace_alignment. Allocates nothing.
  void launch(const simt::queue& q, void* workspace) const;

 private:
  sort_request sort_of(std::byte* workspace, const void* keys) const;
  void* order_at(std::byte* workspace) const {
    return !needs_order(request_) ? nullptr : request_.order != nullptr ? request_.order : workspace + order_;
  }
  void* offsets_at(std::byte* workspace) const {
    return request_.offsets != nullptr ? request_.offsets : request_.counts != nullptr ? workspace + offsets_ : nullptr;
  }

  groups_request request_;
  options options_; ///< order and bits alone
  device_facts device_;
  bool short_ = false;
  std::size_t order_ = 0, offsets_ = 0, rest_ = 0, bytes_ = 0; // the sorted keys lie at 0
};

} // namespace sortile::gpu
