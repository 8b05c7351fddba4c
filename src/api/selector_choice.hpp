// Who does a request that is no whole sort (a selection, groups, a scan): the CPU engine, or the kernels of another.
#pragma once

#include "api/select_checks.hpp"
#include "cpu/scratch.hpp"
#include "plan/engine.hpp"

#include <string>
#include <string_view>

namespace sortile {

struct kernels_choice {
  const selector* kernels = nullptr; ///< null: the CPU engine
  std::string_view engine;
  std::string reason;
};

/// Of a request of n elements. Arrays in host memory are the CPU engine's, unless another is asked for by name.
/// \throws unknown_engine, engine_unusable
kernels_choice kernels_for(std::size_t n, const options& opts, purpose what);

/// What kernels need of a request beside its arrays, where it lies in device memory; in host memory they allocate it.
template <class Request>
std::size_t workspace_by(const kernels_choice& who, const Request& request, const options& opts) {
  if (who.kernels == nullptr || opts.memory == memory::host)
    return 0;
  if constexpr (requires { who.kernels->workspace_bytes(request, opts); })
    return who.kernels->workspace_bytes(request, opts);
  else if constexpr (requires { who.kernels->workspace_bytes(request); })
    return who.kernels->workspace_bytes(request);
  else
    return 0;
}

/// Kernels do a checked selection, or groups, with the caller's workspace or with their own.
template <class Request>
void run_by(const selector& kernels, const Request& request, const options& opts) {
  const bool callers = opts.workspace.data() != nullptr, on_host = opts.memory == memory::host;
  const std::size_t wanted = callers || on_host ? kernels.workspace_used(request, opts) : 0; // else it finds its own
  if (callers)
    checks::workspace(request, opts, wanted);
  const cpu::scratch own(callers ? 0 : wanted, "the workspace of kernels");
  kernels.run(request, opts, callers ? opts.workspace.first(wanted) : own.bytes());
}

/// Who does a request and how; `add_cpu_steps(steps)` says it of the CPU engine.
template <class Request, class AddSteps>
plan plan_by(const kernels_choice& who, const Request& request, const options& opts, AddSteps add_cpu_steps) {
  plan p;
  p.engine = who.engine;
  p.reason = who.reason;
  if (who.kernels == nullptr)
    add_cpu_steps(p.steps);
  else if constexpr (requires { who.kernels->add_steps(request, opts, p.steps); })
    who.kernels->add_steps(request, opts, p.steps);
  else
    who.kernels->add_steps(request, p.steps);
  p.workspace_bytes = workspace_by(who, request, opts);
  return p;
}

} // namespace sortile
