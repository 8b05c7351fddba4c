// The front door of sorts of structs: check, choose the engine, plan, find workspace, run.
//
// The engine follows from how the request's kernel was compiled: by nvcc for "cuda", by a host compiler for "executor".
// Another one asked for by name is refused with the reasons of the planner.
#include "api/checks.hpp"
#include "cpu/scratch.hpp"
#include "gpu/cuda_run.hpp"
#include "gpu/struct_sort.hpp"
#include "plan/engine.hpp"
#include "simt/executor/device.hpp"

#include <new>

namespace sortile {
namespace {

constexpr gpu::device_facts executors_device{};

/// Refuses a request that no engine can do, or whose engine is not the one asked for.
void need_engine(const struct_request& request, options opts, purpose what) {
  opts.memory = request.on_executor ? memory::host : memory::device;
  if (request.on_executor && opts.engine.empty())
    opts.engine = "executor";
  // Any request that every engine takes: only the engine's name is wanted.
  void* const anywhere = reinterpret_cast<void*>(std::uintptr_t{1} << 60); // compared, never followed
  const engine_choice choice =
      choose_engine(sort_request{.n = request.n, .keys_in = anywhere, .keys_out = anywhere}, opts, what);
  const std::string_view able = request.on_executor ? "executor" : "cuda";
  if (choice.chosen->name() != able)
    throw engine_unusable("sortile: engine '" + std::string(choice.chosen->name()) + "', " + choice.reason +
                          ", does not sort structs; as this call was compiled, engine '" + std::string(able) +
                          "' does");
}

gpu::struct_sort planned(const struct_request& request, const options& opts, purpose what) {
  checks::structs(request, opts);
  need_engine(request, opts, what);
  return {request, opts.order, request.on_executor ? executors_device : gpu::current_device()};
}

void run_on_executor(const gpu::struct_sort& sort, const options& opts, std::span<std::byte> given) {
  executor::device pretended(executor::options_from_environment({.os_threads = opts.threads}));
  const cpu::scratch own(given.data() != nullptr ? 0 : sort.workspace_bytes());
  sort.launch(simt::queue::executor(pretended), given.data() != nullptr ? given.data() : own.bytes().data());
}

} // namespace

std::size_t workspace_bytes(const struct_request& request, const options& opts) {
  return planned(request, opts, purpose::planning).workspace_bytes();
}

void run(const struct_request& request, const options& opts) {
  try {
    const gpu::struct_sort sort = planned(request, opts, purpose::running);
    std::span<std::byte> given = opts.workspace;
    if (given.data() != nullptr) {
      checks::workspace(request, given, sort.workspace_bytes());
      given = given.first(sort.workspace_bytes());
    }
    if (request.on_executor)
      run_on_executor(sort, opts, given);
    else if (request.n > 0)
      gpu::queue_in_device_memory({{"keys_in", request.keys_in},
                                   {"keys_out", request.keys_out},
                                   {"values_in", request.values_in},
                                   {"values_out", request.values_out}},
                                  sort.workspace_bytes(), given, opts,
                                  [&](const simt::queue& q, void* workspace) { sort.launch(q, workspace); });
  } catch (const std::bad_alloc&) {
    throw out_of_memory("sortile: out of memory in a sort of structs");
  }
}

} // namespace sortile
