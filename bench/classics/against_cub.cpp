// Every classic against CUB, from 2^10 to 2^26 keys.
//
// Question: what does each idea cost by itself, next to a library that uses all that fit together? Each classic goes as
// far as it declares, and as far as a run stays within the time for a point.
#include "bench/classics/size_series.hpp"

#include <algorithm>

namespace sortile::experiments {

namespace {

constexpr std::string_view scans = "scan";

points run(workbench& bench) {
  size_series wanted;
  wanted.members = classics_of_32_bits();
  return run_over_sizes(bench, wanted);
}

/// The rival of a family: CUB's scan for scans, its sort for all else.
std::string rival_of(const std::string& family) {
  return family == scans ? "CUB scan" : "CUB";
}

std::vector<plot::chart> charts(const points& all, const testing::facts& environment) {
  std::vector<plot::chart> drawn;
  for (const std::string& family : facets_of(all)) {
    if (family == references)
      continue;
    points shown = all;
    std::erase_if(
        shown, [&](const point& p) { return p.facet == references && (p.series == "CUB scan") != (family == scans); });
    std::string file = family;
    std::replace(file.begin(), file.end(), ' ', '-');
    drawn.push_back(chart_over_sizes(shown, {family, references}, "classics-against-cub-" + file,
                                     "The " + family + " family against CUB", environment));
  }
  return drawn;
}

std::string tables(const points& all, const testing::facts&) {
  points rows = all;
  const auto cell = [&](const point& p) -> std::string {
    if (p.seconds.empty())
      return "failed";
    const std::string rival = rival_of(p.facet);
    const auto beside = std::find_if(
        all.begin(), all.end(), [&](const point& q) { return q.series == rival && q.n == p.n && !q.seconds.empty(); });
    if (p.facet == references || beside == all.end())
      return p.facet == references ? duration_with_noise(p) : duration_text(p.median());
    return figures_text(p.median() / beside->median());
  };
  std::stable_partition(rows.begin(), rows.end(), [](const point& p) { return p.facet == references; });
  return table_of("References: time; classics: times as long as CUB (scans: as CUB's scan)", rows, "n", power_text,
                  cell);
}

} // namespace

const experiment against_cub{.name = "against-cub",
                             .question = "every classic against CUB at 2^10 to 2^26 keys",
                             .run = run,
                             .charts = charts,
                             .tables = tables};

} // namespace sortile::experiments
