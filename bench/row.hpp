// One row of the benchmark: one shape, one workload, one length; sortile and its rivals take turns on the same input.
#pragma once

#include "bench/rivals/rival.hpp"
#include "testing/race.hpp"

#include <optional>
#include <string>
#include <vector>

namespace sortile::bench {

struct row_spec {
  bench::shape shape = shape::u32;
  std::string workload = "uniform";
  std::size_t n = 0;
};

struct bench_options {
  unsigned threads = 0;            ///< 0: as many as this process may use
  unsigned repetitions = 9;        ///< timed runs of each at most
  double budget_seconds = 0;       ///< a contender sits out the rest after this long; 0: none does
  std::size_t workspace_limit = 0; ///< not 0: sortile also sorts within so many bytes
  std::uint64_t seed = 1;
  std::vector<std::string> rivals{};  ///< only these, "boost*": those with that in their names; empty: all
  std::vector<std::string> engines{}; ///< empty: all usable ones
};

struct result {
  std::string name;
  bool is_sortile = false;
  bool stable = false;
  bool parallel = false;
  testing::timing timing;
  std::string complaint; ///< what is wrong with its output; empty where nothing is
};

struct row {
  row_spec spec;
  std::size_t arrays = 1; ///< so many arrays of n are sorted in one timed run: small lengths need many
  std::vector<result> results;

  double keys_per_second(const result& r) const { return static_cast<double>(spec.n * arrays) / r.timing.median(); }
  /// Median of the fastest right result of those that `suits` accepts; null where there is none.
  template <class Predicate>
  const result* fastest(const Predicate& suits) const {
    const result* best = nullptr;
    for (const result& r : results)
      if (r.complaint.empty() && suits(r) && (best == nullptr || r.timing.median() < best->timing.median()))
        best = &r;
    return best;
  }
  const result* best_rival() const {
    return fastest([](const result& r) { return !r.is_sortile; });
  }
  const result* named(const std::string& name) const {
    return fastest([&](const result& r) { return r.name == name; });
  }
  /// sortile's plain call, which finds its own workspace, on the engine that does best.
  const result* sortile() const;
};

const char* name(shape s);
std::optional<shape> shape_named(const std::string& text);

/// All rivals that this build has.
std::vector<rival> all_rivals();

/// Checks every contender's output once, then races those that are right.
row measure(const row_spec& spec, const std::vector<rival>& rivals, const bench_options& how);

} // namespace sortile::bench
