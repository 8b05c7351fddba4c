// What the naive atomic asks of one address.
//
// Question: quicksort's partition takes places from three counters. One fetch-and-increment a key sends every lane of a
// warp to them, one fetch-and-add a warp and region sends one lane, packing by prefix sums none. How many atomics is
// that, how many lanes meet in one, and what does that cost? Atomics are counted by the executor; a GPU gives the time
// of equal keys, all of which ask for one counter.
#include "bench/classics/counting.hpp"

namespace sortile::experiments {

namespace {

constexpr const char* inputs[] = {"uniform", "sorted", "equal"};
constexpr const char* sorts[] = {"quicksort-increment", "quicksort-atomic", "quicksort-packing"};
constexpr const char *counted = "", *timed = "time"; // facets
constexpr const char *updates = "atomic updates", *requests = "atomic requests", *lanes = "lanes a request";

void count_atomics(workbench& bench, points& all) {
  std::vector<count_request> wanted;
  const std::uint64_t n = bench.quick() ? 3000 : std::uint64_t{1} << 15;
  for (const char* name : sorts)
    for (const char* workload : inputs) {
      all.push_back({.facet = counted,
                     .series = name,
                     .category = workload,
                     .n = n,
                     .workload = workload,
                     .note = "counted alone"});
      wanted.push_back({&classics::classic_named(name), {}, workload, n});
    }
  const std::vector<executor::counters> counts = count(wanted, bench.seed());
  for (std::size_t k = 0; k < counts.size(); ++k) {
    const executor::memory_counters& c = counts[k].global_atomics;
    const double each = double(c.bytes) / sizeof(std::uint32_t);
    all[k].figures[updates] = each / double(n);
    all[k].figures[requests] = double(c.requests) / double(n);
    all[k].figures[lanes] = c.requests == 0 ? 0 : each / double(c.requests);
    add_figures(all[k], counts[k], n);
  }
}

/// Of equal keys, which are divided once: nothing but that division grows with n.
void take_times(workbench& bench, points& all) {
  for (unsigned log = 16; log <= 24; log += 2) {
    contest on(bench, "equal", bench.size(std::uint64_t{1} << log));
    bench.say("n = 2^" + std::to_string(log));
    for (const char* name : sorts)
      on.add(on.work_of(classics::classic_named(name), {}));
    for (const standing& s : on.run()) {
      all.push_back(point_of(s, on));
      all.back().facet = timed;
      all.back().x = double(all.back().n);
    }
  }
}

points run(workbench& bench) {
  points all;
  count_atomics(bench, all);
  if (bench.on_gpu())
    take_times(bench, all);
  return all;
}

std::vector<plot::chart> charts(const points& all, const testing::facts& environment) {
  const points times = of_facet(all, timed);
  if (times.empty())
    return {};
  return {{.name = "classics-contention",
           .title = "Equal keys, which ask for one counter",
           .subtitle = machine_text(environment),
           .x = {"n", plot::scale::powers_of_two},
           .y = {"ns a key", plot::scale::decades},
           .lines = series_of(times, {}, [](const point& p) -> std::optional<double> {
             return p.seconds.empty() ? std::nullopt : std::optional(1e9 * p.median() / double(p.n));
           })}};
}

std::string tables(const points& all, const testing::facts&) {
  std::vector<std::vector<std::string>> rows{
      {"classic, keys", "atomic updates a key", "atomic requests a key", "lanes a request", "sector bytes a key"}};
  for (const point& p : of_facet(all, counted))
    rows.push_back({p.series + ", " + p.category, figures_text(p.figure(updates)), figures_text(p.figure(requests)),
                    figures_text(p.figure(lanes)), figures_text(p.figure("sector bytes"))});
  std::string text = "Atomics in global memory, counted by the executor, " + power_text(double(all.front().n)) +
                     " u32\n\n" + markdown(rows);
  const points times = of_facet(all, timed);
  if (!times.empty())
    text += "\n" + table_of("Time of equal u32", times, "sort", power_text,
                            [](const point& p) { return p.seconds.empty() ? p.note : duration_text(p.median()); });
  return text;
}

} // namespace

const experiment contention{.name = "contention",
                            .question = "atomics of quicksort's partition, and the lanes that meet in one",
                            .counts_alone = true,
                            .run = run,
                            .charts = charts,
                            .tables = tables};

} // namespace sortile::experiments
