// Bitonic sort against merge sort, on one core.
//
// Question: bitonic sort makes n / 4 · log n · (log n + 1) comparisons, merge sort fewer than n log n. On one thread
// the network's independence of the data buys no parallelism. What does it cost, and from which n on?
#include "bench/classics/experiment.hpp"

#include <algorithm>

namespace sortile::experiments {

namespace {

constexpr const char* sorts[] = {"merge-recursive", "bitonic-recursive", "bitonic-loop", "host-std-sort"};
constexpr const char* compared_with = sorts[0];

points run(workbench& bench) {
  points all;
  for (unsigned log = 8; log <= (bench.quick() ? 10u : 20u); log += 2) {
    contest on(bench, "uniform", std::uint64_t{1} << log);
    for (const char* name : sorts)
      on.add(on.work_of(classics::classic_named(name), {}));
    bench.say("n = 2^" + std::to_string(log));
    for (const standing& s : on.run({.repetitions = bench.quick() ? 1u : 21u})) {
      all.push_back(point_of(s, on));
      all.back().x = double(all.back().n);
    }
  }
  return all;
}

/// The fastest run: what else the host does can only add.
double fastest(const point& p) {
  return *std::min_element(p.seconds.begin(), p.seconds.end());
}

/// As a multiple of merge sort's time for the same keys.
std::optional<double> ratio(const points& all, const point& p) {
  for (const point& q : all)
    if (q.series == compared_with && q.n == p.n && !q.seconds.empty() && !p.seconds.empty())
      return fastest(p) / fastest(q);
  return std::nullopt;
}

std::vector<plot::chart> charts(const points& all, const testing::facts& environment) {
  return {{.name = "classics-sequential",
           .title = "Bitonic sort and merge sort on one core",
           .subtitle = "uniform u32; " + environment.text("cpu"),
           .x = {"n", plot::scale::powers_of_two},
           .y = {"times of merge sort", plot::scale::linear},
           .lines = series_of(all, {}, [&](const point& p) { return ratio(all, p); })}};
}

std::string tables(const points& all, const testing::facts&) {
  return table_of("Fastest of the runs on one core of the host (times of " + std::string(compared_with) +
                      "), uniform u32",
                  all, "n", power_text, [&](const point& p) {
                    const std::optional<double> r = ratio(all, p);
                    return r ? duration_text(fastest(p)) + " (" + figures_text(*r) + ")" : p.note;
                  });
}

} // namespace

const experiment sequential{.name = "sequential",
                            .question = "bitonic sort against merge sort on one core of the host",
                            .counts_alone = true,
                            .run = run,
                            .charts = charts,
                            .tables = tables};

} // namespace sortile::experiments
