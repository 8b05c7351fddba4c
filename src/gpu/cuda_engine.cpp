#include "gpu/cuda_engine.hpp"

#include "device/discovery.hpp"
#include "gpu/cuda_run.hpp"
#include "gpu/kernel_work.hpp"
#include "plan/nowhere.hpp"

namespace sortile::gpu {
namespace {

/// Bytes of keys and values from which a GPU is quicker than the host's processors, copies included
/// (docs/gpu-engine.md).
constexpr std::size_t pays_from_bytes = std::size_t{64} << 20;

struct current_stream {
  static constexpr memory reached = memory::device;
  static device_facts device() { return current_device(); }
  static void run(std::span<const named_array> arrays, std::size_t bytes, std::span<std::byte> given,
                  const options& opts, const std::function<void(const simt::queue&, void*)>& launch) {
    queue_in_device_memory(arrays, bytes, given, opts, launch);
  }
};

class segments_on_cuda final : public kernel_segments {
 public:
  std::string_view why_refused(const segmented_request& request, const options& opts) const override {
    return opts.memory == memory::host ? "it sorts within segments of arrays in device memory (options::memory)"
                                       : device_segmented_sort::why_refused(request);
  }
  void run(const segmented_request& request, const options& opts, const execution& how,
           const segment_survey&) const override {
    run_segments_in_device_memory(request, opts, how);
  }
};

class engine_on_cuda final : public engine {
 public:
  std::string_view name() const override { return "cuda"; }
  std::string_view description() const override {
    return "stable radix sort on one NVIDIA GPU: scan, partition, local sorts in shared memory";
  }

  std::string_view why_unusable() const override {
    const device_list& found = device::list();
    for (const device_info& info : found.devices)
      if (info.why_unusable.empty())
        return {};
    return found.devices.empty() ? found.why_none : found.devices.front().why_unusable;
  }

  std::string_view why_refused(const sort_request& request, const options& opts) const override {
    return opts.memory == memory::device ? device_sort::why_refused(request) : "";
  }

  std::string_view why_left_aside(const sort_request& request, const options& opts) const override {
    if (opts.memory == memory::device)
      return {};
    const std::size_t bytes = request.n * (key_bytes(request.type) + request.value_bytes);
    return bytes >= pays_from_bytes ? "" : "copying so little to the GPU and back takes longer than sorting it here";
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
    return device_sort(as_copied(request, nowhere(0), nowhere(1)), opts, current_device());
  }

  kernel_structs<current_stream> structs_;
  segments_on_cuda segments_;
  kernel_selector<current_stream> selector_;
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
