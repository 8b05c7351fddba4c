// n log n against n^2.
//
// Question: rank sort and transposition sort do n^2 work in few steps or in a regular pattern; networks do n log^2 n,
// merge sorts n log n. A GPU has some hundred thousand lanes to throw at the quadratic ones: up to which n do they
// hold?
#include "bench/classics/size_series.hpp"

#include <algorithm>
#include <cmath>

namespace sortile::experiments {

namespace {

constexpr std::string_view families[] = {"rank", "transposition", "network", "merge"};

points run(workbench& bench) {
  size_series wanted{.members = {}, .first_log = 6, .last_log = 20, .log_step = 1};
  for (const classics::classic& c : classics::all_classics())
    if (std::find(std::begin(families), std::end(families), c.family) != std::end(families) &&
        c.task == &classics::sorting && c.place == classics::place::device)
      wanted.members.push_back(&c);
  points all = run_over_sizes(bench, wanted);
  std::erase_if(all, [](const point& p) { return p.series == "CUB scan"; });
  return all;
}

std::vector<plot::chart> charts(const points& all, const json_value& environment) {
  return {chart_over_sizes(all, facets_of(all), "classics-crossings", "n log n against n²", environment)};
}

/// Where the later of two sorts becomes the faster one and stays it: between that n and half of it.
std::string crossing(const points& all, const std::string& early, const std::string& late) {
  double at = 0;
  for (const point& p : all)
    if (p.series == early && !p.seconds.empty())
      for (const point& q : all)
        if (q.series == late && q.n == p.n && !q.seconds.empty())
          at = q.median() < p.median() ? (at == 0 ? double(p.n) : at) : 0;
  return at == 0 ? "none up to the last n of both" : "from n = " + power_text(at) + " on";
}

std::string tables(const points& all, const json_value&) {
  std::vector<std::vector<std::string>> rows{{"n² sort", "faster than it", "where"}};
  std::vector<std::string> quadratic, others;
  for (const point& p : all) {
    auto& names = p.facet == "rank" || p.facet == "transposition" ? quadratic : others;
    if (std::find(names.begin(), names.end(), p.series) == names.end())
      names.push_back(p.series);
  }
  for (const std::string& slow : quadratic)
    for (const std::string& fast : others)
      rows.push_back({slow, fast, crossing(all, slow, fast)});
  points coarse = all; // every second power: the rest is in the plot and its data
  std::erase_if(coarse, [](const point& p) { return std::lround(std::log2(p.x)) % 2 != 0; });
  return table_of("Time of n uniform u32", coarse, "n", power_text,
                  [](const point& p) { return p.seconds.empty() ? "failed" : duration_text(p.median()); }) +
         "\nWhere the n² sorts are overtaken\n\n" + markdown(rows);
}

} // namespace

const experiment crossings{.name = "crossings",
                           .question =
                               "n log n against n^2: networks and merge sorts against rank and transposition sort",
                           .run = run,
                           .charts = charts,
                           .tables = tables};

} // namespace sortile::experiments
