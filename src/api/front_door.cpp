// The front door: every call of the library comes through here. Check, choose an engine, plan, find workspace, run.
#include <sortile/request.hpp>
#include <sortile/sortile.hpp>

#include "api/checks.hpp"
#include "api/door.hpp"
#include "cpu/cpu_engine.hpp"
#include "cpu/few_keys.hpp"
#include "cpu/scratch.hpp"
#include "cpu/small_sort.hpp"
#include "cpu/string_gather.hpp"
#include "cpu/strings.hpp"
#include "plan/engine.hpp"
#include "plan/nowhere.hpp"

#include <algorithm>

namespace sortile {
namespace {

/// A checked request, and who does it with how many threads.
struct assignment {
  sort_request request;
  const engine& by;
  unsigned threads;
  bool at_once; ///< without workspace, as a limit of it asks for wherever that can be
};

assignment assign(const sort_request& given, const options& opts, purpose what) {
  checks::sort(given, opts);
  sort_request request = given;
  if (request.keys_in == request.keys_out)
    request.input_is_scratch = false; // in place: there is no second buffer to leave the result in
  // Asking the system for its processors takes longer than a short sort, which would not use them. Nor does a sort in
  // device memory.
  const bool alone = request.n < door_alone_below || opts.memory == memory::device;
  const unsigned threads = alone ? 1 : resolve_threads(opts);
  const engine& by = choose_engine(request, opts, what);
  const bool at_once = opts.workspace_limit != 0 && &by == &cpu::cpu_engine() && cpu::sorts_at_once(request, opts);
  return {request, by, threads, at_once};
}

plan plan_at_once(const sort_request& r) {
  const std::size_t keys = r.n * key_bytes(r.type), values = r.n * r.value_bytes;
  plan p;
  p.steps.push_back({"local", "a short sort at once, without workspace",
                     keys + (r.carries == payload::values ? values : 0), (r.keys_out == nullptr ? 0 : keys) + values});
  return p;
}

/// Of a request whose arrays are not there yet: the most that it takes in place, or apart, and of indices with or
/// without sorted keys.
std::size_t most_workspace_bytes(const sort_request& unplaced, const options& opts) {
  sort_request r = unplaced;
  r.keys_in = nowhere(0);
  r.keys_out = nowhere(1);
  if (r.carries == payload::values)
    r.values_in = nowhere(2);
  if (r.carries != payload::none)
    r.values_out = nowhere(3);
  std::size_t most = workspace_bytes(r, opts);
  if (r.input_is_scratch)
    return most;
  r.keys_out = nowhere(0);
  if (r.carries == payload::values)
    r.values_out = nowhere(2);
  most = std::max(most, workspace_bytes(r, opts));
  if (r.carries == payload::indices) {
    r.keys_out = nullptr;
    most = std::max(most, workspace_bytes(r, opts));
  }
  return most;
}

} // namespace

plan explain(const sort_request& request, const options& opts) {
  return with_named_failures("the plan of a sort", [&] {
    const assignment a = assign(request, opts, purpose::planning);
    plan p = a.at_once ? plan_at_once(a.request) : a.by.make_plan(a.request, opts, a.threads);
    p.engine = a.by.name();
    p.reason = why_chosen(a.by, a.request, opts, purpose::planning);
    return p;
  });
}

std::size_t workspace_bytes(const sort_request& request, const options& opts) {
  if (request.keys_in == nullptr && request.n > 0)
    return most_workspace_bytes(request, opts);
  return with_named_failures("the plan of a sort", [&] {
    const assignment a = assign(request, opts, purpose::planning);
    return a.at_once ? 0 : a.by.workspace_bytes(a.request, opts, a.threads);
  });
}

result_place run(const sort_request& given, const options& opts) {
  if (cpu::sort_small(given, opts, allows_cpu_engine(opts)))
    return result_place::output;
  return with_named_failures("a sort", [&] {
    const assignment a = assign(given, opts, purpose::running);
    const std::size_t wanted = a.at_once ? 0 : a.by.workspace_used(a.request, opts, a.threads);
    const bool callers = opts.workspace.data() != nullptr;
    if (callers)
      checks::workspace(a.request, opts, wanted);
    if (a.at_once) {
      cpu::sort_at_once(a.request, opts);
      return result_place::output;
    }
    const bool on_host = opts.memory == memory::host;
    const cpu::scratch own(callers || !on_host ? 0 : wanted);
    const execution how{.threads = a.threads,
                        .workspace = callers ? opts.workspace.first(wanted) : own.bytes(),
                        .progress = opts.progress ? &opts.progress : nullptr};
    return a.by.run(a.request, opts, how);
  });
}

void run(const rows_request& request, const options& opts) {
  if (cpu::argsort_rows_small(request, opts, allows_cpu_engine(opts)))
    return;
  with_named_failures("a sort of rows", [&] {
    checks::rows(request, opts);
    need_cpu_engine("order the rows of", opts);
    cpu::argsort_rows(request, opts, door_threads(request.n, opts));
  });
}

void run(const sort_rows_request& request, const options& opts) {
  if (cpu::sort_few_rows(request, opts, allows_cpu_engine(opts)))
    return;
  with_named_failures("a sort of rows", [&] {
    checks::sort_rows(request, opts);
    need_cpu_engine("sort the rows of", opts);
    cpu::sort_rows(request, opts, door_threads(request.n, opts));
  });
}

void run(const permute_request& request, const options& opts) {
  if (cpu::permute_few(request, opts, allows_cpu_engine(opts)))
    return;
  with_named_failures("a permutation", [&] {
    checks::permute(request, opts);
    need_cpu_engine("permute", opts);
    cpu::permute(request, door_threads(request.n, opts));
  });
}

std::size_t run(const strings_request& request, const options& opts) {
  return with_named_failures("a sort of strings", [&] {
    checks::strings(request, opts);
    need_cpu_engine("order the strings of", opts);
    const unsigned threads = door_threads(request.n, opts);
    std::size_t wrong = 0;
    if (request.views == nullptr && !cpu::offsets_rise(request, threads, wrong))
      checks::refuse_offset(wrong);
    return cpu::sort_strings(request, opts, threads);
  });
}

namespace detail {

void run_as_usual(const sort_request& request) {
  if (!few_door_is_open() || !cpu::sort_small(request))
    run(request, {});
}

void gather_strings(const strings_request& strings, const void* positions, void* offsets_out, char* bytes_out,
                    std::size_t bytes_size, const options& opts) {
  checks::gathered_strings(strings, offsets_out, bytes_out, bytes_size);
  cpu::gather_strings(strings, static_cast<const std::uint64_t*>(positions), offsets_out, bytes_out,
                      door_threads(strings.n, opts));
}

} // namespace detail

std::optional<std::size_t> first_disorder(key_type type, const void* keys, std::size_t n, const options& opts) {
  std::optional<std::size_t> found;
  if (cpu::find_disorder_at_once(type, keys, n, opts, allows_cpu_engine(opts), found))
    return found;
  return with_named_failures("a check of order", [&] {
    checks::keys("first_disorder", type, keys, n, opts);
    need_cpu_engine("check", opts);
    return cpu::first_disorder(type, keys, n, opts, door_threads(n, opts));
  });
}

void release_scratch() noexcept {
  cpu::release_scratch();
  for (const engine* e : all_engines())
    e->release_scratch();
}

std::vector<engine_info> engines() {
  std::vector<engine_info> list;
  for (const engine* e : all_engines()) {
    const std::string_view why = e->why_unusable();
    list.push_back({std::string(e->name()), std::string(e->description()), why.empty(), std::string(why)});
  }
  return list;
}

[[gnu::cold]] std::string to_string(const plan& p) {
  const auto megabytes = [](std::uint64_t bytes) { return std::to_string((bytes + 500'000) / 1'000'000) + " MB"; };
  std::string text = "engine    " + p.engine + ": " + p.reason + "\n";
  for (const plan_step& step : p.steps) {
    std::string name = step.name;
    name.resize(std::max<std::size_t>(name.size(), 9), ' ');
    text += name + " " + step.detail + "; reads " + megabytes(step.bytes_read) + ", writes " +
            megabytes(step.bytes_written) + "\n";
  }
  text += "workspace " + std::to_string(p.workspace_bytes) + " bytes\n";
  text += std::string("result    in the ") + (p.result == result_place::input ? "input" : "output") + " arrays\n";
  return text;
}

} // namespace sortile
