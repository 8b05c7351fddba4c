// See sort_report.hpp.
#include "bench/gpu/sort_report.hpp"

#include "bench/classics/experiment.hpp"
#include "bench/classics/plot/scale_map.hpp"

#include <algorithm>
#include <array>
#include <cmath>

namespace sortile::bench {
namespace {

using experiments::figures_text;
using cells = std::vector<std::string>;

constexpr std::string_view others = "others", host_memory = "host memory", missing = "-";
constexpr int before_engine_sorts = 4; ///< columns

double copy_rate(const sort_results& all) {
  return all.environment.number("copy_bytes_per_second");
}

std::string bytes_text(double bytes) {
  return bytes >= 1e9   ? figures_text(bytes / 1e9) + " GB"
         : bytes >= 1e6 ? figures_text(bytes / 1e6) + " MB"
         : bytes >= 1e3 ? figures_text(bytes / 1e3) + " KB"
                        : figures_text(bytes) + " B";
}

/// Two decimals, cut off rather than rounded: what reads 1.00 is no slower.
std::string ratio_text(double ratio) {
  const auto hundredths = static_cast<long long>(std::floor(ratio * 100));
  const std::string rest = std::to_string(hundredths % 100);
  return std::to_string(hundredths / 100) + "." + (rest.size() < 2 ? "0" : "") + rest;
}

std::string percent_text(double share) {
  const auto tenths = static_cast<long long>(std::llround(share * 1000));
  return tenths >= 100 ? std::to_string((tenths + 5) / 10) + " %"
                       : std::to_string(tenths / 10) + "." + std::to_string(tenths % 10) + " %";
}

std::string target_text(const target& wanted) {
  if (wanted.is_time())
    return "≤ " + plot::plain_number(wanted.microseconds) + " µs";
  if (wanted.is_share())
    return "≥ " + plot::plain_number(100 * wanted.pinned_share) + " %";
  return wanted.ratio == 1 ? "≥ 1" : "≥ " + plot::plain_number(wanted.ratio);
}

std::string verdict_text(verdict v) {
  static constexpr std::array<const char*, 5> texts{"met", "missed", "**loses**", "**wrong**", "-"};
  return texts[std::size_t(v)];
}

std::string time_text(const sort_standing* s) {
  return s == nullptr            ? std::string(missing)
         : !s->complaint.empty() ? s->complaint
                                 : experiments::duration_text(s->seconds);
}

std::string share_text(const sort_standing* s, double rate) {
  if (s == nullptr || s->bytes_moved == 0 || s->seconds == 0 || rate == 0)
    return std::string(missing);
  return percent_text(s->bytes_moved / s->seconds / rate);
}

/// To the nanosecond, so that the file of the plot holds no digits that mean nothing.
double milliseconds(double seconds) {
  return std::round(seconds * 1e9) / 1e6;
}

/// The engine's sorts that took part by themselves, in the order in which they first appear.
std::vector<std::string> engine_sorts_of(const sort_results& all) {
  std::vector<std::string> names;
  for (const sort_result& r : all.rows)
    for (const sort_standing& s : r.standings)
      if (s.name != "sortile" && s.name != "cub" && std::find(names.begin(), names.end(), s.name) == names.end())
        names.push_back(s.name);
  return names;
}

/// What tables show of a row: `measured` null where it was not.
struct shown_row {
  sort_row row;
  const sort_result* measured;
};

target wanted_of(const sort_results& all, const sort_row& row) {
  const target_line* line = find_target(row);
  return line == nullptr ? usual_target(*row.kind) : target_on(all.environment.text("gpu"), *line);
}

std::vector<shown_row> rows_of_group(const sort_results& all, std::string_view group) {
  std::vector<shown_row> rows;
  if (group == others) {
    for (const sort_result& r : all.rows)
      if (find_target(r.row) == nullptr && !r.row.kind->in_host_memory)
        rows.push_back({r.row, &r});
    return rows;
  }
  for (const target_line& line : all_targets())
    if (line.group == group) {
      rows.push_back({line.row(), all.find(line.row(), false)});
      if (const sort_result* cold = all.find(line.row(), true))
        rows.push_back({line.row(), cold});
    }
  if (group == host_memory)
    for (const sort_result& r : all.rows)
      if (find_target(r.row) == nullptr && r.row.kind->in_host_memory)
        rows.push_back({r.row, &r});
  return rows;
}

cells heading(const sort_results& all) {
  cells names{"",       "n", "L2",      "sortile", "CUB",       "ratio", "noise",
              "target", "",  "of copy", "CUB's",   "workspace", "CUB's"};
  std::vector<std::string> alone = engine_sorts_of(all);
  for (std::string& name : alone)
    name += " alone";
  names.insert(names.begin() + before_engine_sorts, alone.begin(), alone.end());
  return names;
}

std::string workspace_text(const sort_row& row, const sort_standing& ours, const sort_standing* cub) {
  const bool over = cub != nullptr && double(ours.workspace_bytes) > workspace_allowed(row, cub->workspace_bytes);
  return bytes_text(double(ours.workspace_bytes)) + (over ? " (over)" : "");
}

cells line_of(const sort_results& all, const shown_row& shown) {
  const std::string what = std::string(shown.row.kind->name) + " " + shown.row.workload.spec();
  const target wanted = wanted_of(all, shown.row);
  const bool cold = shown.measured != nullptr && shown.measured->cold;
  cells line{what, experiments::power_text(double(shown.row.n)), cold ? "cold" : "warm"};
  if (shown.measured == nullptr) {
    line.insert(line.end(), {"not measured", "-", "-", "-", target_text(wanted), "-", "-", "-", "-", "-"});
  } else {
    const sort_result& r = *shown.measured;
    const judgement j = judge(r, cold ? never_slower : wanted, all.single_calls);
    const sort_standing *ours = r.find("sortile"), *cub = r.find("cub");
    line.insert(line.end(), {time_text(ours), time_text(cub), j.ratio == 0 ? "-" : ratio_text(j.ratio),
                             j.ratio == 0 ? "-" : percent_text(j.noise), target_text(cold ? never_slower : wanted),
                             verdict_text(j.outcome), share_text(ours, copy_rate(all)), share_text(cub, copy_rate(all)),
                             ours == nullptr ? "-" : workspace_text(r.row, *ours, cub),
                             cub == nullptr ? "-" : bytes_text(double(cub->workspace_bytes))});
  }
  cells alone;
  for (const std::string& name : engine_sorts_of(all))
    alone.push_back(shown.measured == nullptr ? "-" : time_text(shown.measured->find(name)));
  line.insert(line.begin() + before_engine_sorts, alone.begin(), alone.end());
  return line;
}

cells host_heading() {
  return {"", "n", "sortile", "pinned copy", "its rate", "share", "noise", "target", ""};
}
/// Cut off, as ratios are.
std::string whole_percent_text(double share) {
  return std::to_string(static_cast<long long>(std::floor(share * 100))) + " %";
}
cells host_line_of(const sort_results& all, const shown_row& shown) {
  const target wanted = wanted_of(all, shown.row);
  cells line{std::string(shown.row.kind->name) + " " + shown.row.workload.spec(),
             experiments::power_text(double(shown.row.n))};
  if (shown.measured == nullptr) {
    line.insert(line.end(), {"not measured", "-", "-", "-", "-", target_text(wanted), "-"});
    return line;
  }
  const judgement j = judge(*shown.measured, wanted, all.single_calls);
  const sort_standing *ours = shown.measured->find("sortile"), *copy = shown.measured->find("pinned copy");
  const bool has_rate = copy != nullptr && copy->seconds > 0;
  line.insert(line.end(),
              {time_text(ours), time_text(copy), has_rate ? bytes_text(copy->bytes_moved / copy->seconds) + "/s" : "-",
               j.ratio == 0 ? "-" : whole_percent_text(j.ratio), j.ratio == 0 ? "-" : percent_text(j.noise),
               target_text(wanted), verdict_text(j.outcome)});
  return line;
}

std::vector<std::string_view> groups_with_others() {
  std::vector<std::string_view> names(all_target_groups().begin(), all_target_groups().end());
  names.push_back(others);
  return names;
}

} // namespace

judgement judge(const sort_result& measured, const target& wanted, bool single_calls) {
  constexpr double most_allowance = 0.02;
  const sort_standing *ours = measured.find("sortile"), *rival = measured.find(rival_of(*measured.row.kind));
  if (ours == nullptr || !ours->complaint.empty())
    return {.outcome = verdict::wrong};
  judgement j;
  const bool has_rival = rival != nullptr && rival->complaint.empty();
  if (has_rival) {
    j.ratio = rival->seconds / ours->seconds;
    j.noise = rival->noise + ours->noise;
  }
  const bool slower = has_rival && !wanted.is_share() && j.ratio < 1 - std::min(j.noise, most_allowance);
  if (slower)
    j.outcome = verdict::loses;
  else if (wanted.is_time() ? !single_calls : !has_rival)
    j.outcome = verdict::not_judged;
  else if (wanted.is_share())
    j.outcome = j.ratio >= wanted.pinned_share ? verdict::met : verdict::missed;
  else if (wanted.is_time())
    j.outcome = ours->seconds * 1e6 <= wanted.microseconds ? verdict::met : verdict::missed;
  else
    j.outcome = wanted.ratio <= 1 || j.ratio >= wanted.ratio ? verdict::met : verdict::missed;
  return j;
}

double workspace_allowed(const sort_row& row, std::size_t cubs) {
  constexpr double below_2_20 = 1e6;
  const double unwritten_keys =
      row.kind->carries == payload::indices ? double(row.n) * double(key_bytes(row.kind->type)) : 0;
  const double as_cub = double(cubs) + unwritten_keys;
  return row.n >= std::uint64_t{1} << 20 ? as_cub : std::max(below_2_20, as_cub);
}

std::string machine_line(const sort_results& all) {
  std::string line = experiments::machine_text(all.environment);
  if (const double rate = copy_rate(all); rate > 0)
    line += ", device copy " + figures_text(rate / 1e12) + " TB/s";
  for (const auto& [name, before] : {std::pair{"revision", ", revision "}, std::pair{"date", ", "}})
    if (const std::string value = all.environment.text(name); !value.empty())
      line += before + value;
  return line;
}

std::string table_of_group(const sort_results& all, std::string_view group) {
  const bool of_host = group == host_memory;
  std::vector<cells> lines{of_host ? host_heading() : heading(all)};
  for (const shown_row& shown : rows_of_group(all, group))
    lines.push_back(of_host ? host_line_of(all, shown) : line_of(all, shown));
  return experiments::markdown(lines);
}

std::string tables(const sort_results& all) {
  std::string text;
  for (const std::string_view group : groups_with_others()) {
    const auto rows = rows_of_group(all, group);
    if (std::any_of(rows.begin(), rows.end(), [](const shown_row& r) { return r.measured != nullptr; }))
      text +=
          (text.empty() ? "" : "\n") + std::string("## ") + std::string(group) + "\n\n" + table_of_group(all, group);
  }
  return text;
}

std::string tally(const sort_results& all) {
  std::array<unsigned, 5> count{};
  for (const target_line& line : all_targets())
    if (const sort_result* measured = all.find(line.row(), false))
      ++count[std::size_t(judge(*measured, wanted_of(all, measured->row), all.single_calls).outcome)];
  const auto of = [&](verdict v) { return std::to_string(count[std::size_t(v)]); };
  unsigned measured = 0;
  for (const unsigned c : count)
    measured += c;
  return std::to_string(measured) + " of " + std::to_string(all_targets().size()) +
         " rows measured: " + of(verdict::met) + " met, " + of(verdict::missed) + " missed but not slower than CUB, " +
         of(verdict::loses) + " slower than CUB, " + of(verdict::wrong) + " wrong, " + of(verdict::not_judged) +
         " not judged\n";
}

plot::chart traffic_chart(const sort_results& all) {
  const double rate = copy_rate(all);
  plot::chart chart{.name = "sorts-traffic",
                    .title = "Sorts of 2^28 elements: bytes moved against time",
                    .subtitle =
                        "a line from sortile (lower end) to CUB (upper end); below the copy rate nothing can be",
                    .x = {"bytes read and written by the sort's own plan, GB", plot::scale::decades},
                    .y = {"milliseconds", plot::scale::decades},
                    .lines = {}};
  double most = 0, least = 1e300;
  for (const target_line& line : all_targets())
    if (const sort_result* r = all.find(line.row(), false); r != nullptr && line.workload == "uniform" &&
                                                            line.log_n == 28 && !is_float(line.row().kind->type) &&
                                                            !line.row().kind->in_host_memory) {
      plot::series pair{std::string(line.kind), {}};
      for (const char* who : {"sortile", "cub"})
        if (const sort_standing* s = r->find(who); s != nullptr && s->complaint.empty() && s->bytes_moved > 0) {
          pair.values.push_back({s->bytes_moved / 1e9, milliseconds(s->seconds)});
          most = std::max(most, s->bytes_moved);
          least = std::min(least, s->bytes_moved);
        }
      if (!pair.values.empty())
        chart.lines.push_back(std::move(pair));
    }
  if (chart.lines.empty() || rate == 0)
    throw invalid_argument(
        "results: no uniform row of 2^28 with the bytes that it moves, or no copy rate: nothing to draw");
  plot::series roof{"device copy", {}};
  for (const double bytes : {least, most})
    roof.values.push_back({bytes / 1e9, milliseconds(bytes / rate)});
  chart.lines.push_back(std::move(roof));
  return chart;
}

} // namespace sortile::bench
