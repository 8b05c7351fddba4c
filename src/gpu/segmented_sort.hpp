// Sorts within segments whose arrays lie in the memory that a queue's kernels see: the request for kernels/segments,
// and what a plan says of it.
#pragma once

#include "kernels/segments/segmented_sort.hpp"
#include "simt/queue.hpp"

#include <sortile/request.hpp>

#include <string>

namespace sortile::gpu {

class device_segmented_sort {
 public:
  /// A request that the front door has checked.
  device_segmented_sort(const segmented_request& request, const options& opts) : request_(request), opts_(opts) {}

  /// Empty, or what these kernels cannot do.
  static std::string_view why_refused(const segmented_request& request);

  /// What this very request takes.
  std::size_t workspace_bytes() const;
  /// Enough wherever the arrays lie.
  std::size_t enough_workspace() const;
  void add_steps(std::vector<plan_step>& steps) const;

  /// Queues the sort. `workspace`: workspace_bytes() bytes, aligned to workspace_alignment.
  /// \param status  null, or a word in device memory that is written: whether offsets made no segment
  void launch(const simt::queue& q, void* workspace, std::uint32_t* status) const;

  /// The word of a launch's workspace that is not 0 where offsets made no segment.
  static const std::uint32_t* wrong_offsets(const void* workspace);

 private:
  template <class Word>
  kernels::segmented_sort_request<Word> request_of() const;

  segmented_request request_;
  const options& opts_;
};

} // namespace sortile::gpu
