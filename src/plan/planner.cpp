// The planner: from a checked request to an engine and its steps, with reasons that a person can read.
#include "plan/engine.hpp"
#include "plan/few_door.hpp"

#include <algorithm>
#include <cstdlib>
#include <sched.h>
#include <thread>

namespace sortile {
namespace {

/// Threads that a caller may have where there are fewer processors: harmless, and what runs on a large machine can be
/// tried on a small one. Beyond this and the processors, a thread brings nothing but its scratch memory.
constexpr unsigned always_allowed_threads = 16;

std::string list_usable() {
  std::string list;
  for (const engine* e : all_engines())
    if (e->why_unusable().empty())
      list += (list.empty() ? "" : ", ") + std::string(e->name());
  return list;
}

struct wish {
  std::string name;
  std::string source; ///< who asked for it, for messages
};

/// SORTILE_ENGINE as the first call of the process finds it: reading the environment takes longer than a short sort.
const std::string& engine_variable() {
  static const std::string value = [] {
    const char* const variable = std::getenv("SORTILE_ENGINE");
    return std::string(variable != nullptr ? variable : "");
  }();
  return value;
}

/// The engine asked for by name; an empty name where none is.
wish asked_for(const options& opts) {
  if (!opts.engine.empty())
    return {opts.engine, "the options"};
  if (!engine_variable().empty())
    return {engine_variable(), "SORTILE_ENGINE"};
  return {};
}

const engine& engine_named(const wish& wanted, bool need_usable) {
  for (const engine* e : all_engines()) {
    if (e->name() != wanted.name)
      continue;
    const std::string_view why = need_usable ? e->why_unusable() : "";
    if (!why.empty())
      throw engine_unusable("sortile: engine '" + wanted.name + "', asked for by " + wanted.source +
                            ", cannot be used: " + std::string(why) + "; usable here: " + list_usable());
    return *e;
  }
  throw unknown_engine("sortile: no engine is called '" + wanted.name + "' (asked for by " + wanted.source +
                       "); usable here: " + list_usable());
}

unsigned cpus_of_this_process() {
  cpu_set_t set;
  CPU_ZERO(&set);
  if (sched_getaffinity(0, sizeof set, &set) == 0 && CPU_COUNT(&set) > 0)
    return static_cast<unsigned>(CPU_COUNT(&set));
  const unsigned hardware = std::thread::hardware_concurrency();
  return hardware > 0 ? hardware : 1;
}

/// What the engine lacks for a request; empty where nothing.
std::string_view why_refused(const engine& e, const sort_request& request, const options& opts) {
  if (opts.workspace_limit != 0 && e.name() != "cpu")
    return "only the CPU engine keeps to options::workspace_limit";
  return e.why_refused(request, opts);
}

bool must_be_usable(const options& opts, purpose what) {
  return what == purpose::running || opts.memory == memory::host;
}

/// Why an engine that nobody has named does not do a request; empty where it does.
std::string_view why_passed_over(const engine& e, const sort_request& request, const options& opts, purpose what) {
  if (const std::string_view why = must_be_usable(opts, what) ? e.why_unusable() : ""; !why.empty())
    return why;
  const std::string_view why = why_refused(e, request, opts);
  return why.empty() ? e.why_left_aside(request, opts) : why;
}

/// Those before `end` that are passed over, and why.
std::string passed_over(const engine* end, const sort_request& request, const options& opts, purpose what) {
  std::string all;
  for (const engine* e : all_engines()) {
    if (e == end)
      break;
    all += (all.empty() ? "'" : "; '") + std::string(e->name()) +
           "' is not used: " + std::string(why_passed_over(*e, request, opts, what));
  }
  return all;
}

} // namespace

const engine& choose_engine(const sort_request& request, const options& opts, purpose what) {
  if (const wish wanted = asked_for(opts); !wanted.name.empty()) {
    const engine& e = engine_named(wanted, must_be_usable(opts, what));
    const std::string_view why = why_refused(e, request, opts);
    if (!why.empty())
      throw engine_unusable("sortile: engine '" + wanted.name + "' does not do this: " + std::string(why));
    return e;
  }
  for (const engine* e : all_engines())
    if (why_passed_over(*e, request, opts, what).empty())
      return *e;
  throw engine_unusable("sortile: no engine can do this: " + passed_over(nullptr, request, opts, what));
}

std::string why_chosen(const engine& chosen, const sort_request& request, const options& opts, purpose what) {
  if (const wish wanted = asked_for(opts); !wanted.name.empty())
    return "asked for by " + wanted.source;
  const std::string before = passed_over(&chosen, request, opts, what);
  return before.empty() ? "the first choice of this build" : "the next choice, since " + before;
}

bool asks_for_no_other_engine(const options& opts) {
  if (!opts.engine.empty())
    return opts.engine == "cpu";
  const bool allowed = engine_variable().empty() || engine_variable() == "cpu";
  if (allowed)
    detail::decide_few_door();
  return allowed;
}

void need_cpu_engine(const char* operation, const options& opts) {
  if (opts.memory != memory::host)
    throw engine_unusable("sortile: no engine can " + std::string(operation) +
                          " arrays in device memory; sorts can be done there, this in host memory alone");
  const wish wanted = asked_for(opts);
  if (!wanted.name.empty() && engine_named(wanted, true).name() != "cpu")
    throw engine_unusable("sortile: engine '" + wanted.name + "' does not " + operation +
                          " arrays in host memory; engine 'cpu' does");
  if (opts.engine.empty())
    detail::decide_few_door();
}

unsigned resolve_threads(const options& opts) {
  const unsigned processors = cpus_of_this_process();
  return opts.threads == 0 ? processors : std::min(opts.threads, std::max(processors, always_allowed_threads));
}

} // namespace sortile
