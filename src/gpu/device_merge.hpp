// The merge of sorted runs in the memory that a queue's kernels see: which way, how much workspace, and the launches.
//
//   copy   one run with elements
//   merge  up to eight runs at once (kernels/merge/merge_runs.hpp); of keys of 128 bits two passes, up to 64 runs.
//          Values of 4 and 8 bytes travel; others are gathered by the numbers of the merged elements
//   sort   few elements of more than two runs, keys of 8 and 16 bits, and more runs: they are laid end to end in the
//          output, and sorted there. A stable sort gives what a stable merge does
#pragma once

#include "kernels/merge/merge_runs.hpp"
#include "kernels/merge/move_runs.hpp"
#include "sort/device_sort.hpp"

#include <string>
#include <vector>

namespace sortile::gpu {

class device_merge {
 public:
  /// Passes that cost less than a sort, copy of the runs included; 0: a sort always does. Of keys of 32 and 64 bits
  /// measured, alone and u32 with u32 (bench/results/h100/merge.txt). Of 128 bits two are a guess: their sort takes
  /// more passes.
  static constexpr unsigned most_passes(std::size_t key_bytes) { return key_bytes < 4 ? 0 : key_bytes < 16 ? 1 : 2; }

  struct tuning {
    std::uint64_t sorted_up_to = 4096; ///< elements of more than two runs
  };

  /// Whether n elements in so many runs, all of which have some, are merged: kernels::merge_runs().
  static bool merges(std::size_t key_bytes, std::uint64_t n, std::uint64_t runs, const tuning& tuned);

  /// A request that the front door has checked. Tests tune it otherwise.
  device_merge(const merge_request& request, const options& opts, const device_facts& device,
               workspace_for what = workspace_for::such_calls)
      : device_merge(request, opts, device, {}, what) {}
  device_merge(const merge_request& request, const options& opts, const device_facts& device, const tuning& tuned,
               workspace_for what = workspace_for::such_calls);

  /// Whether nothing is to be done.
  bool nothing() const { return way_ == way::nothing; }
  std::size_t workspace_bytes() const { return layout_.bytes; }
  void add_steps(std::vector<plan_step>& steps) const;

  /// Queues it. `workspace`: workspace_bytes() bytes, aligned to workspace_alignment. Allocates nothing on the device.
  void launch(const simt::queue& q, void* workspace) const;

 private:
  enum class way { nothing, copy, merge, sort };
  enum class values_are { absent, carried, gathered };
  struct layout {
    std::size_t numbers = 0, rest = 0, bytes = 0; // rest: of the merge, the table, then of the sort
  };

  void lay_out(workspace_for what);
  sort_request sort_in_place() const;
  template <class Word>
  void merge(const simt::queue& q, std::byte* workspace) const;
  std::string most_merged() const;
  std::string why_sorted() const;
  void move(const simt::queue& q, bool values, const void* numbers, std::byte* table, bool is_listed) const;
  std::size_t value_bytes() const { return request_.value_bytes; }
  std::size_t number_bytes() const { return n_ <= std::uint64_t{1} << 32 ? 4 : 8; }

  merge_request request_;
  options options_; // order and bits alone
  device_facts device_;
  std::uint64_t n_ = 0, count_ = 0; // elements, and runs that have some
  way way_ = way::nothing;
  values_are values_ = values_are::absent;
  kernels::list_merge_plan plan_{}; // of a merge
  layout layout_{};
};

} // namespace sortile::gpu
