// Coalescing and bank conflicts, counted by the executor, beside the GPU time that they explain.
//
// Question: how many 32-byte sectors does a warp's load or store touch, how many wavefronts do shared accesses take
// beyond the fewest, and does a difference in counts go with a difference in time? The counts are exact and need no
// GPU; where there is one, each classic's time a key stands beside.
#include "bench/classics/counting.hpp"

#include <sortile/error.hpp>

#include <algorithm>

namespace sortile::experiments {

namespace {

constexpr const char* lab = "radix-lab";

/// The lab sort's switches, for the spans at its two ends.
struct variant {
  const char* name;
  parameters given;
};
const variant variants[] = {{"both", {}},
                            {"no padding", {{"padding", 0}}},
                            {"no coalescing", {{"coalescing", 0}}},
                            {"neither", {{"coalescing", 0}, {"padding", 0}}}};

constexpr const char* lab_workloads[] = {"range:256", "uniform"};

bool is_quadratic(const classics::classic& c) {
  return c.work.find("n^2") == 0;
}

/// A length at which the GPU's time speaks of the work and not of its start.
std::uint64_t timed_length(const workbench& bench, const classics::classic& c) {
  return std::min(c.largest_n, bench.size(std::uint64_t{1} << (is_quadratic(c) ? 14 : 22)));
}

/// As long as counting can be waited for: several tiles, merges and divisions of each classic, whose counts a shorter
/// input would not show.
std::uint64_t counted_length(const classics::classic& c, bool quick) {
  return std::min(c.largest_n, std::uint64_t{1} << (quick ? 11 : is_quadratic(c) ? 13 : 17));
}

std::vector<point> timed(workbench& bench, const std::string& workload, std::uint64_t n,
                         const std::vector<std::pair<const classics::classic*, parameters>>& sorts) {
  contest on(bench, workload, n);
  points all;
  for (const auto& [c, given] : sorts)
    on.add(on.work_of(*c, given));
  if (bench.on_gpu())
    for (const standing& s : on.run({.run = 1, .all = 1}))
      all.push_back(point_of(s, on));
  else
    for (const auto& [c, given] : sorts)
      all.push_back(point_of({.name = label(*c, given), .seconds = {}, .note = "no GPU: counted alone"}, on));
  return all;
}

/// A point for each request; their facets and names are the caller's.
points counted(const std::vector<count_request>& requests, points all, std::uint64_t seed) {
  const std::vector<executor::counters> counts = count(requests, seed);
  for (std::size_t k = 0; k < counts.size(); ++k)
    add_figures(all[k], counts[k], requests[k].n);
  return all;
}

points of_lab(workbench& bench) {
  const classics::classic& c = classics::classic_named(lab);
  points all;
  std::vector<count_request> requests;
  for (const char* workload : lab_workloads) {
    std::vector<std::pair<const classics::classic*, parameters>> sorts;
    for (const variant& v : variants) {
      sorts.push_back({&c, v.given});
      requests.push_back({&c, v.given, workload, counted_length(c, bench.quick())});
    }
    points some = timed(bench, workload, timed_length(bench, c), sorts);
    for (std::size_t k = 0; k < some.size(); ++k) {
      some[k].facet = std::string(lab) + ", " + workload;
      some[k].series = some[k].category = variants[k].name;
      all.push_back(some[k]);
    }
  }
  return counted(requests, std::move(all), bench.seed());
}

points of_all(workbench& bench) {
  points all;
  std::vector<count_request> requests;
  for (const classics::classic& c : classics::all_classics()) {
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
  const std::string facet = std::string(lab) + ", ";
  if (p.facet.starts_with(facet))
    for (const variant& v : variants)
      if (p.category == v.name) {
        const classics::classic& c = classics::classic_named(lab);
        return {&c, v.given, p.facet.substr(facet.size()), counted_length(c, false)};
      }
  for (const classics::classic& c : classics::all_classics())
    if (c.place != classics::place::host && label(c, {}) == p.category)
      return {&c, {}, "uniform", counted_length(c, false)};
  throw invalid_argument("counters: nothing is known of " + p.facet + ", " + p.category);
}

points recount(points kept, std::uint64_t seed) {
  std::vector<count_request> requests;
  for (const point& p : kept)
    requests.push_back(request_of(p));
  return counted(requests, std::move(kept), seed);
}

points run(workbench& bench) {
  points all = of_lab(bench);
  const points more = of_all(bench);
  all.insert(all.end(), more.begin(), more.end());
  return all;
}

double nanoseconds_a_key(const point& p) {
  return 1e9 * p.median() / double(p.n);
}

/// Of the lab sort's variants: counts and time, each as a multiple of the variant with both optimisations.
plot::chart lab_chart(const points& variants_shown, const std::string& facet, const json_value& environment) {
  const auto relative = [&](const char* name, const std::function<double(const point&)>& of) {
    plot::series line{name, {}};
    for (std::size_t k = 0; k < variants_shown.size(); ++k)
      if (of(variants_shown.front()) > 0)
        line.values.push_back({double(k), of(variants_shown[k]) / of(variants_shown.front())});
    return line;
  };
  plot::chart drawn{.name = std::string("classics-counters-lab-") + (facet.ends_with("uniform") ? "full" : "256"),
                    .title = "What the counters explain: " + facet,
                    .subtitle =
                        "1 = with padding and coalescing; counts by the executor, time: " + machine_text(environment),
                    .x = {"variant", plot::scale::categories, categories_of(variants_shown)},
                    .y = {"relative to both", plot::scale::linear},
                    .lines = {},
                    .bars = true};
  drawn.lines.push_back(relative("global sectors", [](const point& p) { return p.figure("sector bytes"); }));
  drawn.lines.push_back(relative("sectors a store", [](const point& p) { return p.figure("sectors a store"); }));
  drawn.lines.push_back(relative("shared wavefronts", [](const point& p) { return p.figure("shared wavefronts"); }));
  drawn.lines.push_back(relative("GPU time", nanoseconds_a_key));
  std::erase_if(drawn.lines, [](const plot::series& s) { return s.values.empty(); });
  return drawn;
}

/// Sectors a key against time a key, for those whose counts a key do not grow with n, beside the line of the copy rate:
/// who waits for memory alone lies near it.
plot::chart traffic_chart(const points& all, const json_value& environment) {
  plot::chart drawn{.name = "classics-counters-traffic",
                    .title = "Traffic and time: scans and radix sorts",
                    .subtitle = "a marker a classic; " + machine_text(environment),
                    .x = {"bytes of sectors moved a key, counted", plot::scale::decades},
                    .y = {"ns a key, measured", plot::scale::decades},
                    .lines = {}};
  for (const point& p : all)
    if (!p.seconds.empty() && p.n > 1u << 14 && (p.facet == "scan" || p.facet == "radix"))
      drawn.lines.push_back({p.series, {{p.figure("sector bytes"), nanoseconds_a_key(p)}}});
  const json_value* rate = environment.find("copy_bytes_per_second");
  if (!drawn.lines.empty() && rate != nullptr)
    drawn.lines.push_back(
        {"at the rate of a device copy", {{8, 8e9 / rate->number()}, {2000, 2000e9 / rate->number()}}});
  return drawn;
}

std::vector<plot::chart> charts(const points& all, const json_value& environment) {
  std::vector<plot::chart> drawn;
  for (const std::string& facet : facets_of(all))
    if (facet.starts_with(lab))
      drawn.push_back(lab_chart(of_facet(all, facet), facet, environment));
  plot::chart traffic = traffic_chart(all, environment);
  if (!traffic.lines.empty())
    drawn.push_back(std::move(traffic));
  return drawn;
}

std::string tables(const points& all, const json_value&) {
  std::vector<std::vector<std::string>> rows{{"classic", "sectors a load", "sectors a store", "at best",
                                              "sector bytes a key", "shared wavefronts a key", "bank conflicts a key",
                                              "counted at n", "timed at n", "ns a key"}};
  for (const point& p : all) {
    const bool of_lab = p.facet.starts_with(lab);
    const auto figure = [&](const char* name) { return figures_text(p.figure(name)); };
    rows.push_back({of_lab ? p.facet + ", " + p.series : p.series, figure("sectors a load"), figure("sectors a store"),
                    figure("ideal sectors a store"), figure("sector bytes"), figure("shared wavefronts"),
                    figure("bank conflicts"), power_text(p.figure("counted at n")),
                    p.seconds.empty() ? "" : power_text(double(p.n)),
                    p.seconds.empty() ? "" : figures_text(nanoseconds_a_key(p))});
  }
  return "Counts by the executor, u32 keys; time on the GPU\n\n" + markdown(rows);
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
