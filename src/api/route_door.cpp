// The front door of routings: check, choose an engine, find workspace, run.
#include "api/door.hpp"
#include "api/route_checks.hpp"
#include "api/selector_choice.hpp"
#include "cpu/route.hpp"
#include "cpu/scratch.hpp"

namespace sortile {

std::size_t detail::route_workspace_bytes(const route_request& request, const options& opts) {
  return with_named_failures("the plan of a routing", [&] {
    checks::route_shape(request, opts);
    return workspace_by(kernels_for(request.n, opts, purpose::planning), request, opts);
  });
}

plan detail::explain_route(const route_request& request, const options& opts) {
  return with_named_failures("the plan of a routing", [&] {
    checks::route_shape(request, opts);
    return plan_by(kernels_for(request.n, opts, purpose::planning), request, opts,
                   [&](auto& steps) { cpu::add_route_steps(request, steps); });
  });
}

void detail::run_route(const route_request& request, const options& opts) {
  with_named_failures("a routing", [&] {
    checks::route(request, opts);
    const selector* const kernels = kernels_for(request.n, opts, purpose::running).kernels;
    if (kernels == nullptr)
      return cpu::route(request, door_threads(request.n, opts));
    const std::size_t wanted = kernels->workspace_bytes(request);
    const bool callers = opts.workspace.data() != nullptr;
    if (callers)
      checks::workspace(request, opts, wanted);
    const cpu::scratch own(opts.memory == memory::host ? wanted : 0, "the workspace of a routing");
    kernels->run(request, opts, callers ? opts.workspace.first(wanted) : own.bytes());
  });
}

} // namespace sortile
