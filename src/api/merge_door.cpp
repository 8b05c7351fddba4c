// The front door of merges: check, choose an engine, find workspace, run.
#include "api/checks.hpp"
#include "api/door.hpp"
#include "api/selector_choice.hpp"
#include "cpu/cpu_engine.hpp"
#include "cpu/scratch.hpp"
#include "cpu/small_sort.hpp"
#include "plan/nowhere.hpp"

namespace sortile {
namespace {

std::size_t elements_of(const merge_request& request) {
  std::size_t n = 0;
  for (const sorted_run& run : request.runs)
    n += run.n;
  return n;
}

/// A request whose arrays are not there yet: at any place.
class placed_merge {
 public:
  explicit placed_merge(const merge_request& given) : request(given) {
    if (given.keys_out != nullptr)
      return;
    runs_.assign(given.runs.begin(), given.runs.end());
    for (sorted_run& run : runs_) {
      run.keys = nowhere(0);
      run.values = given.value_bytes == 0 ? nullptr : nowhere(1);
    }
    request.runs = runs_;
    request.keys_out = nowhere(2);
    request.values_out = given.value_bytes == 0 ? nullptr : nowhere(3);
  }
  placed_merge(const placed_merge&) = delete;
  placed_merge& operator=(const placed_merge&) = delete;

  merge_request request;

 private:
  std::vector<sorted_run> runs_;
};

/// Checks a request and says who does it.
kernels_choice assign(const merge_request& request, const options& opts, purpose what) {
  checks::merge(request, opts);
  kernels_choice by = kernels_for(elements_of(request), opts, what);
  if (by.kernels == nullptr)
    checks::merge_on_cpu(opts);
  return by;
}

/// In host memory too, where the caller may give it.
std::size_t workspace_of(const kernels_choice& by, const merge_request& request, const options& opts) {
  return by.kernels == nullptr ? 0 : by.kernels->workspace_bytes(request, opts);
}

} // namespace

void run(const merge_request& request, const options& opts) {
  if (cpu::merge_small(request, opts, allows_cpu_engine(opts)))
    return;
  with_named_failures("a merge", [&] {
    const selector* const kernels = assign(request, opts, purpose::running).kernels;
    if (kernels == nullptr)
      return cpu::merge(request, opts, door_threads(elements_of(request), opts));
    const bool callers = opts.workspace.data() != nullptr, on_host = opts.memory == memory::host;
    const std::size_t wanted = callers || on_host ? kernels->workspace_used(request, opts) : 0; // else it finds its own
    if (callers)
      checks::workspace(request, opts, wanted);
    const cpu::scratch own(callers || !on_host ? 0 : wanted, "the workspace of a merge");
    kernels->run(request, opts, callers ? opts.workspace.first(wanted) : own.bytes());
  });
}

std::size_t detail::merge_workspace_bytes(const merge_request& request, const options& opts) {
  return with_named_failures("the plan of a merge", [&] {
    const placed_merge placed(request);
    return workspace_of(assign(placed.request, opts, purpose::planning), placed.request, opts);
  });
}

plan detail::explain_merge(const merge_request& request, const options& opts) {
  return with_named_failures("the plan of a merge", [&] {
    const placed_merge placed(request);
    const kernels_choice by = assign(placed.request, opts, purpose::planning);
    plan p = plan_by(by, placed.request, opts, [&](auto& steps) { cpu::add_merge_steps(placed.request, steps); });
    p.workspace_bytes = workspace_of(by, placed.request, opts);
    return p;
  });
}

} // namespace sortile
