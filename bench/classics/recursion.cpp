// Recursion that the host drives, recursion that stays on the device, and no recursion at all, over growing n.
//
// Question: MSD radix sort and sample sort move a key fewer times than LSD radix sort or merge sort, which is said to
// make them the sorts for large n. Driven by the host they lose it in round trips. Is the advantage there once the
// recursion stays on the device?
#include "bench/classics/size_series.hpp"

namespace sortile::experiments {

namespace {

constexpr const char* sorts[] = {"radix-msd",   "radix-msd-launching", "sample-sort", "sample-sort-launching",
                                 "large-radix", "large-bottom-up"};

points run(workbench& bench) {
  size_series wanted{.members = {}, .first_log = 10, .last_log = 26, .log_step = 2, .seconds_a_run = 0.15};
  for (const char* name : sorts)
    wanted.members.push_back(&classics::classic_named(name));
  points all = run_over_sizes(bench, wanted);
  std::erase_if(all, [](const point& p) { return p.series == "CUB scan"; });
  return all;
}

std::vector<plot::chart> charts(const points& all, const testing::facts& environment) {
  return {chart_over_sizes(all, facets_of(all), "classics-recursion", "Recursion on the host and on the device",
                           environment)};
}

std::string tables(const points& all, const testing::facts&) {
  return table_of("Time of uniform u32", all, "sort", power_text,
                  [](const point& p) { return p.seconds.empty() ? std::string("failed") : duration_text(p.median()); });
}

} // namespace

const experiment recursion{.name = "recursion",
                           .question = "MSD radix and sample sort, driven by the host and by the device, at large n",
                           .run = run,
                           .charts = charts,
                           .tables = tables};

} // namespace sortile::experiments
