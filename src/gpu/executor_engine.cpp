#include "gpu/executor_engine.hpp"

#include "gpu/kernel_work.hpp"
#include "plan/progress.hpp"
#include "simt/executor/device.hpp"

namespace sortile::gpu {
namespace {

constexpr device_facts device{}; // that the executor presents; how many multiprocessors, its options say

struct pretended_device {
  static constexpr memory reached = memory::host;
  static device_facts device() { return gpu::device; }
  static void run(unsigned threads, const std::function<bool(double)>* progress, std::span<std::byte> workspace,
                  const std::function<void(const simt::queue&, void*)>& launch) {
    executor::device pretended(executor::options_from_environment({.os_threads = threads}));
    progress_meter told(progress, 1);
    told.report();
    launch(simt::queue::executor(pretended), workspace.data());
    told.finish();
  }
  static void run(std::span<const named_array>, std::size_t, std::span<std::byte> workspace, const options& opts,
                  const std::function<void(const simt::queue&, void*)>& launch) {
    run(opts.threads, &opts.progress, workspace, launch);
  }
};

class segments_on_executor final : public kernel_segments {
 public:
  std::string_view why_refused(const segmented_request& request, const options&) const override {
    return device_segmented_sort::why_refused(request);
  }
  void run(const segmented_request& request, const options& opts, const execution& how,
           const segment_survey&) const override {
    const device_segmented_sort sort(request, opts);
    pretended_device::run(how.threads, how.progress, how.workspace,
                          [&](const simt::queue& q, void* space) { sort.launch(q, space, nullptr); });
  }
};

class engine_on_executor final : public engine {
 public:
  std::string_view name() const override { return "executor"; }
  std::string_view description() const override {
    return "the kernels of engine 'cuda', run on the CPU for checking and learning; slow";
  }

  std::string_view why_unusable() const override {
#if defined(__SANITIZE_THREAD__)
    return "ThreadSanitizer, with which this build was made, cannot follow the executor's fibers";
#else
    return {};
#endif
  }

  std::string_view why_refused(const sort_request&, const options& opts) const override {
    return opts.memory == memory::device ? "its arrays lie in host memory (memory::host)" : "";
  }

  std::string_view why_left_aside(const sort_request&, const options&) const override {
    return "it is for checking, and runs where it is asked for by name";
  }

  plan make_plan(const sort_request& request, const options& opts, unsigned) const override {
    const device_sort sort(request, opts, device);
    plan p;
    p.workspace_bytes = sort.workspace_bytes();
    sort.add_steps(p.steps);
    return p;
  }

  result_place run(const sort_request& request, const options& opts, const execution& how) const override {
    const device_sort sort(request, opts, device);
    pretended_device::run(how.threads, how.progress, how.workspace,
                          [&](const simt::queue& q, void* space) { sort.launch(q, space); });
    return result_place::output;
  }

  const struct_sorter* structs() const override {
    return &structs_;
  }
  const segment_sorter* segments() const override {
    return &segments_;
  }
  const selector* selects() const override {
    return &selector_;
  }

 private:
  kernel_structs<pretended_device> structs_;
  segments_on_executor segments_;
  kernel_selector<pretended_device> selector_;
};

} // namespace

const engine& executor_engine() {
  static const engine_on_executor the_engine;
  return the_engine;
}

} // namespace sortile::gpu
