// The front door of sorts and merges whose kernels are all the caller's (compare.cuh): check, choose the engine, find
// workspace, run.
#include <sortile/device_call.hpp>

#include "api/array_checks.hpp"
#include "api/checks.hpp"
#include "api/device_engine.hpp"
#include "cpu/scratch.hpp"

#include <new>

namespace sortile::detail {
namespace {

using checks::named_array;
using checks::refuse_call;

named_array named(const caller_array& a) {
  if (a.name == nullptr) // absent
    return {""};
  return {a.name, a.data, a.count, a.element_bytes, a.alignment};
}

void check_options(const device_call& call, const options& opts) {
  checks::comparison_direction(opts);
  if (opts.progress)
    refuse_call(std::string("progress cannot be told of ") + call.operation +
                " in device memory: the call returns before the work is done");
  checks::refuse_limit(call.operation, opts);
  if (call.on_executor && (opts.stream != nullptr || opts.resource != nullptr))
    refuse_call(std::string("a stream or a device memory resource is given, but ") + call.operation +
                " was compiled by a host compiler: it runs on the executor, on arrays in host memory");
}

void check_arrays(const device_call& call) {
  for (const caller_array& a : call.arrays)
    checks::need_array(named(a), call.on_executor ? memory::host : memory::device);
  for (const caller_array& a : call.arrays)
    for (const caller_array& other : call.arrays)
      if (&a != &other && a.written)
        checks::need_apart(named(other), named(a));
  for (const caller_array& input : call.inputs) {
    checks::need_array(named(input), call.on_executor ? memory::host : memory::device);
    for (const caller_array& a : call.arrays)
      if (a.written)
        checks::need_apart(named(input), named(a));
  }
}

/// The caller's workspace: apart from all arrays.
void check_workspace(const device_call& call, const options& opts) {
  checks::need_space({named(call.arrays[0]), named(call.arrays[1]), named(call.arrays[2]), named(call.arrays[3])},
                     opts.workspace, call.on_executor ? memory::host : memory::device, call.workspace_bytes);
  for (const caller_array& input : call.inputs)
    checks::need_apart(named(input), {"the workspace", opts.workspace.data(), opts.workspace.size()});
}

} // namespace

void run_on_device(const device_call& call, const options& opts) try {
  check_options(call, opts);
  check_arrays(call);
  const struct_sorter& engine = engine_of_caller(call.on_executor, call.operation, opts, purpose::running);
  const bool callers = opts.workspace.data() != nullptr;
  if (callers)
    check_workspace(call, opts);
  const cpu::scratch own(callers || !call.on_executor ? 0 : call.workspace_bytes);
  engine.run(call, opts, callers ? opts.workspace.first(call.workspace_bytes) : own.bytes());
} catch (const std::bad_alloc&) {
  throw out_of_memory(std::string("sortile: out of memory in ") + call.operation);
}

} // namespace sortile::detail
