// What the two engines made of kernels do alike: plans, workspace and launches of all work but sorts of one array. They
// differ in where kernels run. A Place says it:
//
//   static constexpr memory reached;   where arrays lie
//   static device_facts device();      what plans are for
//   static void run(arrays, bytes, given, opts, launch);
//                                      calls launch(queue, workspace): the given one, or, where a Place makes
//                                      workspaces, one of so many bytes
#pragma once

#include "gpu/device_groups.hpp"
#include "gpu/device_merge.hpp"
#include "gpu/device_route.hpp"
#include "gpu/device_scan.hpp"
#include "gpu/device_selection.hpp"
#include "gpu/named_array.hpp"
#include "gpu/segmented_sort.hpp"
#include "sort/struct_sort.hpp"

#include <sortile/device_call.hpp>

#include <array>
#include <vector>

namespace sortile::gpu {

template <std::size_t N>
using named_arrays = std::array<named_array, N>;

template <class Place>
class kernel_structs final : public struct_sorter {
 public:
  std::size_t workspace_bytes(const struct_request& request, const options& opts) const override {
    return struct_sort(request, opts.order, Place::device()).enough_workspace();
  }
  std::size_t workspace_used(const struct_request& request, const options& opts) const override {
    return struct_sort(request, opts.order, Place::device()).workspace_bytes();
  }
  void run(const struct_request& request, const options& opts, std::span<std::byte> workspace) const override {
    const struct_sort sort(request, opts.order, Place::device());
    Place::run(named_arrays<4>{{{"keys_in", request.keys_in},
                                {"keys_out", request.keys_out},
                                {"values_in", request.values_in},
                                {"values_out", request.values_out}}},
               sort.workspace_bytes(), workspace, opts,
               [&](const simt::queue& q, void* space) { sort.launch(q, space); });
  }
  void run(const detail::device_call& call, const options& opts, std::span<std::byte> workspace) const override {
    std::vector<named_array> arrays;
    for (const std::span<const detail::caller_array> of_call :
         {std::span<const detail::caller_array>(call.arrays), call.inputs})
      for (const detail::caller_array& a : of_call)
        if (a.count > 0) // an empty one may lie anywhere
          arrays.push_back({a.name, a.data});
    Place::run(arrays, call.workspace_bytes, workspace, opts,
               [&](const simt::queue& q, void* space) { call.launch(q, call.work, space); });
  }
};

/// Sorts within segments, but for how they are run.
class kernel_segments : public segment_sorter {
 public:
  plan make_plan(const segmented_request& request, const options& opts, unsigned) const final {
    const device_segmented_sort sort(request, opts);
    plan p;
    p.workspace_bytes = sort.enough_workspace();
    sort.add_steps(p.steps);
    return p;
  }
  std::size_t workspace_used(const segmented_request& request, const options& opts, unsigned,
                             const segment_survey&) const final {
    return device_segmented_sort(request, opts).workspace_bytes();
  }
};

inline named_arrays<5> arrays_of(const top_k_request& r) {
  return {{{"keys_in", r.keys_in},
           {"keys_out", r.keys_out},
           {"values_in", r.values_in},
           {"values_out", r.values_out},
           {"row_k", r.row_k}}};
}
inline named_arrays<7> arrays_of(const segmented_top_k_request& r) {
  const auto a = arrays_of(r.arrays);
  return {{a[0], a[1], a[2], a[3], a[4], {"begins", r.where.begins}, {"ends", r.where.ends}}};
}
inline named_arrays<2> arrays_of(const partial_sort_request& r) {
  return {{{"keys", r.keys}, {"values", r.values}}};
}
inline named_arrays<1> arrays_of(const nth_element_request& r) {
  return {{{"keys", r.keys}}};
}
inline named_arrays<2> arrays_of(const ranks_request& r) {
  return {{{"keys", r.keys}, {"keys_out", r.keys_out}}};
}
inline named_arrays<2> arrays_of(const quantiles_request& r) {
  return {{{"keys", r.keys}, {"results", r.results}}};
}
inline named_arrays<4> arrays_of(const segmented_ranks_request& r) {
  return {
      {{"keys", r.arrays.keys}, {"keys_out", r.arrays.keys_out}, {"begins", r.where.begins}, {"ends", r.where.ends}}};
}
inline named_arrays<4> arrays_of(const segmented_quantiles_request& r) {
  return {{{"keys", r.arrays.keys}, {"results", r.arrays.results}, {"begins", r.where.begins}, {"ends", r.where.ends}}};
}
inline named_arrays<8> arrays_of(const groups_request& r) {
  return {{{"keys", r.keys},
           {"keys_out", r.keys_out},
           {"first", r.first},
           {"counts", r.counts},
           {"offsets", r.offsets},
           {"order", r.order},
           {"inverse", r.inverse},
           {"device_groups", r.device_groups}}};
}
inline std::vector<named_array> arrays_of(const merge_request& r) {
  std::vector<named_array> all{{"keys_out", r.keys_out}, {"values_out", r.values_out}};
  for (const sorted_run& run : r.runs)
    if (run.n > 0) {
      all.push_back({"the keys of a run", run.keys});
      if (r.value_bytes > 0)
        all.push_back({"the values of a run", run.values});
    }
  return all;
}
inline named_arrays<7> arrays_of(const route_request& r) {
  return {{{"experts", r.experts},
           {"offsets", r.offsets},
           {"counts", r.counts},
           {"order", r.order},
           {"inverse", r.inverse},
           {"block_experts", r.block_experts},
           {"dropped", r.dropped}}};
}

template <class Place>
class kernel_selector final : public selector {
 public:
  bool reaches(memory where) const override { return where == Place::reached; }
  std::size_t workspace_bytes(const selection& wanted, const options& opts) const override {
    return selection_workspace_bytes(wanted, opts, Place::device(), workspace_for::such_calls);
  }
  std::size_t workspace_used(const selection& wanted, const options& opts) const override {
    return selection_workspace_bytes(wanted, opts, Place::device(), workspace_for::this_call);
  }
  void add_steps(const selection& wanted, const options& opts, std::vector<plan_step>& steps) const override {
    add_selection_steps(wanted, opts, Place::device(), steps);
  }
  void run(const selection& wanted, const options& opts, std::span<std::byte> workspace) const override {
    with_selection(wanted, opts, Place::device(), workspace_for::this_call, [&](const auto& request, const auto& work) {
      if (is_told(work))
        queue(request, work, opts, workspace);
    });
  }

