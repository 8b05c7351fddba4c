// See sort_results.hpp; bench/results/README.md describes the format.
#include "bench/gpu/sort_results.hpp"

#include "testing/results.hpp"

#include <sortile/error.hpp>

#include <algorithm>

namespace sortile::bench {
namespace {

constexpr const char* suite = "gpu";
constexpr const char *warm = "warm", *cold = "cold";

testing::result_row row_of(const sort_result& r, const sort_standing& s) {
  testing::result_row row{
      .type = std::string(r.row.kind->name), .workload = r.row.workload.spec(), .n = r.row.n, .contender = s.name};
  row.labels.add("cache", r.cold ? cold : warm);
  row.figures["workspace_bytes"] = double(s.workspace_bytes);
  if (s.bytes_moved > 0)
    row.figures["bytes_moved"] = s.bytes_moved;
  row.note = s.complaint;
  row.seconds = s.runs;
  if (!s.complaint.empty())
    return row;
  row.median = s.seconds;
  row.noise = s.noise;
  if (r.row.kind->in_host_memory)
    row.figures["bytes_per_second"] = s.bytes_moved / s.seconds;
  return row;
}

sort_standing standing_of(const testing::result_row& row) {
  const auto figure = [&](const char* name) {
    const auto at = row.figures.find(name);
    return at == row.figures.end() ? 0.0 : at->second;
  };
  if (row.note.empty() && !(row.median > 0))
    throw invalid_argument("results: " + row.contender + " has neither a time nor a note that says why");
  return {.name = row.contender,
          .workspace_bytes = std::size_t(figure("workspace_bytes")),
          .bytes_moved = figure("bytes_moved"),
          .seconds = row.median,
          .noise = row.noise,
          .runs = row.seconds,
          .complaint = row.note};
}

} // namespace

const sort_standing* sort_result::find(std::string_view name) const {
  const auto at =
      std::find_if(standings.begin(), standings.end(), [&](const sort_standing& s) { return s.name == name; });
  return at == standings.end() ? nullptr : &*at;
}

const sort_result* sort_results::find(const sort_row& row, bool cold) const {
  const auto at =
      std::find_if(rows.begin(), rows.end(), [&](const sort_result& r) { return r.row == row && r.cold == cold; });
  return at == rows.end() ? nullptr : &*at;
}

std::string json_of(const sort_results& all) {
  testing::results_file file{.suite = suite, .environment = all.environment};
  file.settings.add("quick", all.quick);
  file.settings.add("single_calls", all.single_calls);
  for (const sort_result& r : all.rows)
    for (const sort_standing& s : r.standings)
      file.rows.push_back(row_of(r, s));
  return text_of(file);
}

sort_results sort_results_of(std::string_view json) {
  const testing::results_file file = testing::results_in(json, suite);
  sort_results all{.environment = file.environment,
                   .quick = file.settings.truth("quick"),
                   .single_calls = file.settings.truth("single_calls"),
                   .rows = {}};
  for (const testing::result_row& each : file.rows) {
    const sort_row row{&sort_kind_named(each.type), testing::workload_named(each.workload), each.n};
    const bool is_cold = each.labels.text("cache") == cold;
    if (all.rows.empty() || !(all.rows.back().row == row) || all.rows.back().cold != is_cold)
      all.rows.push_back({row, is_cold, {}});
    all.rows.back().standings.push_back(standing_of(each));
  }
  return all;
}

} // namespace sortile::bench
