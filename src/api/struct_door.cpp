// The front door of sorts of structs: check, choose the engine, find workspace, run.
//
// The engine follows from how the request's kernel was compiled: by nvcc for "cuda", by a host compiler for "executor".
// Another one asked for by name is refused with the reasons of the planner.
#include "api/checks.hpp"
#include "api/device_engine.hpp"
#include "cpu/scratch.hpp"
#include "plan/nowhere.hpp"

#include <new>

namespace sortile {

const struct_sorter& engine_of_caller(bool on_executor, const char* operation, options opts, purpose what) {
  opts.memory = on_executor ? memory::host : memory::device;
  if (on_executor && opts.engine.empty())
    opts.engine = "executor";
  // Any request that every engine takes: only the engine's name is wanted.
  const sort_request any{.n = 1, .keys_in = nowhere(), .keys_out = nowhere()};
  const engine& by = [&]() -> const engine& {
    try {
      return choose_engine(any, opts, what);
    } catch (const engine_unusable& refusal) {
      throw engine_unusable(std::string(refusal.what()) + " (in " + operation + ")");
    }
  }();
  const std::string_view able = on_executor ? "executor" : "cuda";
  if (by.name() != able || by.structs() == nullptr)
    throw engine_unusable("sortile: engine '" + std::string(by.name()) + "', " + why_chosen(by, any, opts, what) +
                          ", does not do " + operation + "; as this call was compiled, engine '" + std::string(able) +
                          "' does");
  return *by.structs();
}

namespace {

const struct_sorter& assigned(const struct_request& request, const options& opts, purpose what) {
  checks::structs(request, opts);
  return engine_of_caller(request.on_executor, "a sort of structs", opts, what);
}

} // namespace

std::size_t workspace_bytes(const struct_request& request, const options& opts) {
  return assigned(request, opts, purpose::planning).workspace_bytes(request, opts);
}

void run(const struct_request& request, const options& opts) {
  try {
    const struct_sorter& sorter = assigned(request, opts, purpose::running);
    const std::size_t wanted = sorter.workspace_used(request, opts);
    const bool callers = opts.workspace.data() != nullptr;
    if (callers)
      checks::workspace(request, opts, wanted);
    if (request.n == 0)
      return;
    const cpu::scratch own(callers || !request.on_executor ? 0 : wanted);
    sorter.run(request, opts, callers ? opts.workspace.first(wanted) : own.bytes());
  } catch (const std::bad_alloc&) {
    throw out_of_memory("sortile: out of memory in a sort of structs");
  }
}

} // namespace sortile
