// See results.hpp.
#include "bench/classics/results.hpp"

#include "testing/race.hpp"
#include "testing/results.hpp"

#include <sortile/error.hpp>

namespace sortile::experiments {

namespace {

constexpr const char* suite = "classics";

/// "radix-floats (f32)" sorts floats; all else u32.
std::string type_of(const point& p) {
  return p.series.ends_with("(f32)") ? "f32" : "u32";
}

testing::result_row row_of(const point& p, const std::string& experiment) {
  testing::result_row r{.type = type_of(p), .workload = p.workload, .n = p.n, .contender = p.series};
  r.labels.add("experiment", experiment);
  if (!p.facet.empty())
    r.labels.add("facet", p.facet);
  if (p.category.empty())
    r.labels.add("x", p.x);
  else
    r.labels.add("category", p.category);
  r.median = p.median();
  r.noise = p.noise();
  r.figures = p.figures;
  r.note = p.note;
  r.seconds = p.seconds;
  return r;
}

point point_of(const testing::result_row& r) {
  return {.facet = r.labels.text("facet"),
          .series = r.contender,
          .category = r.labels.text("category"),
          .x = r.labels.number("x"),
          .n = r.n,
          .workload = r.workload,
          .seconds = r.seconds,
          .figures = r.figures,
          .note = r.note};
}

} // namespace

double point::median() const {
  return testing::timing{series, seconds}.median();
}

double point::noise() const {
  return testing::timing{series, seconds}.noise();
}

double point::figure(const std::string& name) const {
  const auto found = figures.find(name);
  if (found == figures.end())
    throw invalid_argument("results: " + series + " has no figure " + name);
  return found->second;
}

std::string json_of(const results& all) {
  testing::results_file file{.suite = suite, .environment = all.environment};
  file.settings.add("quick", all.quick);
  for (const measured& each : all.experiments)
    for (const point& p : each.points)
      file.rows.push_back(row_of(p, each.experiment));
  return text_of(file);
}

results results_of(std::string_view json) {
  const testing::results_file file = testing::results_in(json, suite);
  results all{.environment = file.environment, .quick = file.settings.truth("quick"), .experiments = {}};
  for (const testing::result_row& r : file.rows) {
    const std::string experiment = r.labels.text("experiment");
    if (all.experiments.empty() || all.experiments.back().experiment != experiment)
      all.experiments.push_back({experiment, {}});
    all.experiments.back().points.push_back(point_of(r));
  }
  return all;
}

} // namespace sortile::experiments
