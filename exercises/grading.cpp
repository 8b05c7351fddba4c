// See grading.hpp.
#include "exercises/grading.hpp"

#include <sortile/error.hpp>

#include <cstdio>

namespace sortile::exercises {

using classics::classic;
using classics::request;

namespace {

/// Inputs of which a wrong kernel gets at least one wrong: every short length, then ties, order, disorder.
std::vector<request> few_keys(const classic& c) {
  std::vector<request> all;
  for (std::uint64_t n = 0; n <= 40; ++n)
    all.push_back(
        {.n = std::min(n, c.largest_n), .workload = n % 2 == 0 ? "range:8" : "uniform", .bits = {0, 8}, .seed = n + 1});
  return all;
}

std::vector<request> grid(const classic& c) {
  std::vector<request> all;
  for (const char* workload : {"uniform", "sorted", "reversed", "equal", "few:4"})
    for (const std::uint64_t n : {257u, 1000u, 2500u})
      all.push_back({.n = std::min<std::uint64_t>(n, c.largest_n),
                     .workload = workload,
                     .bits = {0, 10},
                     .pairs = c.pairs,
                     .seed = n});
  return all;
}

request fit_for(const classic& c, request asked) {
  if (!c.task->has_direction)
    asked.bits = {};
  asked.pairs = asked.pairs && c.pairs;
  return asked;
}

std::string_view hint_for(const exercise& by, executor::fault kind) {
  switch (kind) {
  case executor::fault::shared_race:
    return by.if_racing;
  case executor::fault::out_of_bounds:
    return by.if_out_of_bounds;
  case executor::fault::deadlock:
  case executor::fault::watchdog:
  case executor::fault::divergent_barrier:
    return by.if_waiting;
  default:
    return by.if_wrong;
  }
}

/// What went wrong in one run; an empty mark where nothing did.
mark run_once(const classic& attempt, const exercise& by, const request& asked, executor::check checks) {
  classics::machine on(executor::device_options{.seed = asked.seed, .checks = checks});
  try {
    const classics::outcome found = classics::run(attempt, asked, classics::engine::executor, on);
    if (found.verdict)
      return {true, {}, {}};
    // Keys that are in order although the result is wrong: equal ones have changed places.
    request keys_alone = asked;
    keys_alone.pairs = false;
    classics::machine again(executor::device_options{.seed = asked.seed});
    const bool in_order = asked.pairs && classics::run(attempt, keys_alone, classics::engine::executor, again).verdict;
    return {false, found.verdict.complaint, std::string(in_order ? by.if_unstable : by.if_wrong)};
  } catch (const executor::failure& e) {
    return {false, e.what(), std::string(hint_for(by, e.kind))};
  }
}

mark run_all(const classic& attempt, const exercise& by, const std::string& what, const std::vector<request>& inputs,
             executor::check checks) {
  for (const request& asked : inputs) {
    mark found = run_once(attempt, by, fit_for(attempt, asked), checks);
    if (!found.passed)
      return {false, what + "\n  " + found.what, found.hint};
  }
  return {true, what + ": " + std::to_string(inputs.size()) + " runs", {}};
}

mark within(const classic& attempt, const bound& limit) {
  classics::machine on(executor::device_options{.checks = executor::check::counters});
  classics::run(attempt, limit.asked, classics::engine::executor, on);
  const double counted = limit.counted(on.counted());
  char text[200];
  std::snprintf(text, sizeof text, "%s: %.2f (at most %.2f)", std::string(limit.what).c_str(), counted, limit.most);
  return {counted <= limit.most, text, std::string(counted <= limit.most ? "" : limit.hint)};
}

} // namespace

std::vector<mark> grade(const classic& attempt, const exercise& by) {
  std::vector<mark> marks;
  const auto goes_on = [&](mark m) {
    marks.push_back(std::move(m));
    return marks.back().passed;
  };
  if (!goes_on(run_all(attempt, by, "right on few keys", few_keys(attempt), executor::check::none)) ||
      !goes_on(run_all(attempt, by, "right on several blocks", grid(attempt), executor::check::none)) ||
      !goes_on(run_all(attempt, by, "right in every order of blocks, warps and lanes, without races", grid(attempt),
                       executor::all_checks)))
    return marks;
  for (const bound& limit : by.bounds)
    if (!goes_on(within(attempt, limit)))
      return marks;
  return marks;
}

bool passed(const std::vector<mark>& marks) {
  for (const mark& m : marks)
    if (!m.passed)
      return false;
  return !marks.empty();
}

std::string to_text(const std::vector<mark>& marks) {
  std::string text;
  for (const mark& m : marks)
    text += (m.passed ? "passed  " : "FAILED  ") + m.what + "\n" + (m.hint.empty() ? "" : "hint    " + m.hint + "\n");
  return text;
}

} // namespace sortile::exercises
