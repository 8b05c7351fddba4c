// Quicksort: who drives the recursion, which pivot is taken, and what input does to both.
//
// Question: the host sees every division (a round trip each), streams let it have several under way, a kernel that
// launches kernels needs no host at all. A good pivot halves the part, a bad one takes one key off. Which matters more,
// and does the fall-over to another sort bound the damage?
#include "bench/classics/experiment.hpp"

namespace sortile::experiments {

namespace {

struct input {
  const char* name;
  const char* workload;
};
constexpr input inputs[] = {{"uniform", "uniform"},       {"sorted", "sorted"},    {"reversed", "reversed"},
                            {"organ pipe", "organ-pipe"}, {"16 values", "few:16"}, {"all equal", "equal"}};

constexpr const char* pivot_names[] = {"first", "random", "median of three", "histogram"};

std::string pivot_name(unsigned pivot) {
  return pivot < std::size(pivot_names) ? pivot_names[pivot] : "pivot " + std::to_string(pivot);
}

points run_input(workbench& bench, const input& in, std::uint64_t n) {
  contest on(bench, in.workload, n);
  points places;
  for (const classics::classic& c : classics::all_classics())
    if (c.family == "quicksort" && c.place == classics::place::device)
      for (const classics::parameter& p : c.parameters)
        for (unsigned v = p.least; p.name == "pivot" && v <= p.most; ++v) {
          places.push_back({.facet = std::string(c.name), .series = pivot_name(v), .category = in.name});
          on.add(on.work_of(c, {{"pivot", v}}));
        }
  places.push_back({.facet = "references", .series = "sortile", .category = in.name});
  on.add(on.production());
  if (bench.on_gpu()) {
    places.push_back({.facet = "references", .series = "CUB", .category = in.name});
    on.add(on.cub());
  }
  const std::vector<standing> standings = on.run({.run = 0.5, .all = 0.4, .repetitions = 5});
  for (std::size_t k = 0; k < standings.size(); ++k) {
    point p = point_of(standings[k], on);
    p.facet = places[k].facet;
    p.series = places[k].series;
    p.category = places[k].category;
    places[k] = std::move(p);
  }
  return places;
}

points run(workbench& bench) {
  points all;
  for (const input& in : inputs) {
    bench.say(in.name);
    const points more = run_input(bench, in, bench.size(std::uint64_t{1} << 20));
    all.insert(all.end(), more.begin(), more.end());
  }
  return all;
}

std::vector<plot::chart> charts(const points& all, const testing::facts& environment) {
  const std::vector<std::string> categories = categories_of(all);
  std::vector<plot::chart> drawn;
  for (const std::string& driver : facets_of(all)) {
    if (driver == "references")
      continue;
    points shown = of_facet(all, driver);
    const points beside = of_facet(all, "references");
    shown.insert(shown.end(), beside.begin(), beside.end());
    drawn.push_back({.name = "classics-" + driver,
                     .title = driver + ": pivots on good and bad inputs",
                     .subtitle = power_text(double(shown.front().n)) + " u32; " + machine_text(environment),
                     .x = {"", plot::scale::categories, categories},
                     .y = {"ms", plot::scale::decades},
                     .lines = series_of(shown, categories,
                                        [](const point& p) -> std::optional<double> {
                                          return p.seconds.empty() ? std::nullopt : std::optional(p.median() * 1e3);
                                        }),
                     .bars = true});
  }
  return drawn;
}

std::string tables(const points& all, const testing::facts&) {
  points rows = all;
  for (point& p : rows)
    p.series = p.facet == "references" ? p.series : p.facet + ", " + p.series;
  return table_of("Time of " + (all.empty() ? "" : power_text(double(all.front().n))) + " u32", rows, "driver, pivot",
                  power_text, [](const point& p) { return p.seconds.empty() ? "failed" : duration_text(p.median()); });
}

} // namespace

const experiment quicksorts{.name = "quicksort",
                            .question = "drivers of the recursion and pivots, on good and bad inputs",
                            .run = run,
                            .charts = charts,
                            .tables = tables};

} // namespace sortile::experiments
