// The first k keys, of rows or of segments, in the memory that a queue's kernels see: which way, how much workspace,
// and the launches.
//
//   rows      k and the candidates of a row fit a block's shared memory: one launch, a block or a warp a row
//             (select_rows.hpp); also for one array that is too short for a grid to pay. Of segments a block each,
//             whatever their lengths are, as long as k fits
//   filter    one array of any length: a filter (filter.hpp), whose last launch writes up to some thousands of results;
//             for more a sort of the candidates, whose number the sort reads from device memory, and the result
//             written. Of several rows, one after the other
//   whole     the candidates would be most of the keys: all are sorted, and the first ones copied
//   segments  k does not fit, or segments are so short that a block is too much for one: all keys are sorted within
//             their segments, in the workspace, and the first ones copied
//
// The list of launches depends on n, k, the number of rows and the types. Positions travel in place of values, which
// are gathered at the end. Where row_k says how many results a row has, each way finds as many as k and writes so many
// of them, but for long rows of which a block finds no more than is wanted.
#pragma once

#include "gpu/segmented_sort.hpp"
#include "kernels/select/row_numbers.hpp"
#include "kernels/values/move_values.hpp"
#include "sort/device_sort.hpp"

#include <sortile/select.hpp>

#include <optional>

namespace sortile::gpu {

class device_select {
 public:
  /// Requests that the front door has checked.
  device_select(const top_k_request& request, const options& opts, const device_facts& device,
                workspace_for what = workspace_for::such_calls);
  device_select(const segmented_top_k_request& request, const options& opts, const device_facts& device);

  /// Whether a block a segment does it: select_rows() in one launch, by n, k, the type and the number of segments.
  static bool is_one_launch(const segmented_top_k_request& request) { return way_of(request) == way::rows; }

  /// Whether nothing is to be done.
  bool nothing() const { return way_ == way::nothing; }
  /// Whether all keys are sorted, to take the first ones of them.
  bool sorts_all() const { return way_ == way::whole; }
  /// Enough for the request, wherever its arrays lie.
  std::size_t workspace_bytes() const { return layout_.bytes; }
  void add_steps(std::vector<plan_step>& steps) const;

  /// Queues the selection. `workspace`: workspace_bytes() bytes, aligned to workspace_alignment. Allocates nothing.
  void launch(const simt::queue& q, void* workspace) const;

 private:
  enum class way { nothing, rows, filter, whole, segments };
  struct layout {
    std::size_t positions_out = 0; ///< of all rows, where values are gathered by them
    std::size_t keys = 0, positions = 0, equals = 0, equal_positions = 0, count = 0, filter = 0; ///< candidates
    std::size_t sorted = 0, sorted_positions = 0, sort = 0, bytes = 0;
  };

  static way way_of(const top_k_request& request);
  static way way_of(const segmented_top_k_request& request);
  void lay_out(workspace_for what);
  /// Whether the filter's last launch ranks the candidates and writes the result.
  bool finishes() const;
  bool of_segments() const { return where_.count != 0; }
  bool gathers() const { return request_.carries == payload::values; }
  /// Positions in their row or segment; where values are gathered, of rows from the first one's beginning.
  unsigned position_out_bytes() const;
  /// Of the positions that travel with candidates of one row, or with all keys.
  unsigned position_bytes() const;
  std::size_t stride() const { return request_.stride == 0 ? request_.n : request_.stride; }
  std::size_t rows() const { return of_segments() ? where_.count : request_.rows; }
  std::size_t extent() const { return of_segments() ? request_.n : (request_.rows - 1) * stride() + request_.n; }
  sort_request sort_of(std::byte* workspace, const void* keys_in) const;
  device_segmented_sort segments_sort(std::byte* workspace) const;
  template <class Word>
  void launch_rows(const simt::queue& q, std::byte* workspace) const;
  template <class Word>
  void launch_filter(const simt::queue& q, std::byte* workspace, std::size_t row) const;
  void launch_whole(const simt::queue& q, std::byte* workspace, std::size_t row) const;
  void launch_segments(const simt::queue& q, std::byte* workspace) const;
  void gather_row(const simt::queue& q, std::byte* workspace, std::size_t row) const;
  /// Elements of `bytes` bytes into the result of a row: the first ones of `from`, or those at these positions. Of one
  /// row, or of all that positions_out() has.
  void copy_first(const simt::queue& q, std::size_t row, std::size_t rows,
                  const kernels::move_values_request& move) const;
  /// The same of all segments: `positions` are those in their segment, or null.
  void copy_first_of_segments(const simt::queue& q, const void* from, const void* positions, void* to,
                              std::size_t bytes) const;
  /// From this row on.
  kernels::row_numbers results(std::size_t row) const;
  void* positions_out(std::byte* workspace, std::size_t row) const;
  template <class Word>
  Word* keys_out(std::size_t row) const;

  top_k_request request_;
  segments where_{}; ///< no count: rows
  options options_;  ///< order and bits alone
  device_facts device_;
  way way_;
  std::size_t capacity_ = 0;
  layout layout_{};
};

} // namespace sortile::gpu
