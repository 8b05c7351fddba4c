// See results.hpp.
#include "testing/results.hpp"

#include <sortile/error.hpp>

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>

namespace sortile::testing {

namespace {

using json = nlohmann::ordered_json;

constexpr const char* format_name = "sortile-results 1";

/// Members of a row that are no labels.
constexpr std::string_view own_members[] = {"type", "workload", "n",       "contender", "median",
                                            "min",  "noise",    "figures", "note",      "seconds"};

[[noreturn]] void refuse(const std::string& why) {
  throw invalid_argument("results: " + why);
}

/// Whole numbers without a point.
json number(double value) {
  if (value == std::floor(value) && std::abs(value) < 0x1p53)
    return static_cast<std::int64_t>(value);
  return value;
}

json fact(const facts::fact& what) {
  if (const auto* value = std::get_if<double>(&what))
    return number(*value);
  if (const auto* truth = std::get_if<bool>(&what))
    return *truth;
  return std::get<std::string>(what);
}

json object(const facts& all) {
  json made = json::object();
  for (const auto& [name, what] : all)
    made[name] = fact(what);
  return made;
}

json object(const result_row& r) {
  json made{{"type", r.type}, {"workload", r.workload}, {"n", r.n}, {"contender", r.contender}};
  for (const auto& [name, what] : r.labels)
    made[name] = fact(what);
  if (r.median > 0) {
    made["median"] = r.median;
    if (!r.seconds.empty())
      made["min"] = *std::min_element(r.seconds.begin(), r.seconds.end());
    made["noise"] = r.noise;
  }
  for (const auto& [name, figure] : r.figures)
    made["figures"][name] = number(figure);
  if (!r.note.empty())
    made["note"] = r.note;
  if (!r.seconds.empty())
    made["seconds"] = r.seconds;
  return made;
}

const json& member(const json& of, const char* name, const char* what) {
  if (!of.is_object() || !of.contains(name))
    refuse(std::string("no member ") + name + " in " + what);
  return of[name];
}

void add_to(facts& all, const std::string& name, const json& value) {
  if (value.is_boolean())
    all.add(name, value.get<bool>());
  else if (value.is_number())
    all.add(name, value.get<double>());
  else
    all.add(name, value.get<std::string>());
}

facts facts_in(const json& from) {
  facts all;
  for (const auto& [name, value] : from.items())
    add_to(all, name, value);
  return all;
}

result_row row_in(const json& from) {
  result_row r{.type = member(from, "type", "a row"),
               .workload = member(from, "workload", "a row"),
               .n = member(from, "n", "a row"),
               .contender = member(from, "contender", "a row"),
               .note = from.value("note", std::string())};
  for (const auto& [name, value] : from.items())
    if (std::find(std::begin(own_members), std::end(own_members), name) == std::end(own_members))
      add_to(r.labels, name, value);
  if (from.contains("median")) {
    r.median = from["median"];
    r.noise = from.value("noise", 0.0);
    if (!(r.median > 0) || !(r.noise >= 0))
      refuse(r.contender + " has a time of 0 or less, or a negative noise");
  }
  if (from.contains("figures"))
    r.figures = from["figures"].get<std::map<std::string, double>>();
  if (from.contains("seconds"))
    r.seconds = from["seconds"].get<std::vector<double>>();
  return r;
}

} // namespace

std::string text_of(const results_file& all) {
  constexpr auto replace = json::error_handler_t::replace; // what is no UTF-8
  std::string text = std::string("{\n\"format\": \"") + format_name + "\",\n\"suite\": " + json(all.suite).dump() +
                     ",\n\"environment\": " + object(all.environment).dump(1, ' ', false, replace) +
                     ",\n\"settings\": " + object(all.settings).dump() + ",\n\"rows\": [";
  const char* separator = "\n"; // a line a row
  for (const result_row& r : all.rows) {
    text += separator + object(r).dump(-1, ' ', false, replace);
    separator = ",\n";
  }
  return text + "\n]\n}\n";
}

results_file results_in(std::string_view text, std::string_view suite) {
  try {
    const json document = json::parse(text);
    if (!document.is_object() || document.value("format", "") != format_name || document.value("suite", "") != suite)
      refuse(std::string("not a file of the format \"") + format_name + "\", suite \"" + std::string(suite) + "\"");
    results_file all{.suite = std::string(suite),
                     .environment = facts_in(member(document, "environment", "the file")),
                     .settings = facts_in(member(document, "settings", "the file"))};
    for (const json& each : member(document, "rows", "the file"))
      all.rows.push_back(row_in(each));
    return all;
  } catch (const json::exception& wrong) { // its text says the line
    throw invalid_argument(std::string("results: ") + wrong.what());
  }
}

} // namespace sortile::testing
