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

std::vector<plot::chart> charts(const points& all, const testing::facts& environment) {
  return {chart_over_sizes(all, facets_of(all), "classics-crossings", "n log n against n²", environment)};
}

/// The n from which on `late` is the faster of two sorts, at every size that both were run at.
std::string crossing(const points& all, const std::string& early, const std::string& late) {
  double at = 0;
  for (const point& p : all)
    if (p.series == early && !p.seconds.empty())
      for (const point& q : all)
        if (q.series == late && q.n == p.n && !q.seconds.empty())
          at = q.median() < p.median() ? (at == 0 ? double(p.n) : at) : 0;
  return at == 0 ? "-" : power_text(at);
}

/// A row an n^2 sort, a column each other.
std::string crossings_table(const points& all) {
  std::vector<std::string> quadratic, others;
  for (const point& p : all) {
    auto& names = p.facet == "rank" || p.facet == "transposition" ? quadratic : others;
    if (std::find(names.begin(), names.end(), p.series) == names.end())
      names.push_back(p.series);
  }
  std::vector<std::vector<std::string>> rows{{"overtaken for good from n ="}};
  rows.front().insert(rows.front().end(), others.begin(), others.end());
  for (const std::string& slow : quadratic) {
    rows.push_back({slow});
    for (const std::string& fast : others)
      rows.back().push_back(crossing(all, slow, fast));
  }
  return markdown(rows);
}

std::string tables(const points& all, const testing::facts&) {
  points coarse = all; // every second power: the rest is in the plot and its data
  std::erase_if(coarse, [](const point& p) { return std::lround(std::log2(p.x)) % 2 != 0; });
  return table_of("Time of n uniform u32", coarse, "n", power_text,
                  [](const point& p) {
                    return p.seconds.empty()       ? "failed"
                           : p.facet == references ? duration_with_noise(p)
                                                   : duration_text(p.median());
                  }) +
         "\nWhere the n² sorts are overtaken (64: at the smallest n already)\n\n" + crossings_table(all);
}

} // namespace

const experiment crossings{.name = "crossings",
                           .question =
                               "n log n against n^2: networks and merge sorts against rank and transposition sort",
                           .run = run,
                           .charts = charts,
                           .tables = tables};

} // namespace sortile::experiments
