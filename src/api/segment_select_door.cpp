// The front door of partial sorts, nth_element, ranks and quantiles within segments.
//
// Of arrays in host memory the CPU engine does them, of short segments by a sort within them, which takes less time
// there than a selection from each. Kernels have no partial sorts and no nth_element of segments; what they have
// instead is that sort, which is both.
#include "api/door.hpp"
#include "api/segment_checks.hpp"
#include "api/select_checks.hpp"
#include "api/selector_choice.hpp"
#include "cpu/scratch.hpp"
#include "cpu/segment_select.hpp"
#include "plan/nowhere.hpp"
#include "plan/segment_places.hpp"

#include <algorithm>
#include <concepts>

namespace sortile {
namespace {

bool is_cpu_engines(const options& opts) {
  return opts.memory == memory::host && allows_cpu_engine(opts);
}

template <class Request>
Request placed(const Request& request) {
  Request r = request;
  if (r.arrays.keys == nullptr) {
    r.arrays.keys = nowhere(0);
    if constexpr (requires { r.arrays.values; })
      r.arrays.values = r.arrays.value_bytes == 0 ? nullptr : nowhere(1);
    if constexpr (requires { r.arrays.keys_out; })
      r.arrays.keys_out = nowhere(1);
    if constexpr (requires { r.arrays.results; })
      r.arrays.results = reinterpret_cast<double*>(nowhere(1));
  }
  if (r.where.form != segment_form::strided && r.where.begins == nullptr)
    r.where.begins = nowhere(4);
  if (r.where.form == segment_form::ranges && r.where.ends == nullptr)
    r.where.ends = nowhere(5);
  return r;
}

/// Whether segments are so short, on the average, that they are sorted; by the numbers of keys and segments alone. A
/// Zen 3, one thread: the first 5 of ten u32 2.3 ms sorted and 20 selected (10^6 keys), of a hundred 1.0 and 4.1, of a
/// thousand 2.4 and 0.8; the fifth of ten 2.3 and 3.5, of a hundred 1.0 and 1.1. A Zen 4: the 50th of a hundred
/// u32 1.05 and 1.2, of 300 1.2 and 1.1; of a hundred i16 7.4 and 2.4.
template <class Request>
bool are_sorted(const Request& r) {
  if (r.where.count == 0)
    return false;
  if constexpr (requires { r.arrays.k; })
    if (r.arrays.k == 0)
      return false; // nothing moves
  const std::size_t average = r.arrays.n / r.where.count, key = key_bytes(r.arrays.type);
  if (std::same_as<Request, segmented_partial_sort_request>)
    return average < (key >= 4 ? 200 : 48);
  return average < (key == 4 || key == 8 ? 128 : 48);
}

// A sort that does it.

segmented_request sort_of(const segmented_partial_sort_request& r) {
  const partial_sort_request& a = r.arrays;
  sort_request whole{.type = a.type, .n = a.n, .keys_in = a.keys, .keys_out = a.keys};
  if (a.value_bytes > 0) {
    whole.carries = payload::values;
    whole.value_bytes = a.value_bytes;
    whole.values_in = whole.values_out = a.values;
  }
  return {whole, r.where};
}

segmented_request sort_of(const segmented_nth_element_request& r) {
  const nth_element_request& a = r.arrays;
  return {{.type = a.type, .n = a.n, .keys_in = a.keys, .keys_out = a.keys}, r.where};
}

/// Of ranks and quantiles: into memory of its own.
template <class Request>
segmented_request sort_of(const segmented<Request>& r, void* sorted) {
  return {{.type = r.arrays.type, .n = r.arrays.n, .keys_in = r.arrays.keys, .keys_out = sorted}, r.where};
}

template <class Request>
constexpr bool is_in_place = requires(const Request& r) {
  sort_of(r);
};

template <class Request>
void pick_from_sorted(const Request& request, const options& opts, unsigned threads) {
  const cpu::scratch sorted(request.arrays.n * key_bytes(request.arrays.type), "keys sorted within their segments");
  run(sort_of(request, sorted.bytes().data()), opts);
  cpu::pick_in_segments(request, sorted.bytes().data(), threads);
}

/// As a sort, or as a search whose offsets are checked where they lie in host memory.
template <class Request>
void run_by_kernels(const Request& request, const options& opts) {
  if constexpr (is_in_place<Request>) {
    run(sort_of(request), opts);
  } else {
    if (opts.memory == memory::host)
      checks::survey({{.n = request.arrays.n}, request.where}, 1);
    run_by(*kernels_for(request.arrays.n, opts, purpose::running).kernels, request, opts);
  }
}

template <class Request>
void run_checked(const Request& request, const options& opts) {
  with_named_failures("a selection within segments", [&] {
    checks::selection(request, opts);
    if (!is_cpu_engines(opts))
      return run_by_kernels(request, opts);
    const unsigned threads = door_threads(std::max(request.arrays.n, request.where.count), opts);
    if (are_sorted(request)) {
      if constexpr (is_in_place<Request>)
        return run(sort_of(request), opts);
      else
        return pick_from_sorted(request, opts, threads);
    }
    checks::survey({{.n = request.arrays.n}, request.where}, threads);
    cpu::select_in_segments(request, opts, threads);
  });
}

template <class Request>
std::size_t planned_workspace(const Request& given, const options& opts) {
  return with_named_failures("the plan of a selection within segments", [&]() -> std::size_t {
    const Request request = placed(given);
    checks::selection(request, opts);
    if constexpr (is_in_place<Request>)
      return opts.memory == memory::host ? 0 : workspace_bytes(sort_of(request), opts);
    else
      return workspace_by(kernels_for(request.arrays.n, opts, purpose::planning), request, opts);
  });
}

template <class Request>
plan plan_of_sort(const Request& request, const options& opts) {
  plan p;
  if constexpr (is_in_place<Request>) {
    p = explain(sort_of(request), opts);
  } else {
    p = explain(sort_of(request, nowhere(2)), opts);
    const std::size_t keys = request.arrays.n * key_bytes(request.arrays.type);
    p.steps.push_back({"copy", "the results, of the sorted segments", keys, 0});
  }
  if (opts.memory == memory::host)
    p.workspace_bytes = 0; // it allocates its own
  return p;
}

template <class Request>
plan plan_of(const Request& given, const options& opts) {
  return with_named_failures("the plan of a selection within segments", [&] {
    const Request request = placed(given);
    checks::selection(request, opts);
    const kernels_choice by = kernels_for(request.arrays.n, opts, purpose::planning);
    if (by.kernels == nullptr ? are_sorted(request) : is_in_place<Request>)
      return plan_of_sort(request, opts);
    if constexpr (!is_in_place<Request>)
      if (by.kernels != nullptr)
        return plan_by(by, request, opts, [](auto&) {});
    plan p;
    p.engine = by.engine;
    p.reason = by.reason;
    cpu::add_segment_steps(request, p.steps);
    return p;
  });
}

} // namespace

void detail::run_in_segments(const segmented_partial_sort_request& request, const options& opts) {
  run_checked(request, opts);
}
void detail::run_in_segments(const segmented_nth_element_request& request, const options& opts) {
  run_checked(request, opts);
}
void detail::run_in_segments(const segmented_ranks_request& request, const options& opts) {
  run_checked(request, opts);
}
void detail::run_in_segments(const segmented_quantiles_request& request, const options& opts) {
  run_checked(request, opts);
}

std::size_t detail::workspace_in_segments(const segmented_partial_sort_request& request, const options& opts) {
  return planned_workspace(request, opts);
}
std::size_t detail::workspace_in_segments(const segmented_nth_element_request& request, const options& opts) {
  return planned_workspace(request, opts);
}
std::size_t detail::workspace_in_segments(const segmented_ranks_request& request, const options& opts) {
  return planned_workspace(request, opts);
}
std::size_t detail::workspace_in_segments(const segmented_quantiles_request& request, const options& opts) {
  return planned_workspace(request, opts);
}

plan detail::explain_in_segments(const segmented_partial_sort_request& request, const options& opts) {
  return plan_of(request, opts);
}
plan detail::explain_in_segments(const segmented_nth_element_request& request, const options& opts) {
  return plan_of(request, opts);
}
plan detail::explain_in_segments(const segmented_ranks_request& request, const options& opts) {
  return plan_of(request, opts);
}
plan detail::explain_in_segments(const segmented_quantiles_request& request, const options& opts) {
  return plan_of(request, opts);
}

} // namespace sortile
