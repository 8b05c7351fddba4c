// Coalescing and bank conflicts, counted by the executor, beside the GPU time that they explain.
//
// Question: how many 32-byte sectors does a warp's load or store touch, how many wavefronts do shared accesses take
// beyond the fewest, and does a difference in counts go with a difference in time? The counts are exact and need no
// GPU; where there is one, each classic's time a key stands beside.
#include "bench/classics/counting.hpp"

#include <sortile/error.hpp>

namespace sortile::experiments {

namespace {

points run(workbench& bench) {
  points all;
  std::vector<count_request> requests;
  for (const classics::classic* measured : classics_of_32_bits()) {
    const classics::classic& c = *measured;
    if (c.place == classics::place::host)
      continue;
    all.push_back(timed(bench, "uniform", timed_length(bench, c), {{&c, {}}}).front());
    all.back().facet = c.family;
    all.back().category = all.back().series;
    requests.push_back({&c, {}, "uniform", counted_length(c, bench.quick())});
  }
  bench.say("timed; counting");
  return counted(requests, std::move(all), bench.seed());
}

/// What a kept point had counted.
count_request request_of(const point& p) {
  for (const classics::classic* c : classics_of_32_bits())
    if (c->place != classics::place::host && label(*c, {}) == p.category)
      return {c, {}, "uniform", counted_length(*c, false)};
  throw invalid_argument("counters: nothing is known of " + p.facet + ", " + p.category);
}

points recount(points kept, std::uint64_t seed) {
  std::vector<count_request> requests;
  for (const point& p : kept)
    requests.push_back(request_of(p));
  return counted(requests, std::move(kept), seed);
}

/// Sectors a key against time a key, for those whose counts a key do not grow with n, beside the line of the copy rate:
/// who waits for memory alone lies near it.
plot::chart traffic_chart(const points& all, const testing::facts& environment) {
  plot::chart drawn{.name = "classics-counters-traffic",
                    .title = "Traffic and time: scans and radix sorts",
                    .subtitle = "a marker a classic; " + machine_text(environment),
                    .x = {"bytes of sectors moved a key, counted", plot::scale::decades},
                    .y = {"ns a key, measured", plot::scale::decades},
                    .lines = {}};
  for (const point& p : all)
    if (!p.seconds.empty() && p.n > 1u << 14 && (p.facet == "scan" || p.facet == "radix"))
      drawn.lines.push_back({p.series, {{p.figure("sector bytes"), nanoseconds_a_key(p)}}});
  const double rate = environment.number("copy_bytes_per_second");
  if (!drawn.lines.empty() && rate > 0)
    drawn.lines.push_back({"at the rate of a device copy", {{8, 8e9 / rate}, {2000, 2000e9 / rate}}});
  return drawn;
}

std::vector<plot::chart> charts(const points& all, const testing::facts& environment) {
  plot::chart traffic = traffic_chart(all, environment);
  if (traffic.lines.empty())
    return {};
  return {std::move(traffic)};
}

std::string tables(const points& all, const testing::facts&) {
  return table_of_counts("classic", all);
}

} // namespace

const experiment counters{.name = "counters",
                          .question =
                              "sectors a request and bank conflicts, counted, beside the GPU time that they explain",
                          .counts_alone = true,
                          .run = run,
                          .charts = charts,
                          .tables = tables,
                          .recount = recount};

} // namespace sortile::experiments
