#include "gpu/cuda_engine.hpp"

#include "device/discovery.hpp"
#include "gpu/cuda_run.hpp"
#include "gpu/device_groups.hpp"
#include "gpu/device_merge.hpp"
#include "gpu/device_route.hpp"
#include "gpu/device_scan.hpp"
#include "gpu/device_selection.hpp"
#include "gpu/segmented_sort.hpp"
#include "sort/struct_sort.hpp"

#include <sortile/device_call.hpp>

#include <array>
#include <vector>

namespace sortile::gpu {
namespace {

/// Bytes of keys and values from which a GPU is quicker than the host's processors, copies included
/// (docs/gpu-engine.md).
constexpr std::size_t pays_from_bytes = std::size_t{64} << 20;

class structs_on_cuda final : public struct_sorter {
 public:
  std::size_t workspace_bytes(const struct_request& request, const options& opts) const override {
    return struct_sort(request, opts.order, current_device()).enough_workspace();
  }
  std::size_t workspace_used(const struct_request& request, const options& opts) const override {
    return struct_sort(request, opts.order, current_device()).workspace_bytes();
  }

  void run(const struct_request& request, const options& opts, std::span<std::byte> workspace) const override {
    const struct_sort sort(request, opts.order, current_device());
    queue_in_device_memory({{"keys_in", request.keys_in},
                            {"keys_out", request.keys_out},
                            {"values_in", request.values_in},
                            {"values_out", request.values_out}},
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
    queue_in_device_memory(arrays, call.workspace_bytes, workspace, opts,
                           [&](const simt::queue& q, void* space) { call.launch(q, call.work, space); });
  }
};

class segments_on_cuda final : public segment_sorter {
 public:
  std::string why_refused(const segmented_request& request, const options& opts) const override {
    return opts.memory == memory::host ? "it sorts within segments of arrays in device memory (options::memory)"
                                       : device_segmented_sort::why_refused(request);
  }
  plan make_plan(const segmented_request& request, const options& opts, unsigned) const override {
    const device_segmented_sort sort(request, opts);
    plan p;
    p.workspace_bytes = sort.enough_workspace();
    sort.add_steps(p.steps);
    return p;
  }
  std::size_t workspace_used(const segmented_request& request, const options& opts, unsigned,
                             const segment_survey&) const override {
    return device_segmented_sort(request, opts).workspace_bytes();
  }
  void run(const segmented_request& request, const options& opts, const execution& how,
           const segment_survey&) const override {
    run_segments_in_device_memory(request, opts, how);
  }
};

std::array<named_array, 5> arrays_of(const top_k_request& r) {
  return {{{"keys_in", r.keys_in},
           {"keys_out", r.keys_out},
           {"values_in", r.values_in},
           {"values_out", r.values_out},
           {"row_k", r.row_k}}};
}
std::array<named_array, 7> arrays_of(const segmented_top_k_request& r) {
  const top_k_request& a = r.arrays;
  return {{{"keys_in", a.keys_in},
           {"keys_out", a.keys_out},
           {"values_in", a.values_in},
           {"values_out", a.values_out},
           {"row_k", a.row_k},
           {"begins", r.where.begins},
           {"ends", r.where.ends}}};
}
std::array<named_array, 2> arrays_of(const partial_sort_request& r) {
  return {{{"keys", r.keys}, {"values", r.values}}};
}
std::array<named_array, 1> arrays_of(const nth_element_request& r) {
  return {{{"keys", r.keys}}};
}
std::array<named_array, 2> arrays_of(const ranks_request& r) {
  return {{{"keys", r.keys}, {"keys_out", r.keys_out}}};
}
std::array<named_array, 2> arrays_of(const quantiles_request& r) {
  return {{{"keys", r.keys}, {"results", r.results}}};
}

class selector_on_cuda final : public selector {
 public:
  bool reaches(memory where) const override { return where == memory::device; }
  std::size_t workspace_bytes(const selection& wanted, const options& opts) const override {
    return selection_workspace_bytes(wanted, opts, current_device(), workspace_for::such_calls);
  }
  std::size_t workspace_used(const selection& wanted, const options& opts) const override {
    return selection_workspace_bytes(wanted, opts, current_device(), workspace_for::this_call);
  }
  void add_steps(const selection& wanted, const options& opts, std::vector<plan_step>& steps) const override {
    add_selection_steps(wanted, opts, current_device(), steps);
  }
  void run(const selection& wanted, const options& opts, std::span<std::byte> workspace) const override {
    with_selection(wanted, opts, current_device(), workspace_for::this_call,
                   [&](const auto& request, const auto& work) {
                     if (!work.nothing())
                       queue_in_device_memory(arrays_of(request), work.workspace_bytes(), workspace, opts,
                                              [&](const simt::queue& q, void* space) { work.launch(q, space); });
                   });
  }

