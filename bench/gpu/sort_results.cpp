// See sort_results.hpp; bench/results/README.md describes the format.
#include "bench/gpu/sort_results.hpp"

#include <sortile/error.hpp>

#include <algorithm>

namespace sortile::bench {
namespace {

using experiments::json_value;

constexpr const char* format_name = "sortile-bench-gpu 1";

void write(testing::json_writer& out, const sort_standing& s, bool with_rate) {
  out.begin_object();
  out.member("name", s.name);
  out.member("workspace_bytes", s.workspace_bytes);
  if (s.bytes_moved > 0)
    out.member("bytes_moved", s.bytes_moved);
  if (!s.complaint.empty()) {
    out.member("complaint", s.complaint);
  } else {
    out.member("median_seconds", s.seconds);
    out.member("noise", s.noise);
    if (with_rate)
      out.member("bytes_per_second", s.bytes_moved / s.seconds);
  }
  if (!s.runs.empty()) {
    out.key("seconds");
    out.begin_array();
    for (const double run : s.runs)
      out.value(run);
    out.end_array();
  }
  out.end_object();
}

void write(testing::json_writer& out, const sort_result& r) {
  out.begin_object();
  out.member("kind", r.row.kind->name);
  out.member("workload", r.row.workload.spec());
  out.member("n", r.row.n);
  out.member("cold", r.cold);
  out.key("results");
  out.begin_array();
  for (const sort_standing& s : r.standings)
    write(out, s, r.row.kind->in_host_memory);
  out.end_array();
  out.end_object();
}

double number_or_0(const json_value& from, std::string_view name) {
  const json_value* found = from.find(name);
  return found == nullptr ? 0 : found->number();
}

sort_standing standing_of(const json_value& from) {
  sort_standing s{.name = from.at("name").text(),
                  .workspace_bytes = std::size_t(from.at("workspace_bytes").number()),
                  .bytes_moved = number_or_0(from, "bytes_moved")};
  if (const json_value* complaint = from.find("complaint")) {
    s.complaint = complaint->text();
    return s;
  }
  s.seconds = from.at("median_seconds").number();
  s.noise = from.at("noise").number();
  if (const json_value* runs = from.find("seconds"))
    for (const json_value& run : runs->elements())
      s.runs.push_back(run.number());
  if (!(s.seconds > 0) || !(s.noise >= 0))
    throw invalid_argument("results: " + s.name + " has a time of 0 or less, or a negative noise");
  return s;
}

sort_result result_of(const json_value& from) {
  sort_result r{.row = {&sort_kind_named(from.at("kind").text()), testing::workload_named(from.at("workload").text()),
                        std::uint64_t(from.at("n").number())},
                .cold = from.at("cold").truth(),
                .standings = {}};
  for (const json_value& each : from.at("results").elements())
    r.standings.push_back(standing_of(each));
  return r;
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
  testing::json_writer out;
  out.begin_object();
  out.member("format", format_name);
  out.key("environment");
  all.environment.write(out);
  out.member("quick", all.quick);
  out.member("single_calls", all.single_calls);
  out.key("rows");
  out.begin_array();
  for (const sort_result& r : all.rows)
    write(out, r);
  out.end_array();
  out.end_object();
  return out.text();
}

sort_results sort_results_of(std::string_view json) {
  const json_value document = experiments::parse_json(json);
  const json_value* format = document.find("format");
  if (format == nullptr || format->text() != format_name)
    throw invalid_argument(std::string("results: not a file of the format \"") + format_name + "\"");
  sort_results all{.environment = document.at("environment"),
                   .quick = document.at("quick").truth(),
                   .single_calls = document.at("single_calls").truth(),
                   .rows = {}};
  for (const json_value& each : document.at("rows").elements())
    all.rows.push_back(result_of(each));
  return all;
}

} // namespace sortile::bench
