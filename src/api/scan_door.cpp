// The front door of scans and histograms: check, choose an engine, find workspace, run.
#include "api/door.hpp"
#include "api/scan_checks.hpp"
#include "api/selector_choice.hpp"
#include "cpu/scan.hpp"
#include "cpu/scratch.hpp"

namespace sortile {

std::size_t detail::scan_workspace_bytes(const scan_request& request, const options& opts) {
  return with_named_failures("the plan of a scan", [&] {
    checks::scan_type(request, opts);
    return workspace_by(kernels_for(request.n, opts, purpose::planning), request, opts);
  });
}

plan detail::explain_scan(const scan_request& request, const options& opts) {
  return with_named_failures("the plan of a scan", [&] {
    checks::scan_type(request, opts);
    return plan_by(kernels_for(request.n, opts, purpose::planning), request, opts,
                   [&](auto& steps) { cpu::add_scan_steps(request, door_threads(request.n, opts), steps); });
  });
}

plan detail::explain_histogram(const histogram_request& request, const options& opts) {
  return with_named_failures("the plan of a histogram", [&] {
    checks::histogram_type(request, opts);
    return plan_by(kernels_for(request.n, opts, purpose::planning), request, opts,
                   [&](auto& steps) { cpu::add_histogram_steps(request, steps); });
  });
}

void run(const scan_request& request, const options& opts) {
  with_named_failures("a scan", [&] {
    checks::scan(request, opts);
    const selector* const kernels = kernels_for(request.n, opts, purpose::running).kernels;
    if (kernels == nullptr)
      return cpu::scan(request, door_threads(request.n, opts));
    const std::size_t wanted = kernels->workspace_bytes(request);
    const bool callers = opts.workspace.data() != nullptr;
    if (callers)
      checks::workspace(request, opts, wanted);
    const cpu::scratch own(opts.memory == memory::host ? wanted : 0, "the workspace of a scan");
    kernels->run(request, opts, callers ? opts.workspace.first(wanted) : own.bytes());
  });
}

void run(const histogram_request& request, const options& opts) {
  with_named_failures("a histogram", [&] {
    checks::histogram(request, opts);
    if (const selector* const kernels = kernels_for(request.n, opts, purpose::running).kernels; kernels != nullptr)
      kernels->run(request, opts);
    else
      cpu::histogram(request, opts, door_threads(request.n, opts));
  });
}

} // namespace sortile
