// Keys at given ranks, and quantiles, in the memory that a queue's kernels see: which way, how much workspace, and the
// launches.
//
//   search  a long row and few ranks: one read and a little (kernels/ranks), the sorts of the sample and of the
//           gathered keys in between; of several rows, one after the other
//   whole   a short row, or so many ranks that most keys would be gathered: a sort of all, into the workspace
//   rows    several short rows: a sort within segments
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

  /// Whether nothing is to be done.
  bool nothing() const { return way_ == way::nothing; }
  /// Enough for the request, wherever its arrays lie.
  std::size_t workspace_bytes() const { return layout_.bytes; }
  bool searches() const { return way_ == way::search; }
  void add_steps(std::vector<plan_step>& steps) const;

  /// Queues it. `workspace`: workspace_bytes() bytes, aligned to workspace_alignment. Allocates nothing.
  void launch(const simt::queue& q, void* workspace) const;

 private:
  enum class way { nothing, search, whole, rows };
  struct layout {
    std::size_t found = 0, sample = 0, gathered = 0, count = 0, search = 0; // of a search
    std::size_t sorted = 0;                                                 // of a sort
    std::size_t sort = 0, bytes = 0;
  };

  void plan(const tuning& tuned, workspace_for what);
  void lay_out(workspace_for what);
  sort_request sample_sort(std::byte* workspace) const;
  sort_request gathered_sort(std::byte* workspace) const;
  sort_request whole_sort(std::byte* workspace, const void* keys) const;
  segmented_request rows_sort(std::byte* workspace) const;
  template <class Word>
  void launch_search(const simt::queue& q, std::byte* workspace, std::size_t row) const;
  template <class Word>
  void pick(const simt::queue& q, const void* from, std::size_t extent, std::size_t first_row, std::size_t rows) const;
  std::size_t extent() const { return (rows_ - 1) * stride_ + n_; }
  std::size_t results() const { return numbers_ == nullptr ? places_.size() : quantiles_.size(); }
  std::size_t result_bytes() const { return numbers_ == nullptr ? key_bytes(type_) : sizeof(double); }

  key_type type_;
  const void* keys_;
  std::size_t n_, rows_, stride_;
  void* keys_out_ = nullptr;  // of ranks
  double* numbers_ = nullptr; // of quantiles
  options options_;           // order and bits alone
  device_facts device_;
  way way_ = way::nothing;
  std::vector<std::uint64_t> places_;               // as wanted: in a row, or among the different ranks
  std::vector<kernels::picked_quantile> quantiles_; // likewise
  std::vector<std::uint64_t> ranks_;                // different ones, ascending
  kernels::ranks_plan search_;
  layout layout_{};
};

} // namespace sortile::gpu
