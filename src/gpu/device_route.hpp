// The routing of pairs in the memory that a queue's kernels see: one launch of clusters where the device has them and
// the pairs are few, else three launches.
#pragma once

#include "simt/queue.hpp"
#include "sort/facts.hpp"

#include <sortile/route.hpp>

namespace sortile::gpu {

class device_route {
 public:
  /// A request that the front door has checked.
  device_route(const route_request& request, const device_facts& device);

  void add_steps(std::vector<plan_step>& steps) const;

  std::size_t workspace_bytes() const;

  /// Queues it. `workspace`: workspace_bytes() bytes, aligned to workspace_alignment. Allocates nothing.
  void launch(const simt::queue& q, void* workspace) const;

 private:
  route_request request_;
  bool in_one_launch_;  ///< on a device that is not known, too
  bool may_need_three_; ///< with workspace for them
};

} // namespace sortile::gpu
