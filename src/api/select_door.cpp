// The front door of selections: check, choose an engine, find workspace, run. All kinds go one way.
//
// Of arrays in host memory the CPU engine does them, unless another engine is asked for by name.
#include "api/checks.hpp"
#include "api/door.hpp"
#include "api/segment_checks.hpp"
#include "api/select_checks.hpp"
#include "api/selector_choice.hpp"
#include "cpu/few_keys.hpp"
#include "cpu/groups.hpp"
#include "cpu/scratch.hpp"
#include "cpu/select.hpp"
#include "cpu/small_select.hpp"
#include "plan/nowhere.hpp"

namespace sortile {
namespace {

// Requests whose arrays are not there yet: at any place.

void place_arrays(top_k_request& r) {
  r.keys_in = nowhere(0);
  r.keys_out = nowhere(1);
  r.values_in = r.carries == payload::values ? nowhere(2) : nullptr;
  r.values_out = r.carries == payload::none ? nullptr : nowhere(3);
}

top_k_request placed(const top_k_request& request) {
  top_k_request r = request;
  if (r.keys_in == nullptr && r.n > 0)
    place_arrays(r);
  return r;
}

segmented_top_k_request placed(const segmented_top_k_request& request) {
  segmented_top_k_request r = request;
  if (r.arrays.keys_in == nullptr) // of no keys too: there is room for k of each segment
    place_arrays(r.arrays);
  if (r.where.begins == nullptr)
    r.where.begins = nowhere(4);
  if (r.where.ends == nullptr && r.where.form == segment_form::ranges)
    r.where.ends = nowhere(5);
  return r;
}

partial_sort_request placed(const partial_sort_request& request) {
  partial_sort_request r = request;
  if (r.keys == nullptr) {
    r.keys = nowhere(0);
    r.values = r.value_bytes == 0 ? nullptr : nowhere(1);
  }
  return r;
}

nth_element_request placed(const nth_element_request& request) {
  nth_element_request r = request;
  if (r.keys == nullptr)
    r.keys = nowhere(0);
  return r;
}

ranks_request placed(const ranks_request& request) {
  ranks_request r = request;
  if (r.keys == nullptr) {
    r.keys = nowhere(0);
    r.keys_out = nowhere(1);
  }
  return r;
}

quantiles_request placed(const quantiles_request& request) {
  quantiles_request r = request;
  if (r.keys == nullptr) {
    r.keys = nowhere(0);
    r.results = reinterpret_cast<double*>(nowhere(1));
  }
  return r;
}

/// With the outputs that take most, one's numbers and counts.
groups_request placed(const groups_request& request, const options& opts) {
  if (request.keys != nullptr || request.n == 0)
    return request;
  return {.type = request.type,
          .n = request.n,
          .keys = nowhere(0),
          .index_bytes = request.index_bytes,
          .first = nowhere(1),
          .counts = nowhere(2),
          .device_groups = opts.memory == memory::device ? reinterpret_cast<std::uint64_t*>(nowhere(3)) : nullptr};
}

} // namespace

kernels_choice kernels_for(std::size_t n, const options& opts, purpose what) {
  if (opts.memory == memory::host && allows_cpu_engine(opts))
    return {nullptr, "cpu",
            what == purpose::planning ? "arrays in host memory are its own, unless another engine is named" : ""};
  // Any request that every engine takes: only the engine is wanted.
  const sort_request any{.n = n, .keys_in = nowhere(), .keys_out = nowhere()};
  const engine& by = choose_engine(any, opts, what);
  const selector* const kernels = by.selects();
  if (kernels == nullptr || !kernels->reaches(opts.memory))
    throw engine_unusable("sortile: engine '" + std::string(by.name()) + "', " + why_chosen(by, any, opts, what) +
                          ", does not do this with arrays in " +
                          (opts.memory == memory::host ? "host memory; engine 'cpu' does" : "device memory"));
  return {kernels, by.name(), why_chosen(by, any, opts, what)};
}

namespace {

struct assignment {
  kernels_choice by;
  unsigned threads;
};

/// Keys of a row, and of all.
template <class Request>
std::size_t keys_of_row(const Request& request) {
  if constexpr (std::same_as<Request, segmented_top_k_request>)
    return request.arrays.n;
  else
    return request.n;
}
template <class Request>
std::size_t keys_of(const Request& request) {
  if constexpr (requires { request.rows; })
    return request.rows * request.n;
  else
    return keys_of_row(request);
}

/// Reads what host memory has that must be right, and that no plan looks at.
template <class Request>
void survey(const Request& request, const options& opts, unsigned threads) {
  if constexpr (std::same_as<Request, segmented_top_k_request>)
    if (opts.memory == memory::host)
      checks::survey({{.n = request.arrays.n}, request.where}, threads);
}

/// Checks a request and says who does it.
template <class Request>
assignment assign(const Request& request, const options& opts, purpose what) {
  checks::selection(request, opts);
  const unsigned threads = opts.memory == memory::device ? 1 : door_threads(keys_of(request), opts);
  return {kernels_for(keys_of_row(request), opts, what), threads};
}

template <class Request>
std::size_t workspace_of(const assignment& a, const Request& request, const options& opts) {
  return a.by.kernels != nullptr ? a.by.kernels->workspace_bytes(request, opts)
                                 : cpu::select_workspace_bytes(request, a.threads);
}

template <class Request>
void run_selection(const char* operation, const Request& request, const options& opts) {
  with_named_failures(operation, [&] {
    const assignment a = assign(request, opts, purpose::running);
    survey(request, opts, a.threads);
    if (a.by.kernels != nullptr)
      return run_by(*a.by.kernels, request, opts);
    const std::size_t wanted = cpu::select_workspace_bytes(request, a.threads);
    const bool callers = opts.workspace.data() != nullptr;
    if (callers)
      checks::workspace(request, opts, wanted);
    const cpu::scratch own(callers ? 0 : wanted, "the workspace of a selection");
    cpu::select(
        request, opts,
        {a.threads, callers ? opts.workspace.first(wanted) : own.bytes(), opts.progress ? &opts.progress : nullptr});
  });
}

template <class Request>
std::size_t planned_workspace(const Request& given, const options& opts) {
  return with_named_failures("the plan of a selection", [&] {
    const Request request = placed(given);
    return workspace_of(assign(request, opts, purpose::planning), request, opts);
  });
}

template <class Request>
plan plan_of(const Request& given, const options& opts) {
  return with_named_failures("the plan of a selection", [&] {
    const Request request = placed(given);
    const assignment a = assign(request, opts, purpose::planning);
    plan p = plan_by(a.by, request, opts, [&](auto& steps) { cpu::add_select_steps(request, opts, a.threads, steps); });
    p.workspace_bytes = workspace_of(a, request, opts);
    return p;
  });
}

} // namespace

void detail::run_top_k(const top_k_request& request, const options& opts) {
  const bool is_open = allows_cpu_engine(opts);
  if (cpu::select_small(request, opts, is_open) || cpu::select_few(request, opts, is_open))
    return;
  run_selection("a selection", request, opts);
}
std::size_t detail::top_k_workspace_bytes(const top_k_request& request, const options& opts) {
  return planned_workspace(request, opts);
}
plan detail::explain_top_k(const top_k_request& request, const options& opts) {
  return plan_of(request, opts);
}

void detail::run_segmented_top_k(const segmented_top_k_request& request, const options& opts) {
  run_selection("a top-k within segments", request, opts);
}
std::size_t detail::segmented_top_k_workspace_bytes(const segmented_top_k_request& request, const options& opts) {
  return planned_workspace(request, opts);
}
plan detail::explain_segmented_top_k(const segmented_top_k_request& request, const options& opts) {
  return plan_of(request, opts);
}

void run(const partial_sort_request& request, const options& opts) {
  const bool is_open = allows_cpu_engine(opts);
  if (cpu::select_small(request, opts, is_open) || cpu::select_few(request, opts, is_open))
    return;
  run_selection("a partial sort", request, opts);
}
std::size_t detail::partial_sort_workspace_bytes(const partial_sort_request& request, const options& opts) {
  return planned_workspace(request, opts);
}
plan detail::explain_partial_sort(const partial_sort_request& request, const options& opts) {
  return plan_of(request, opts);
}

void run(const nth_element_request& request, const options& opts) {
  const bool is_open = allows_cpu_engine(opts);
  if (cpu::select_small(request, opts, is_open) || cpu::select_few(request, opts, is_open))
    return;
  run_selection("nth_element", request, opts);
}
std::size_t detail::nth_element_workspace_bytes(const nth_element_request& request, const options& opts) {
  return planned_workspace(request, opts);
}
plan detail::explain_nth_element(const nth_element_request& request, const options& opts) {
  return plan_of(request, opts);
}

void run(const ranks_request& request, const options& opts) {
  if (cpu::select_small(request, opts, allows_cpu_engine(opts)))
    return;
  run_selection("a search for ranks", request, opts);
}
std::size_t detail::ranks_workspace_bytes(const ranks_request& request, const options& opts) {
  return planned_workspace(request, opts);
}
plan detail::explain_ranks(const ranks_request& request, const options& opts) {
  return plan_of(request, opts);
}

void run(const quantiles_request& request, const options& opts) {
  if (cpu::select_small(request, opts, allows_cpu_engine(opts)))
    return;
  run_selection("quantiles", request, opts);
}
std::size_t detail::quantiles_workspace_bytes(const quantiles_request& request, const options& opts) {
  return planned_workspace(request, opts);
}
plan detail::explain_quantiles(const quantiles_request& request, const options& opts) {
  return plan_of(request, opts);
}

std::size_t detail::groups_workspace_bytes(const groups_request& given, const options& opts) {
  return with_named_failures("the plan of groups", [&] {
    const groups_request request = placed(given, opts);
    checks::groups(request, opts);
    return workspace_by(kernels_for(request.n, opts, purpose::planning), request, opts);
  });
}

plan detail::explain_groups(const groups_request& given, const options& opts) {
  return with_named_failures("the plan of groups", [&] {
    const groups_request request = placed(given, opts);
    checks::groups(request, opts);
    return plan_by(kernels_for(request.n, opts, purpose::planning), request, opts,
                   [&](auto& steps) { cpu::add_groups_steps(request, opts, door_threads(request.n, opts), steps); });
  });
}

std::size_t run(const groups_request& given, const options& opts) {
  if (std::size_t found = 0; cpu::group_few(given, opts, allows_cpu_engine(opts), found))
    return found;
  return with_named_failures("a search for groups", [&]() -> std::size_t {
    checks::groups(given, opts);
    const kernels_choice by = kernels_for(given.n, opts, purpose::running);
    if (by.kernels == nullptr || given.n == 0)
      return cpu::groups(given, opts, door_threads(given.n, opts));
    std::uint64_t found = 0;
    groups_request request = given;
    if (opts.memory == memory::host) // the executor's
      request.device_groups = &found;
    run_by(*by.kernels, request, opts);
    return found;
  });
}

} // namespace sortile
