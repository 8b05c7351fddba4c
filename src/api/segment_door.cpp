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
  engine_choice choice;
  const segment_sorter& sorter;
  unsigned threads;
};

/// \throws engine_unusable where no engine can do it, or not the one asked for
segment_assignment assign(const segmented_request& request, const options& opts, purpose what) {
  checks::segmented(request, opts);
  sort_request asked = request.arrays;
  asked.device_status = nullptr;
  if (opts.memory == memory::host)
    asked.n = 0; // so that no engine is chosen that pays for large arrays alone
  const engine_choice choice = choose_engine(asked, opts, what);
  const segment_sorter* const sorter = choice.chosen->segments();
  const std::string why = sorter == nullptr ? "it has no sort within segments" : sorter->why_refused(request, opts);
  if (!why.empty())
    throw engine_unusable("sortile: engine '" + std::string(choice.chosen->name()) + "', " + choice.reason +
                          ", does not do this: " + why);
  const bool alone =
      opts.memory == memory::device || std::max(request.arrays.n, request.where.count) < door_alone_below;
  return {choice, *sorter, alone ? 1 : resolve_threads(opts)};
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
    p.engine = a.choice.chosen->name();
    p.reason = a.choice.reason;
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
