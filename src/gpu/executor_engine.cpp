#include "gpu/executor_engine.hpp"

#include "gpu/device_groups.hpp"
#include "gpu/device_merge.hpp"
#include "gpu/device_route.hpp"
#include "gpu/device_scan.hpp"
#include "gpu/device_selection.hpp"
#include "gpu/segmented_sort.hpp"
#include "plan/progress.hpp"
#include "simt/executor/device.hpp"
#include "sort/struct_sort.hpp"

#include <sortile/device_call.hpp>

namespace sortile::gpu {
namespace {

constexpr device_facts device{}; // that the executor presents; how many multiprocessors, its options say

class structs_on_executor final : public struct_sorter {
 public:
  std::size_t workspace_bytes(const struct_request& request, const options& opts) const override {
    return struct_sort(request, opts.order, device).enough_workspace();
  }
  std::size_t workspace_used(const struct_request& request, const options& opts) const override {
    return struct_sort(request, opts.order, device).workspace_bytes();
  }

  void run(const struct_request& request, const options& opts, std::span<std::byte> workspace) const override {
    executor::device pretended(executor::options_from_environment({.os_threads = opts.threads}));
    struct_sort(request, opts.order, device).launch(simt::queue::executor(pretended), workspace.data());
  }
  void run(const detail::device_call& call, const options& opts, std::span<std::byte> workspace) const override {
    executor::device pretended(executor::options_from_environment({.os_threads = opts.threads}));
    call.launch(simt::queue::executor(pretended), call.work, workspace.data());
  }
};

class segments_on_executor final : public segment_sorter {
 public:
  std::string why_refused(const segmented_request& request, const options&) const override {
    return device_segmented_sort::why_refused(request);
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
    executor::device pretended(executor::options_from_environment({.os_threads = how.threads}));
    progress_meter progress(how.progress, 1);
    progress.report();
    device_segmented_sort(request, opts).launch(simt::queue::executor(pretended), how.workspace.data(), nullptr);
    progress.finish();
  }
};

class selector_on_executor final : public selector {
 public:
  bool reaches(memory where) const override { return where == memory::host; }
  std::size_t workspace_bytes(const selection& wanted, const options& opts) const override {
    return selection_workspace_bytes(wanted, opts, device, workspace_for::such_calls);
  }
  std::size_t workspace_used(const selection& wanted, const options& opts) const override {
    return selection_workspace_bytes(wanted, opts, device, workspace_for::this_call);
  }
  void add_steps(const selection& wanted, const options& opts, std::vector<plan_step>& steps) const override {
    add_selection_steps(wanted, opts, device, steps);
  }
  void run(const selection& wanted, const options& opts, std::span<std::byte> workspace) const override {
    executor::device pretended(executor::options_from_environment({.os_threads = opts.threads}));
    const std::function<bool(double)>* const callback = opts.progress ? &opts.progress : nullptr;
    progress_meter progress(callback, 1);
    progress.report();
    with_selection(wanted, opts, device, workspace_for::this_call, [&](const auto&, const auto& work) {
      work.launch(simt::queue::executor(pretended), workspace.data());
    });
    progress.finish();
  }

  std::size_t workspace_bytes(const groups_request& request, const options& opts) const override {
    return device_groups(request, opts, device).workspace_bytes();
  }
  std::size_t workspace_used(const groups_request& request, const options& opts) const override {
    return device_groups(request, opts, device, workspace_for::this_call).workspace_bytes();
  }
  void run(const groups_request& request, const options& opts, std::span<std::byte> workspace) const override {
    executor::device pretended(executor::options_from_environment({.os_threads = opts.threads}));
    device_groups(request, opts, device, workspace_for::this_call)
        .launch(simt::queue::executor(pretended), workspace.data());
  }

  std::size_t workspace_bytes(const scan_request& request) const override { return scan_workspace_bytes(request); }
  void run(const scan_request& request, const options& opts, std::span<std::byte> workspace) const override {
    executor::device pretended(executor::options_from_environment({.os_threads = opts.threads}));
    launch_scan(simt::queue::executor(pretended), request, workspace.data());
  }
  void run(const histogram_request& request, const options& opts) const override {
    executor::device pretended(executor::options_from_environment({.os_threads = opts.threads}));
    launch_histogram(simt::queue::executor(pretended), request, opts);
  }

  std::size_t workspace_bytes(const merge_request& request, const options& opts) const override {
    return device_merge(request, opts, device).workspace_bytes();
  }
  std::size_t workspace_used(const merge_request& request, const options& opts) const override {
    return device_merge(request, opts, device, workspace_for::this_call).workspace_bytes();
  }
  void add_steps(const merge_request& request, const options& opts, std::vector<plan_step>& steps) const override {
    device_merge(request, opts, device).add_steps(steps);
  }
  void run(const merge_request& request, const options& opts, std::span<std::byte> workspace) const override {
    executor::device pretended(executor::options_from_environment({.os_threads = opts.threads}));
    const std::function<bool(double)>* const callback = opts.progress ? &opts.progress : nullptr;
    progress_meter progress(callback, 1);
    progress.report();
    device_merge(request, opts, device, workspace_for::this_call)
        .launch(simt::queue::executor(pretended), workspace.data());
    progress.finish();
  }

  std::size_t workspace_bytes(const route_request& request) const override {
    return device_route(request, device).workspace_bytes();
  }
  void add_steps(const route_request& request, std::vector<plan_step>& steps) const override {
    device_route(request, device).add_steps(steps);
  }
  void run(const route_request& request, const options& opts, std::span<std::byte> workspace) const override {
    executor::device pretended(executor::options_from_environment({.os_threads = opts.threads}));
    device_route(request, device).launch(simt::queue::executor(pretended), workspace.data());
  }
};

class engine_on_executor final : public engine {
 public:
  std::string_view name() const override { return "executor"; }
  std::string_view description() const override {
    return "the kernels of engine 'cuda', run on the CPU for checking and learning; slow";
  }

  std::string why_unusable() const override {
#if defined(__SANITIZE_THREAD__)
    return "ThreadSanitizer, with which this build was made, cannot follow the executor's fibers";
#else
    return {};
#endif
  }

  std::string why_refused(const sort_request&, const options& opts) const override {
    return opts.memory == memory::device ? "its arrays lie in host memory" : "";
  }

  std::string why_left_aside(const sort_request&, const options&) const override {
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
    executor::device pretended(executor::options_from_environment({.os_threads = how.threads}));
    progress_meter progress(how.progress, 1);
    progress.report();
    device_sort(request, opts, device).launch(simt::queue::executor(pretended), how.workspace.data());
    progress.finish();
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
  structs_on_executor structs_;
  segments_on_executor segments_;
  selector_on_executor selector_;
};

} // namespace

const engine& executor_engine() {
  static const engine_on_executor the_engine;
  return the_engine;
}

} // namespace sortile::gpu