  std::size_t workspace_bytes(const groups_request& request, const options& opts) const override {
    return device_groups(request, opts, Place::device()).workspace_bytes();
  }
  std::size_t workspace_used(const groups_request& request, const options& opts) const override {
    return device_groups(request, opts, Place::device(), workspace_for::this_call).workspace_bytes();
  }
  void add_steps(const groups_request& request, const options& opts, std::vector<plan_step>& steps) const override {
    device_groups(request, opts, Place::device()).add_steps(steps);
  }
  void run(const groups_request& request, const options& opts, std::span<std::byte> workspace) const override {
    queue(request, device_groups(request, opts, Place::device(), workspace_for::this_call), opts, workspace);
  }

  std::size_t workspace_bytes(const scan_request& request) const override { return scan_workspace_bytes(request); }
  void add_steps(const scan_request& request, std::vector<plan_step>& steps) const override {
    add_scan_steps(request, steps);
  }
  void run(const scan_request& request, const options& opts, std::span<std::byte> workspace) const override {
    Place::run(named_arrays<2>{{{"in", request.in}, {"out", request.out}}}, scan_workspace_bytes(request), workspace,
               opts, [&](const simt::queue& q, void* space) { launch_scan(q, request, space); });
  }
  void add_steps(const histogram_request& request, std::vector<plan_step>& steps) const override {
    add_histogram_steps(request, steps);
  }
  void run(const histogram_request& request, const options& opts) const override {
    Place::run(named_arrays<2>{{{"keys", request.keys}, {"counts", request.counts}}}, 0, {}, opts,
               [&](const simt::queue& q, void*) { launch_histogram(q, request, opts); });
  }

  std::size_t workspace_bytes(const merge_request& request, const options& opts) const override {
    return device_merge(request, opts, Place::device()).workspace_bytes();
  }
  std::size_t workspace_used(const merge_request& request, const options& opts) const override {
    return device_merge(request, opts, Place::device(), workspace_for::this_call).workspace_bytes();
  }
  void add_steps(const merge_request& request, const options& opts, std::vector<plan_step>& steps) const override {
    device_merge(request, opts, Place::device()).add_steps(steps);
  }
  void run(const merge_request& request, const options& opts, std::span<std::byte> workspace) const override {
    const device_merge merge(request, opts, Place::device(), workspace_for::this_call);
    if (is_told(merge))
      queue(request, merge, opts, workspace);
  }

  std::size_t workspace_bytes(const route_request& request) const override {
    return device_route(request, Place::device()).workspace_bytes();
  }
  void add_steps(const route_request& request, std::vector<plan_step>& steps) const override {
    device_route(request, Place::device()).add_steps(steps);
  }
  void run(const route_request& request, const options& opts, std::span<std::byte> workspace) const override {
    queue(request, device_route(request, Place::device()), opts, workspace);
  }

 private:
  /// Whether there is something to do, or progress to tell, as of work in host memory.
  template <class Work>
  static bool is_told(const Work& work) {
    return Place::reached == memory::host || !work.nothing();
  }
  template <class Request, class Work>
  static void queue(const Request& request, const Work& work, const options& opts, std::span<std::byte> workspace) {
    Place::run(arrays_of(request), work.workspace_bytes(), workspace, opts,
               [&](const simt::queue& q, void* space) { work.launch(q, space); });
  }
};

} // namespace sortile::gpu
