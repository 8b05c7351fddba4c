// What the naive atomic asks of one address.
//
// Question: quicksort's partition takes places from three counters. One fetch-and-increment a key sends every lane of a
// warp to them, one fetch-and-add a warp and region sends one lane, packing by prefix sums none. How many atomics is
// that, and how many lanes meet in one? Counted by the executor; `inputs` has the times.
#include "bench/classics/counting.hpp"

namespace sortile::experiments {

namespace {

constexpr const char* inputs[] = {"uniform", "sorted", "equal"};
constexpr const char* sorts[] = {"quicksort-increment", "quicksort-atomic", "quicksort-packing"};
constexpr const char *updates = "atomic updates", *requests = "atomic requests", *lanes = "lanes a request";

points run(workbench& bench) {
  points all;
  std::vector<count_request> wanted;
  const std::uint64_t n = bench.quick() ? 3000 : std::uint64_t{1} << 15;
  for (const char* name : sorts)
    for (const char* workload : inputs) {
      all.push_back({.series = name, .category = workload, .n = n, .workload = workload, .note = "counted alone"});
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
  return all;
}

std::vector<plot::chart> charts(const points&, const testing::facts&) {
  return {};
}

std::string tables(const points& all, const testing::facts&) {
  std::vector<std::vector<std::string>> rows{
      {"classic, keys", "atomic updates a key", "atomic requests a key", "lanes a request", "sector bytes a key"}};
  for (const point& p : all)
    rows.push_back({p.series + ", " + p.category, figures_text(p.figure(updates)), figures_text(p.figure(requests)),
                    figures_text(p.figure(lanes)), figures_text(p.figure("sector bytes"))});
  return "Atomics in global memory, counted by the executor, " + power_text(double(all.front().n)) + " u32\n\n" +
         markdown(rows);
}

} // namespace

const experiment contention{.name = "contention",
                            .question = "atomics of quicksort's partition, and the lanes that meet in one",
                            .counts_alone = true,
                            .run = run,
                            .charts = charts,
                            .tables = tables};

} // namespace sortile::experiments
