// A sort whose arrays lie in the memory that a queue's kernels see, from the request to the launches:
//
//   facts      what is known before a key is read            facts.hpp
//   sorters    which sort, and which fallbacks               recipe.cpp: the table of rules
//   stages     what is done, in the order of the launches    stages.cpp
//
// and explain, workspace and launch each walk the stages.
//
// Workspace. What a sort takes jumps, up or down, where another sort is chosen, and where arrays cannot be read 16
// bytes at a time. Callers keep one workspace for many sorts. So they are told the most that a sort of so many keys, or
// fewer, takes at any alignment of its keys: enough_workspace(). Values of 4, 8 and 16 bytes are taken to be aligned to
// their size, unless those of the request are not. A double buffer has no third array: its inputs are what partitions
// and passes move to and from.
#pragma once

#include "sort/stage.hpp"

namespace sortile::gpu {

/// What a workspace is to be enough for. Looking at all smaller counts too takes longer than a short sort.
enum class workspace_for { such_calls, this_call };

class device_sort {
 public:
  /// A request that the front door has checked.
  device_sort(const sort_request& request, const options& opts, const device_facts& device);

  /// Empty, or what these kernels cannot do.
  static std::string_view why_refused(const sort_request& request);

  /// What this very request takes; for any_device, enough for each.
  std::size_t workspace_bytes() const { return bytes_; }
  /// Enough for the request, for as many keys or fewer, at any alignment of the arrays that their types allow.
  static std::size_t enough_workspace(const sort_request& request, const options& opts, const device_facts& device);
  /// Enough for sorts of exactly so many keys, at any alignment; or the above.
  static std::size_t workspace_at_any_place(const sort_request& request, const options& opts,
                                            const device_facts& device, workspace_for what);
  void add_steps(std::vector<plan_step>& steps) const;

  /// Queues the sort. `workspace`: workspace_bytes() bytes, aligned to workspace_alignment. Allocates no device memory.
  void launch(const simt::queue& q, void* workspace) const;

 private:
  void lay_out();
  std::size_t room_of(const stage& s) const;
  std::byte* at(std::byte* workspace, area a) const { return workspace + offsets_[std::size_t(a)]; }
  std::byte* moved_out(std::byte* workspace) const;
  void launch(const simt::queue& q, std::byte* workspace, const stage& s) const;
  void move(const simt::queue& q, std::byte* workspace, const stage& s) const;
  template <class Word>
  kernels::typed_request<Word> typed(std::byte* workspace, unsigned role) const;

  sort_request request_;
  order order_;
  bit_window bits_;
  sort_facts facts_;
  sorters by_;
  std::vector<stage> stages_;
  std::array<std::size_t, areas> offsets_{};
  std::size_t bytes_ = 0;
};

} // namespace sortile::gpu