  std::size_t workspace_bytes(const groups_request& request, const options& opts) const override {
    return device_groups(request, opts, current_device()).workspace_bytes();
  }
  std::size_t workspace_used(const groups_request& request, const options& opts) const override {
    return device_groups(request, opts, current_device(), workspace_for::this_call).workspace_bytes();
  }
  void run(const groups_request& request, const options& opts, std::span<std::byte> workspace) const override {
    const device_groups groups(request, opts, current_device(), workspace_for::this_call);
    queue_in_device_memory({{"keys", request.keys},
                            {"keys_out", request.keys_out},
                            {"first", request.first},
                            {"counts", request.counts},
                            {"offsets", request.offsets},
                            {"order", request.order},
                            {"inverse", request.inverse},
                            {"device_groups", request.device_groups}},
                           groups.workspace_bytes(), workspace, opts,
                           [&](const simt::queue& q, void* space) { groups.launch(q, space); });
  }

  std::size_t workspace_bytes(const scan_request& request) const override { return scan_workspace_bytes(request); }
  void run(const scan_request& request, const options& opts, std::span<std::byte> workspace) const override {
    queue_in_device_memory({{"in", request.in}, {"out", request.out}}, scan_workspace_bytes(request), workspace, opts,
                           [&](const simt::queue& q, void* space) { launch_scan(q, request, space); });
  }
  void run(const histogram_request& request, const options& opts) const override {
    queue_in_device_memory({{"keys", request.keys}, {"counts", request.counts}}, 0, {}, opts,
                           [&](const simt::queue& q, void*) { launch_histogram(q, request, opts); });
  }

  std::size_t workspace_bytes(const merge_request& request, const options& opts) const override {
    return device_merge(request, opts, current_device()).workspace_bytes();
  }
  std::size_t workspace_used(const merge_request& request, const options& opts) const override {
    return device_merge(request, opts, current_device(), workspace_for::this_call).workspace_bytes();
  }
  void add_steps(const merge_request& request, const options& opts, std::vector<plan_step>& steps) const override {
    device_merge(request, opts, current_device()).add_steps(steps);
  }
  void run(const merge_request& request, const options& opts, std::span<std::byte> workspace) const override {
    const device_merge merge(request, opts, current_device(), workspace_for::this_call);
    if (merge.nothing())
      return;
    std::vector<named_array> arrays{{"keys_out", request.keys_out}, {"values_out", request.values_out}};
    for (const sorted_run& run : request.runs)
      if (run.n > 0) {
        arrays.push_back({"the keys of a run", run.keys});
        if (request.value_bytes > 0)
          arrays.push_back({"the values of a run", run.values});
      }
    queue_in_device_memory(arrays, merge.workspace_bytes(), workspace, opts,
                           [&](const simt::queue& q, void* space) { merge.launch(q, space); });
  }

