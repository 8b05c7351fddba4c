// See cpu_results.hpp. The fastest run is what a contender can do; on a machine that others share the median says more
// of them than of it.
#include "bench/cpu_results.hpp"

#include <sortile/error.hpp>

#include <algorithm>
#include <cstdio>
#include <map>
#include <vector>

namespace sortile::bench {

namespace {

using testing::result_row;
using testing::results_file;

constexpr const char* ours = "sortile cpu";

/// One input, and what each contender took for a key of it, in nanoseconds.
struct input {
  std::string type, workload;
  std::uint64_t n = 0;
  std::vector<std::pair<std::string, double>> times;

  double of(const std::string& name) const {
    for (const auto& [contender, time] : times)
      if (contender == name)
        return time;
    return 0;
  }
  /// Rivals, the fastest first.
  std::vector<std::pair<std::string, double>> rivals() const {
    std::vector<std::pair<std::string, double>> some;
    for (const auto& each : times)
      if (each.first.rfind("sortile", 0) != 0)
        some.push_back(each);
    std::stable_sort(some.begin(), some.end(), [](const auto& a, const auto& b) { return a.second < b.second; });
    return some;
  }
  /// How many times longer the best rival takes; 0 where one of the two is missing.
  double ratio() const {
    const auto others = rivals();
    return others.empty() || of(ours) == 0 ? 0 : others.front().second / of(ours);
  }
};

double nanoseconds(const result_row& r) {
  const auto arrays = r.figures.find("arrays");
  const double keys = static_cast<double>(r.n) * (arrays == r.figures.end() ? 1 : arrays->second);
  return 1e9 * *std::min_element(r.seconds.begin(), r.seconds.end()) / keys;
}

std::vector<input> inputs_of(const results_file& all) {
  std::vector<input> inputs;
  for (const result_row& r : all.rows) {
    if (r.seconds.empty() || r.n == 0)
      continue;
    const auto same = [&](const input& i) { return i.type == r.type && i.workload == r.workload && i.n == r.n; };
    auto found = std::find_if(inputs.begin(), inputs.end(), same);
    if (found == inputs.end())
      found = inputs.insert(inputs.end(), {r.type, r.workload, r.n, {}});
    found->times.emplace_back(r.contender, nanoseconds(r));
  }
  return inputs;
}

std::string number(double x) {
  char text[32];
  std::snprintf(text, sizeof text, x < 10 ? "%.2f" : x < 100 ? "%.1f" : "%.0f", x);
  return text;
}

std::string length(std::uint64_t n) {
  std::string digits = std::to_string(n);
  for (std::size_t at = digits.size(); at > 3;)
    digits.insert(at -= 3, ",");
  return digits;
}

std::string line_of(const input& i) {
  std::string line =
      "| " + i.workload + " | " + length(i.n) + " | " + (i.of(ours) == 0 ? "–" : number(i.of(ours))) + " | ";
  const auto others = i.rivals();
  for (std::size_t k = 0; k < 2; ++k)
    line += k < others.size() ? others[k].first + " " + number(others[k].second) + " | " : "– | ";
  return line + (i.ratio() == 0 ? "–" : number(i.ratio())) + " |\n";
}

} // namespace

std::string machine_line(const results_file& all) {
  const testing::facts& e = all.environment;
  return e.text("cpu") + ", " + std::to_string(static_cast<int>(e.number("cpus"))) + " CPUs, threads " +
         std::to_string(static_cast<int>(all.settings.number("threads"))) + "; revision " + e.text("revision") + ", " +
         e.text("compiler") + ", " + e.text("date");
}

std::string cpu_tables(const results_file& all) {
  const std::vector<input> inputs = inputs_of(all);
  std::string text;
  std::string type;
  for (const input& i : inputs) {
    if (i.type != type)
      text += (text.empty() ? "" : "\n") + std::string("`") + i.type +
              "`, nanoseconds a key\n\n| keys | n | sortile | best rival | second | rival / sortile |\n"
              "|---|---|---|---|---|---|\n";
    type = i.type;
    text += line_of(i);
  }
  return text;
}

std::string cpu_losses(const results_file& all) {
  std::string text;
  for (const input& i : inputs_of(all))
    if (i.ratio() > 0 && i.ratio() < 1)
      text += "- `" + i.type + "` " + i.workload + ", n = " + length(i.n) + ": " + i.rivals().front().first +
              " takes " + number(i.ratio()) + " of sortile's time\n";
  return text.empty() ? "nowhere\n" : text;
}

plot::chart length_chart(const results_file& all, const std::string& type) {
  plot::chart chart{.name = "cpu-lengths-" + type,
                    .title = "Uniform " + type + " keys by length",
                    .subtitle = machine_line(all),
                    .x = {"keys", plot::scale::decades},
                    .y = {"nanoseconds a key", plot::scale::decades},
                    .lines = {}};
  std::size_t lengths = 0;
  for (const input& i : inputs_of(all)) {
    if (i.type != type || i.workload != "uniform")
      continue;
    ++lengths;
    for (const auto& [contender, time] : i.times) {
      auto line =
          std::find_if(chart.lines.begin(), chart.lines.end(), [&](const auto& s) { return s.name == contender; });
      if (line == chart.lines.end())
        line = chart.lines.insert(chart.lines.end(), {contender, {}});
      line->values.push_back({static_cast<double>(i.n), time});
    }
  }
  if (lengths < 2)
    throw invalid_argument("a plot needs two lengths of uniform " + type + " keys at least");
  return chart;
}

} // namespace sortile::bench
