// The front door of selections: check, choose an engine, find workspace, run.
//
// Of arrays in host memory the CPU engine does them all, unless another engine is asked for by name; the engines made
// of kernels do top-k, keys at ranks, quantiles and groups.
#include "api/checks.hpp"
#include "api/door.hpp"
#include "api/select_checks.hpp"
#include "api/selector_choice.hpp"
#include "cpu/groups.hpp"
#include "cpu/scratch.hpp"
#include "cpu/select.hpp"

namespace sortile {
namespace {

struct selection_assignment {
  const selector* kernels; ///< null: the CPU engine
  std::string_view engine;
  std::string reason;
  unsigned threads;
};

selection_assignment assign(const top_k_request& request, const options& opts, purpose what) {
  checks::top_k(request, opts);
  const kernels_choice by = kernels_for(request.n, opts, what);
  const bool alone = (request.n < door_alone_below && request.rows == 1) || opts.memory == memory::device;
  return {by.kernels, by.engine, by.reason, alone ? 1 : resolve_threads(opts)};
}

/// Of a request whose arrays are not there yet: at any place.
top_k_request placed(const top_k_request& request) {
  if (request.keys_in != nullptr || request.n == 0)
    return request;
  const auto place = [](unsigned k) { // compared, never followed
    return reinterpret_cast<void*>((std::uintptr_t{1} << 60) + (std::uintptr_t{k} << 57));
  };
  top_k_request r = request;
  r.keys_in = place(0);
  r.keys_out = place(1);
  r.values_in = r.carries == payload::values ? place(2) : nullptr;
  r.values_out = r.carries == payload::none ? nullptr : place(3);
  return r;
}

/// Of a request whose keys are not there yet: at any place, with the outputs that take most, one's numbers and counts.
groups_request placed(const groups_request& request, const options& opts) {
  if (request.keys != nullptr || request.n == 0)
    return request;
  const auto place = [](unsigned k) { // compared, never followed
    return reinterpret_cast<void*>((std::uintptr_t{1} << 60) + (std::uintptr_t{k} << 57));
  };
  return {.type = request.type,
          .n = request.n,
          .keys = place(0),
          .index_bytes = request.index_bytes,
          .first = place(1),
          .counts = place(2),
          .device_groups = opts.memory == memory::device ? static_cast<std::uint64_t*>(place(3)) : nullptr};
}

} // namespace

kernels_choice kernels_for(std::size_t n, const options& opts, purpose what) {
  if (opts.memory == memory::host && allows_cpu_engine(opts))
    return {nullptr, "cpu", "selections of arrays in host memory are done there"};
  // Any request that every engine takes: only the engine is wanted.
  void* const anywhere = reinterpret_cast<void*>(std::uintptr_t{1} << 60); // compared, never followed
  const engine_choice choice =
      choose_engine(sort_request{.n = n, .keys_in = anywhere, .keys_out = anywhere}, opts, what);
  const selector* const kernels = choice.chosen->selects();
  if (kernels == nullptr || !kernels->reaches(opts.memory))
    throw engine_unusable("sortile: engine '" + std::string(choice.chosen->name()) + "', " + choice.reason +
                          ", does not do this with arrays in " +
                          (opts.memory == memory::host ? "host memory; engine 'cpu' does" : "device memory"));
  return {kernels, choice.chosen->name(), choice.reason};
}

std::size_t detail::top_k_workspace_bytes(const top_k_request& given, const options& opts) {
  return with_named_failures("the plan of a selection", [&] {
    const top_k_request request = placed(given);
    const selection_assignment a = assign(request, opts, purpose::planning);
    return a.kernels != nullptr ? a.kernels->workspace_bytes(request, opts)
                                : cpu::top_k_workspace_bytes(request, a.threads);
  });
}

plan detail::explain_top_k(const top_k_request& given, const options& opts) {
  return with_named_failures("the plan of a selection", [&] {
    const top_k_request request = placed(given);
    const selection_assignment a = assign(request, opts, purpose::planning);
    plan p;
    p.engine = a.engine;
    p.reason = a.reason;
    if (a.kernels != nullptr) {
      a.kernels->add_steps(request, opts, p.steps);
      p.workspace_bytes = a.kernels->workspace_bytes(request, opts);
    } else {
      cpu::add_top_k_steps(request, a.threads, p.steps);
      p.workspace_bytes = cpu::top_k_workspace_bytes(request, a.threads);
    }
    return p;
  });
}

void detail::run_top_k(const top_k_request& request, const options& opts) {
  with_named_failures("a selection", [&] {
    const selection_assignment a = assign(request, opts, purpose::running);
    const bool callers = opts.workspace.data() != nullptr;
    const std::size_t wanted = a.kernels != nullptr ? a.kernels->workspace_bytes(request, opts)
                                                    : cpu::top_k_workspace_bytes(request, a.threads);
    if (callers)
      checks::workspace(request, opts, wanted);
    const bool on_host = opts.memory == memory::host;
    const cpu::scratch own(callers || !on_host ? 0 : wanted, "the workspace of a selection");
    const std::span<std::byte> space = callers ? opts.workspace.first(wanted) : own.bytes();
    if (a.kernels != nullptr)
      a.kernels->run(request, opts, space);
    else
      cpu::top_k(request, opts, {a.threads, space, opts.progress ? &opts.progress : nullptr});
  });
}

void run(const partial_sort_request& request, const options& opts) {
  with_named_failures("a partial sort", [&] {
    checks::partial_sort(request, opts);
    need_cpu_engine("partially sort", opts);
    cpu::partial_sort(request, opts, resolve_threads(opts));
  });
}

void run(const nth_element_request& request, const options& opts) {
  with_named_failures("nth_element", [&] {
    checks::nth_element(request, opts);
    need_cpu_engine("put the nth key in place of", opts);
    cpu::nth_element(request, opts, resolve_threads(opts));
  });
}

namespace {

void check_search(const ranks_request& request, const options& opts) {
  checks::ranks(request, opts);
}
void check_search(const quantiles_request& request, const options& opts) {
  checks::quantiles(request, opts);
}
void search_on_cpu(const ranks_request& request, const options& opts) {
  cpu::keys_at_ranks(request, opts, resolve_threads(opts));
}
void search_on_cpu(const quantiles_request& request, const options& opts) {
  cpu::quantiles(request, opts, resolve_threads(opts));
}
void add_cpu_steps(const ranks_request& request, std::vector<plan_step>& steps) {
  cpu::add_ranks_steps(request, steps);
}
void add_cpu_steps(const quantiles_request& request, std::vector<plan_step>& steps) {
  cpu::add_quantiles_steps(request, steps);
}

/// Keys at ranks, and quantiles: the CPU engine allocates what it needs itself; kernels of arrays in device memory take
/// a workspace, or it is allocated in stream order.
template <class Request>
void run_search(const Request& request, const options& opts) {
  check_search(request, opts);
  const kernels_choice by = kernels_for(request.n, opts, purpose::running);
  if (by.kernels == nullptr)
    return search_on_cpu(request, opts);
  const std::size_t wanted = by.kernels->workspace_bytes(request, opts);
  const bool callers = opts.workspace.data() != nullptr;
  if (callers)
    checks::workspace(request, opts, wanted);
  const cpu::scratch own(opts.memory == memory::host ? wanted : 0, "the workspace of a search for ranks");
  by.kernels->run(request, opts, callers ? opts.workspace.first(wanted) : own.bytes());
}

/// Of a request whose arrays are not there yet: at any place.
template <class Request>
Request placed_search(const Request& given) {
  Request r = given;
  const auto place = [](unsigned k) { // compared, never followed
    return reinterpret_cast<void*>((std::uintptr_t{1} << 60) + (std::uintptr_t{k} << 57));
  };
  if (r.keys == nullptr) {
    r.keys = place(0);
    if constexpr (requires { r.results; })
      r.results = static_cast<double*>(place(1));
    else
      r.keys_out = place(1);
  }
  return r;
}

template <class Request>
plan search_plan(const Request& given, const options& opts) {
  return with_named_failures("the plan of a search for ranks", [&] {
    const Request request = placed_search(given);
    check_search(request, opts);
    const kernels_choice by = kernels_for(request.n, opts, purpose::planning);
    plan p;
    p.engine = by.engine;
    p.reason = by.reason;
    if (by.kernels == nullptr) {
      add_cpu_steps(request, p.steps);
    } else {
      by.kernels->add_steps(request, opts, p.steps);
      p.workspace_bytes = by.kernels->workspace_bytes(request, opts);
    }
    return p;
  });
}

template <class Request>
std::size_t search_workspace(const Request& given, const options& opts) {
  return with_named_failures("the plan of a search for ranks", [&]() -> std::size_t {
    const Request request = placed_search(given);
    check_search(request, opts);
    const kernels_choice by = kernels_for(request.n, opts, purpose::planning);
    return by.kernels == nullptr ? 0 : by.kernels->workspace_bytes(request, opts);
  });
}

} // namespace

void run(const ranks_request& request, const options& opts) {
  with_named_failures("a search for ranks", [&] { run_search(request, opts); });
}
std::size_t detail::ranks_workspace_bytes(const ranks_request& request, const options& opts) {
  return search_workspace(request, opts);
}
plan detail::explain_ranks(const ranks_request& request, const options& opts) {
  return search_plan(request, opts);
}

void run(const quantiles_request& request, const options& opts) {
  with_named_failures("quantiles", [&] { run_search(request, opts); });
}
std::size_t detail::quantiles_workspace_bytes(const quantiles_request& request, const options& opts) {
  return search_workspace(request, opts);
}
plan detail::explain_quantiles(const quantiles_request& request, const options& opts) {
  return search_plan(request, opts);
}

std::size_t detail::groups_workspace_bytes(const groups_request& given, const options& opts) {
  return with_named_failures("the plan of groups", [&]() -> std::size_t {
    const groups_request request = placed(given, opts);
    checks::groups(request, opts);
    const kernels_choice by = kernels_for(request.n, opts, purpose::planning);
    return by.kernels == nullptr || opts.memory == memory::host ? 0 : by.kernels->workspace_bytes(request, opts);
  });
}

std::size_t run(const groups_request& given, const options& opts) {
  return with_named_failures("a search for groups", [&]() -> std::size_t {
    checks::groups(given, opts);
    const kernels_choice by = kernels_for(given.n, opts, purpose::running);
    if (by.kernels == nullptr || given.n == 0)
      return cpu::groups(given, opts, resolve_threads(opts));
    const bool on_host = opts.memory == memory::host; // the executor's
    std::uint64_t found = 0;
    groups_request request = given;
    if (on_host)
      request.device_groups = &found;
    const std::size_t wanted = by.kernels->workspace_bytes(request, opts);
    const bool callers = opts.workspace.data() != nullptr;
    if (callers)
      checks::workspace(request, opts, wanted);
    const cpu::scratch own(on_host ? wanted : 0, "the workspace of groups");
    by.kernels->run(request, opts, callers ? opts.workspace.first(wanted) : own.bytes());
    return found;
  });
}

} // namespace sortile