  std::size_t workspace_bytes(const route_request& request) const override {
    return device_route(request, current_device()).workspace_bytes();
  }
  void add_steps(const route_request& request, std::vector<plan_step>& steps) const override {
    device_route(request, current_device()).add_steps(steps);
  }
  void run(const route_request& request, const options& opts, std::span<std::byte> workspace) const override {
    const device_route route(request, current_device());
    queue_in_device_memory({{"experts", request.experts},
                            {"offsets", request.offsets},
                            {"counts", request.counts},
                            {"order", request.order},
                            {"inverse", request.inverse},
                            {"block_experts", request.block_experts},
                            {"dropped", request.dropped}},
                           route.workspace_bytes(), workspace, opts,
                           [&](const simt::queue& q, void* space) { route.launch(q, space); });
  }
};

class engine_on_cuda final : public engine {
 public:
  std::string_view name() const override { return "cuda"; }
  std::string_view description() const override {
    return "stable radix sort on one NVIDIA GPU: scan, partition, local sorts in shared memory";
  }

  std::string why_unusable() const override {
    const device_list& found = device::list();
    for (const device_info& info : found.devices)
      if (info.why_unusable.empty())
        return {};
    return found.devices.empty() ? found.why_none : found.devices.front().why_unusable;
  }

  std::string why_refused(const sort_request& request, const options& opts) const override {
    return opts.memory == memory::device ? device_sort::why_refused(request) : "";
  }

  std::string why_left_aside(const sort_request& request, const options& opts) const override {
    if (opts.memory == memory::device)
      return {};
    const std::size_t bytes = request.n * (key_bytes(request.type) + request.value_bytes);
    return bytes >= pays_from_bytes
               ? ""
               : "copying " + std::to_string(bytes) + " bytes to the GPU and back takes longer than sorting them here";
  }

  plan make_plan(const sort_request& request, const options& opts, unsigned) const override {
    const device_sort sort = on_device(request, opts);
    plan p;
    p.workspace_bytes = workspace_bytes(request, opts, 1);
    const std::size_t in =
        request.n * (key_bytes(request.type) + (request.carries == payload::values ? request.value_bytes : 0));
    const std::size_t out =
        request.n * ((request.keys_out == nullptr ? 0 : key_bytes(request.type)) + request.value_bytes);
    if (opts.memory == memory::host && request.n > 0)
      p.steps.push_back({"upload", "through pinned memory, in chunks", in, in});
    sort.add_steps(p.steps);
    if (opts.memory == memory::host && request.n > 0)
      p.steps.push_back({"download", "through pinned memory, in chunks", out, out});
    return p;
  }

  std::size_t workspace_bytes(const sort_request& request, const options& opts, unsigned) const override {
    return opts.memory == memory::device ? device_sort::enough_workspace(request, opts, current_device()) : 0;
  }
  std::size_t workspace_used(const sort_request& request, const options& opts, unsigned) const override {
    return opts.memory == memory::device ? on_device(request, opts).workspace_bytes() : 0;
  }

  result_place run(const sort_request& request, const options& opts, const execution& how) const override {
    if (opts.memory == memory::device)
      run_in_device_memory(request, opts, how);
    else
      run_from_host_memory(request, opts, how);
    return result_place::output;
  }

  const struct_sorter* structs() const override { return &structs_; }
  const segment_sorter* segments() const override { return &segments_; }
  const selector* selects() const override { return &selector_; }
  const device_list* devices() const override { return &device::list(); }
  void release_scratch() const noexcept override { release_staging(); }

 private:
  /// The sort as the device will do it: of host arrays, by their copies there.
  static device_sort on_device(const sort_request& request, const options& opts) {
    if (opts.memory == memory::device)
      return device_sort(request, opts, current_device());
    const auto somewhere = [](std::uintptr_t address) { return reinterpret_cast<void*>(address); }; // never followed
    return device_sort(as_copied(request, somewhere(1u << 12), somewhere(1u << 13)), opts, current_device());
  }

  structs_on_cuda structs_;
  segments_on_cuda segments_;
  selector_on_cuda selector_;
};

} // namespace

const engine& cuda_engine() {
  static const engine_on_cuda the_engine;
  return the_engine;
}

sort_request as_copied(const sort_request& request, void* keys, void* values) {
  sort_request copy = request;
  copy.keys_in = keys;
  copy.keys_out = request.keys_out == nullptr ? nullptr : keys;
  if (request.carries == payload::values)
    copy.values_in = values;
  if (request.carries != payload::none)
    copy.values_out = values;
  return copy;
}

} // namespace sortile::gpu
