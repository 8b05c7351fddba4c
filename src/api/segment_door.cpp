// The front door of sorts within segments: check, choose the engine, read the offsets, find workspace, run.
#include <sortile/segments.hpp>

#include "api/checks.hpp"
#include "api/door.hpp"
#include "api/segment_checks.hpp"
#include "cpu/scratch.hpp"
#include "plan/engine.hpp"
#include "plan/nowhere.hpp"

#include <algorithm>

namespace sortile {
namespace {

/// A checked request, and who does it with how many threads.
struct segment_assignment {
  const engine& by;
  const segment_sorter& sorter;
  unsigned threads;
};

/// What engines are asked to sort.
sort_request asked_of_engines(const segmented_request& request, const options& opts) {
  sort_request asked = request.arrays;
  asked.device_status = nullptr;
  if (opts.memory == memory::host)
    asked.n = 0; // so that no engine is chosen that pays for large arrays alone
  return asked;
}

std::string why_chosen(const engine& by, const segmented_request& request, const options& opts, purpose what) {
  return sortile::why_chosen(by, asked_of_engines(request, opts), opts, what);
}

/// \throws engine_unusable where no engine can do it, or not the one asked for
segment_assignment assign(const segmented_request& request, const options& opts, purpose what) {
  checks::segmented(request, opts);
  const engine& by = choose_engine(asked_of_engines(request, opts), opts, what);
  const segment_sorter* const sorter = by.segments();
  const std::string_view why =
      sorter == nullptr ? "it has no sort within segments" : sorter->why_refused(request, opts);
  if (!why.empty())
    throw engine_unusable("sortile: engine '" + std::string(by.name()) + "', " + why_chosen(by, request, opts, what) +
                          ", does not do this: " + std::string(why));
  const bool alone =
      opts.memory == memory::device || std::max(request.arrays.n, request.where.count) < door_alone_below;
  return {by, *sorter, alone ? 1 : resolve_threads(opts)};
}

/// The request with arrays somewhere, where it has none yet: for plans.
segmented_request placed(const segmented_request& request) {
  segmented_request r = request;
  if (r.arrays.keys_in == nullptr) {
    r.arrays.keys_in = nowhere(0);
    r.arrays.keys_out = nowhere(1);
    r.arrays.values_in = r.arrays.carries == payload::values ? nowhere(2) : nullptr;
    r.arrays.values_out = r.arrays.carries == payload::none ? nullptr : nowhere(3);
  }
  if (r.where.form != segment_form::strided && r.where.begins == nullptr)
    r.where.begins = nowhere(4);
  if (r.where.form == segment_form::ranges && r.where.ends == nullptr)
    r.where.ends = nowhere(5);
  return r;
}

} // namespace

plan explain(const segmented_request& request, const options& opts) {
  return with_named_failures("a sort within segments", [&] {
    const segmented_request r = placed(request);
    const segment_assignment a = assign(r, opts, purpose::planning);
    plan p = a.sorter.make_plan(r, opts, a.threads);
    p.engine = a.by.name();
    p.reason = why_chosen(a.by, r, opts, purpose::planning);
    return p;
  });
}

std::size_t workspace_bytes(const segmented_request& request, const options& opts) {
  return with_named_failures("a sort within segments", [&] {
    const segmented_request r = placed(request);
    const segment_assignment a = assign(r, opts, purpose::planning);
    return a.sorter.make_plan(r, opts, a.threads).workspace_bytes;
  });
}

void run(const segmented_request& request, const options& opts) {
  with_named_failures("a sort within segments", [&] {
    const segment_assignment a = assign(request, opts, purpose::running);
    const bool on_host = opts.memory == memory::host;
    const segment_survey found = on_host ? checks::survey(request, a.threads) : segment_survey{};
    const std::size_t wanted = a.sorter.workspace_used(request, opts, a.threads, found);
    const bool callers = opts.workspace.data() != nullptr;
    if (callers)
      checks::workspace(request.arrays, opts, wanted);
    const cpu::scratch own(callers || !on_host ? 0 : wanted, "the workspace of a sort within segments");
    const execution how{.threads = a.threads,
                        .workspace = callers ? opts.workspace.first(wanted) : own.bytes(),
                        .progress = opts.progress ? &opts.progress : nullptr};
    a.sorter.run(request, opts, how, found);
  });
}

} // namespace sortile
