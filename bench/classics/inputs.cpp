// Sorts that do the same whatever the keys are, and sorts that the keys drive.
//
// Question: a network compares the same places for every input, a radix sort moves every key in every pass; a division
// goes where the keys send it, an early exit ends when nothing is left to do. What do sorted, reversed and equal keys
// change for either kind?
#include "bench/classics/experiment.hpp"

namespace sortile::experiments {

namespace {

constexpr const char *independent = "data-independent", *driven = "driven by the keys", *rivals = "references";
constexpr const char* inputs[] = {"uniform", "sorted", "reversed", "equal"};

struct member {
  const char* facet;
  const char* classic;
  parameters given;
};
const member members[] = {{independent, "bitonic-shared", {}},
                          {independent, "odd-even-merge-shared", {}},
                          {independent, "radix-bits-coarsened", {}},
                          {independent, "large-radix", {}},
                          {independent, "merge-path", {}},
                          {driven, "radix-masks-span", {}},
                          {driven, "radix-msd", {}},
                          {driven, "radix-msd-launching", {}},
                          {driven, "quicksort-increment", {}},
                          {driven, "quicksort-atomic", {}},
                          {driven, "quicksort-packing", {}},
                          {driven, "quicksort-launching", {}},
                          {driven, "sample-sort-launching", {}}};

points run_input(workbench& bench, const char* workload, std::uint64_t n) {
  contest on(bench, workload, n);
  std::vector<std::string> facets;
  for (const member& m : members) {
    on.add(on.work_of(classics::classic_named(m.classic), m.given));
    facets.emplace_back(m.facet);
  }
  on.add(on.production());
  if (bench.on_gpu())
    on.add(on.cub());
  facets.resize(facets.size() + (bench.on_gpu() ? 2 : 1), rivals);
  points all;
  for (const standing& s : on.run({.run = 0.5, .all = 0.4})) {
    all.push_back(point_of(s, on));
    all.back().facet = facets[all.size() - 1];
    all.back().category = workload;
  }
  return all;
}

points run(workbench& bench) {
  points all;
  for (const char* workload : inputs) {
    bench.say(workload);
    const points more = run_input(bench, workload, bench.size(std::uint64_t{1} << 20));
    all.insert(all.end(), more.begin(), more.end());
  }
  return all;
}

/// As a multiple of its own time for uniform keys.
std::optional<double> ratio(const points& all, const point& p) {
  const point* uniform = find(all, p.series, inputs[0]);
  if (uniform == nullptr || uniform->seconds.empty() || p.seconds.empty())
    return std::nullopt;
  return p.median() / uniform->median();
}

std::vector<plot::chart> charts(const points& all, const testing::facts& environment) {
  return {{.name = "classics-inputs",
           .title = "Sorted, reversed and equal keys",
           .subtitle = power_text(double(all.front().n)) + " u32; " + machine_text(environment),
           .x = {"", plot::scale::categories, categories_of(all)},
           .y = {"times of uniform keys", plot::scale::decades},
           .lines = series_of(all, categories_of(all), [&](const point& p) { return ratio(all, p); }),
           .bars = true}};
}

std::string tables(const points& all, const testing::facts&) {
  points rows = all;
  for (point& p : rows)
    p.series = p.facet + ", " + p.series;
  return table_of("Time of " + power_text(double(all.front().n)) + " u32 (times of uniform keys)", rows, "sort",
                  power_text, [&](const point& p) {
                    const std::optional<double> r = ratio(rows, p);
                    return r ? duration_text(p.median()) + " (" + figures_text(*r) + ")" : "failed";
                  });
}

} // namespace

const experiment inputs_compared{.name = "inputs",
                                 .question = "data-independent sorts and those that keys drive, on four inputs",
                                 .run = run,
                                 .charts = charts,
                                 .tables = tables};

} // namespace sortile::experiments
