// See results.hpp.
#include "bench/classics/results.hpp"

#include "testing/race.hpp"

#include <sortile/error.hpp>

namespace sortile::experiments {

namespace {

constexpr const char* format_name = "sortile-bench-classics 1";

/// The noise of runs is not kept: it follows from them.
void write(testing::json_writer& out, const point& p) {
  out.begin_object();
  if (!p.facet.empty())
    out.member("facet", p.facet);
  out.member("series", p.series);
  if (p.category.empty())
    out.member("x", p.x);
  else
    out.member("category", p.category);
  out.member("n", p.n);
  out.member("workload", p.workload);
  if (!p.seconds.empty()) {
    out.key("seconds");
    out.begin_array();
    for (const double s : p.seconds)
      out.value(s);
    out.end_array();
  }
  if (!p.figures.empty()) {
    out.key("figures");
    out.begin_object();
    for (const auto& [name, figure] : p.figures)
      out.member(name, figure);
    out.end_object();
  }
  if (!p.note.empty())
    out.member("note", p.note);
  out.end_object();
}

std::string text_or_nothing(const json_value& from, std::string_view name) {
  const json_value* found = from.find(name);
  return found == nullptr ? "" : found->text();
}

point point_of(const json_value& from) {
  point p{.facet = text_or_nothing(from, "facet"),
          .series = from.at("series").text(),
          .category = text_or_nothing(from, "category"),
          .n = static_cast<std::uint64_t>(from.at("n").number()),
          .workload = from.at("workload").text(),
          .note = text_or_nothing(from, "note")};
  if (p.category.empty())
    p.x = from.at("x").number();
  if (const json_value* seconds = from.find("seconds"))
    for (const json_value& s : seconds->elements())
      p.seconds.push_back(s.number());
  if (const json_value* figures = from.find("figures"))
    for (const auto& [name, figure] : figures->members())
      p.figures[name] = figure.number();
  return p;
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
  testing::json_writer out;
  out.begin_object();
  out.member("format", format_name);
  out.key("environment");
  all.environment.write(out);
  out.member("quick", all.quick);
  out.key("experiments");
  out.begin_array();
  for (const measured& each : all.experiments) {
    out.begin_object();
    out.member("name", each.experiment);
    out.key("points");
    out.begin_array();
    for (const point& p : each.points)
      write(out, p);
    out.end_array();
    out.end_object();
  }
  out.end_array();
  out.end_object();
  return out.text();
}

results results_of(std::string_view json) {
  const json_value document = parse_json(json);
  const json_value* format = document.find("format");
  if (format == nullptr || format->text() != format_name)
    throw invalid_argument(std::string("results: not a file of the format \"") + format_name + "\"");
  results all{.environment = document.at("environment"), .quick = document.at("quick").truth(), .experiments = {}};
  for (const json_value& each : document.at("experiments").elements()) {
    measured one{each.at("name").text(), {}};
    for (const json_value& p : each.at("points").elements())
      one.points.push_back(point_of(p));
    all.experiments.push_back(std::move(one));
  }
  return all;
}

} // namespace sortile::experiments
