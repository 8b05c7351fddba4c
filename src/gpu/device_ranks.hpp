// Keys at given ranks, and quantiles, in the memory that a queue's kernels see: which way, how much workspace, and the
// launches. An array and its rows are segments, too.
//
//   search    long rows and few ranks: one read and a little (kernels/ranks), the sorts of the sample and of the
//             gathered keys in between; one row after the other
//   whole     one short row, or so many ranks that most keys would be gathered: a sort of all, into the workspace
//   segments  several short rows, columns, and segments whose lengths the device alone knows: a sort within them, into
//             the workspace
//
// Then the keys at the places are written, or what lies between two of them.
#pragma once

#include "kernels/ranks/find_ranks.hpp"
#include "kernels/ranks/pick_keys.hpp"
#include "sort/device_sort.hpp"

#include <sortile/segments.hpp>
#include <sortile/select.hpp>

#include <vector>

namespace sortile::gpu {

class device_ranks {
 public:
  struct tuning {
    std::size_t sorted_up_to = std::size_t{1} << 19; ///< keys of a row whose sort is not slower than a search
    std::uint64_t least_sample = kernels::ranks_plan::least_sample;
  };

  /// Requests that the front door has checked. Tests tune them otherwise.
  device_ranks(const ranks_request& request, const options& opts, const device_facts& device, const tuning& tuned,
               workspace_for what = workspace_for::such_calls);
  device_ranks(const quantiles_request& request, const options& opts, const device_facts& device, const tuning& tuned,
               workspace_for what = workspace_for::such_calls);
  device_ranks(const segmented_ranks_request& request, const options& opts, const device_facts& device,
               const tuning& tuned, workspace_for what = workspace_for::such_calls);
  device_ranks(const segmented_quantiles_request& request, const options& opts, const device_facts& device,
               const tuning& tuned, workspace_for what = workspace_for::such_calls);

  /// Whether nothing is to be done.
  bool nothing() const { return way_ == way::nothing; }
  /// Enough for the request, wherever its arrays lie.
  std::size_t workspace_bytes() const { return layout_.bytes; }
  bool searches() const { return way_ == way::search; }
  void add_steps(std::vector<plan_step>& steps) const;

  /// Queues it. `workspace`: workspace_bytes() bytes, aligned to workspace_alignment. Allocates nothing.
  void launch(const simt::queue& q, void* workspace) const;

 private:
  enum class way { nothing, search, whole, segments };
  struct layout {
    std::size_t found = 0, sample = 0, gathered = 0, count = 0, search = 0; // of a search
    std::size_t sorted = 0;                                                 // of a sort
    std::size_t sort = 0, bytes = 0;
  };

  void plan(const tuning& tuned, workspace_for what);
  void plan_rows(const tuning& tuned);
  void lay_out(workspace_for what);
  sort_request sample_sort(std::byte* workspace) const;
  sort_request gathered_sort(std::byte* workspace) const;
  sort_request whole_sort(std::byte* workspace, const void* keys) const;
  segmented_request segments_sort(std::byte* workspace) const;
  template <class Word>
  void launch_search(const simt::queue& q, std::byte* workspace, std::size_t row) const;
  template <class Word>
  void pick(const simt::queue& q, const void* from, std::size_t extent, const segments& where, std::size_t row) const;
  std::size_t results() const { return places_.size() + quantiles_.size() + probabilities_.size(); }
  std::size_t result_bytes() const { return numbers_ == nullptr ? key_bytes(type_) : sizeof(double); }

  key_type type_;
  const void* keys_;
  std::size_t n_; ///< of the array
  segments where_;
  void* keys_out_ = nullptr;  // of ranks
  double* numbers_ = nullptr; // of quantiles
  options options_;           // order and bits alone
  device_facts device_;
  way way_ = way::nothing;
  std::vector<std::uint64_t> places_;     // as wanted: in a segment, or among the different ranks
  std::vector<quantile_place> quantiles_; // likewise
  std::vector<double> probabilities_;     // of segments that are no rows
  quantile_method method_ = quantile_method::linear;
  std::vector<std::uint64_t> ranks_; // of rows: different ones, ascending
  kernels::ranks_plan search_;
  layout layout_{};
};

} // namespace sortile::gpu
