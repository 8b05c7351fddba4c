// A sort whose arrays lie in the memory that a queue's kernels see: which steps, how much workspace, and their launch.
//
// The steps move keys with values of 4, 8 or 16 bytes, or with positions that they make. The rest is done around them:
//
//   values of other sizes up to 16, or misaligned    moved into a wider aligned copy, and back at the end
//   values of more than 16 bytes                     left where they are; positions are sorted, then the values gathered
//
// From n and the types alone, so that a plan costs nothing and the list of launches is the same for all keys.
#pragma once

#include "kernels/lsd/lsd_sort.hpp"
#include "simt/queue.hpp"

#include <sortile/request.hpp>

namespace sortile::gpu {

/// How the values of a request come along.
enum class value_handling { none, direct, indices, moved, gathered };

/// What does the sorting proper.
enum class sorter {
  nothing, ///< there are no keys
  keys,    ///< kernels/sort: integers of 32 and 64 bits, alone
  lsd,     ///< kernels/lsd: everything
};

class device_sort {
 public:
  /// A request that the front door has checked. Keeps copies of both.
  device_sort(const sort_request& request, const options& opts);

  std::size_t workspace_bytes() const { return layout_.bytes; }
  void add_steps(std::vector<plan_step>& steps) const;

  /// Queues the sort. `workspace`: workspace_bytes() bytes, aligned to workspace_alignment. Allocates nothing.
  void launch(const simt::queue& q, void* workspace) const;

 private:
  struct layout {
    std::size_t moved_in = 0, moved_out = 0, gathered = 0, sorter = 0, bytes = 0; // offsets
  };

  void add_steps_of_keys(std::vector<plan_step>& steps) const;
  void add_steps_of_lsd(std::vector<plan_step>& steps) const;
  void choose_handling();
  void choose_sorter();
  void lay_out();
  std::size_t sorter_bytes() const;
  template <class Word>
  kernels::lsd_request<Word> lsd_request_in(std::byte* workspace) const;
  void launch_sorter(const simt::queue& q, std::byte* workspace) const;

  bool in_place() const { return request_.keys_in == request_.keys_out; }
  std::size_t moved_bytes() const { return request_.n * width_; }

  sort_request request_;
  order order_;
  bit_window bits_;
  value_handling handling_ = value_handling::none;
  sorter sorter_ = sorter::nothing;
  std::size_t width_ = 0; ///< of what travels with a key: 0, 4, 8, 16
  layout layout_{};
};

} // namespace sortile::gpu
