// A sort whose arrays lie in the memory that a queue's kernels see: which steps, how much workspace, and their launch.
//
// The steps move keys with values of 4, 8 or 16 bytes, or with positions that they make. The rest is done around them:
//
//   values of other sizes up to 16, or misaligned    moved into a wider aligned copy, and back at the end
//   values of more than 16 bytes                     left where they are; positions are sorted, then the values
//   gathered
//
// Which of the sorts in kernels/ does the rest: sorter_choice.hpp.
//
// Workspace. What a sort takes jumps where another one is chosen, up or down, and so does it where arrays cannot be
// read 16 bytes at a time. Callers keep one workspace for many sorts, so what they are told is the largest of all that
// a sort of so many keys, or fewer, takes at any alignment of its keys: enough_workspace(). Values of 4, 8 and 16 bytes
// are taken to be aligned to their size, unless those of the request are not. A double buffer has no third array: its
// inputs are what partitions and passes move to and from.
#pragma once

#include "gpu/sorter_choice.hpp"
#include "kernels/lsd/lsd_sort.hpp"
#include "kernels/narrow/count_sort.hpp"
#include "kernels/pairs/sort_pairs.hpp"
#include "kernels/sample/sample_sort.hpp"
#include "kernels/sort/sort_keys.hpp"
#include "kernels/splitters/splitter_sort.hpp"
#include "simt/queue.hpp"

#include <sortile/request.hpp>

namespace sortile::gpu {

/// How the values of a request come along.
enum class value_handling { none, direct, indices, moved, gathered };

class device_sort {
 public:
  /// A request that the front door has checked.
  device_sort(const sort_request& request, const options& opts, const device_facts& device);

  /// Empty, or what these kernels cannot do.
  static std::string why_refused(const sort_request& request);

  /// What this very request takes; for any_device, enough for each.
  std::size_t workspace_bytes() const { return layout_.bytes; }
  /// Enough for the request, for as many keys or fewer, at any alignment of the arrays that their types allow.
  static std::size_t enough_workspace(const sort_request& request, const options& opts, const device_facts& device);
  void add_steps(std::vector<plan_step>& steps) const;

  /// Queues the sort. `workspace`: workspace_bytes() bytes, aligned to workspace_alignment. Allocates nothing.
  void launch(const simt::queue& q, void* workspace) const;

 private:
  struct layout {
    std::size_t moved_in = 0, moved_out = 0, gathered = 0, unsuited = 0, sorter = 0, bytes = 0; // offsets
  };

  void add_steps_of_sorter(std::vector<plan_step>& steps) const;
  void add_steps_of_counting(std::vector<plan_step>& steps) const;
  void add_steps_of_partitions(std::vector<plan_step>& steps) const;
  void add_steps_of_splitters(std::vector<plan_step>& steps) const;
  void add_steps_of_lsd(std::vector<plan_step>& steps) const;
  /// Up to how many keys the device's blocks can hold all of them.
  static std::size_t most_of_a_sample(const sort_request& request, const options& opts, const device_facts& device);
  sort_facts facts() const;
  bool sample_fits() const; ///< on the device, if it is known
  bool vectors_fit() const;
  kernels::sort_shape partition_shape() const; ///< of sorter::keys and sorter::pairs
  void lay_out();
  std::size_t workspace_of(sorter which) const;
  std::size_t sorter_bytes() const;
  struct travelling {
    const void* in = nullptr;
    void* out = nullptr;
  };
  travelling values_at(std::byte* workspace) const;
  /// A request for one of the kernels' sorts, with what all of those have.
  template <class Request, class Word>
  Request request_of(std::byte* workspace) const;
  template <class Word>
  kernels::count_sort_request<Word> count_request(std::byte* workspace) const;
  template <class Word>
  kernels::sort_keys_request<Word> keys_request(std::byte* workspace) const;
  template <class Word>
  kernels::sort_pairs_request<Word> pairs_request(std::byte* workspace) const;
  template <class Word>
  kernels::splitter_sort_request<Word> splitter_request(std::byte* workspace) const;
  template <class Word>
  kernels::sample_request<Word> sample_request(std::byte* workspace) const;
  template <class Word>
  kernels::lsd_request<Word> lsd_request(std::byte* workspace) const;
  /// The word in which the first sort, or the second, says that the keys do not suit it; none without one behind it.
  std::uint32_t* unsuited(std::byte* workspace, sorter said_by) const;
  void launch_sorter(const simt::queue& q, std::byte* workspace, sorter which) const;

  /// Inputs serve as third arrays.
  bool double_buffer() const {
    return request_.input_is_scratch && (handling_ == value_handling::none || handling_ == value_handling::direct);
  }
  bool makes_indices() const { return handling_ == value_handling::indices || handling_ == value_handling::gathered; }
  sorter last_before_behind() const { return choice_.second != sorter::nothing ? choice_.second : choice_.first; }
  bool someone_behind() const { return choice_.behind != sorter::nothing; }
  bool in_place() const { return request_.keys_in == request_.keys_out; }
  std::size_t moved_bytes() const { return request_.n * width_; }

  sort_request request_;
  order order_;
  bit_window bits_;
  device_facts device_;
  value_handling handling_ = value_handling::none;
  sorter_choice choice_;
  std::size_t width_ = 0; ///< of what travels with a key: 0, 4, 8, 16
  layout layout_{};
};

} // namespace sortile::gpu
