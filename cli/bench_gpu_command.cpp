// sortile bench gpu: sorts of arrays in a GPU's memory against CUB's, and in the host's against what copies allow, row
// by row, with what each has to reach. Measures on a GPU, or prints and draws results that were kept.
#include "jobs.hpp"

#include "bench/gpu/sort_bench.hpp"
#include "bench/gpu/sort_report.hpp"
#include "files/failure.hpp"
#include "files/output.hpp"

#include <sortile/device.hpp>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>

namespace sortile::cli {

using files::refuse;

namespace {

/// All kinds by all workloads by all sizes; what was not named is u32, uniform, 2^28.
std::vector<bench::sort_row> grid(const gpu_bench_job& job) {
  const auto or_else = [](auto named, auto otherwise) {
    if (named.empty())
      named.push_back(otherwise);
    return named;
  };
  std::vector<bench::sort_row> rows;
  for (const unsigned log_n : or_else(job.log_n, 28u))
    for (const std::string& kind : or_else(job.kinds, std::string("u32")))
      for (const std::string& workload : or_else(job.workloads, std::string("uniform"))) {
        rows.push_back({&bench::sort_kind_named(kind), testing::workload_named(workload), std::uint64_t{1} << log_n});
        rows.back().workload.check(rows.back().kind->type);
      }
  return rows;
}

std::vector<bench::sort_row> all_rows(const gpu_bench_job& job) {
  if (job.is_grid())
    return grid(job);
  std::vector<bench::sort_row> rows;
  for (const bench::target_line& line : bench::all_targets())
    rows.push_back(line.row());
  return rows;
}

/// The rows that were asked for; smaller where it is to be quick, and then without repetition.
std::vector<bench::sort_row> chosen_rows(const gpu_bench_job& job) {
  constexpr std::uint64_t quick_n = std::uint64_t{1} << 16;
  std::vector<bench::sort_row> rows;
  for (bench::sort_row row : all_rows(job)) {
    const std::string name = row.name();
    if (!job.rows.empty() && std::none_of(job.rows.begin(), job.rows.end(), [&](const std::string& part) {
          return name.find(part) != std::string::npos;
        }))
      continue;
    row.n = job.quick ? std::min(row.n, quick_n) : row.n;
    if (std::none_of(rows.begin(), rows.end(), [&](const bench::sort_row& r) { return r.name() == row.name(); }))
      rows.push_back(row);
  }
  if (rows.empty())
    refuse("--row: no row's name holds what was asked for (sortile bench gpu --list prints the names)");
  return rows;
}

std::string wanted_text(const bench::target& wanted) {
  if (wanted.is_time())
    return fmt::format("at most {} µs", wanted.microseconds);
  if (wanted.is_share())
    return fmt::format("at least {:.0f} % of the pinned copy rate", 100 * wanted.pinned_share);
  return fmt::format("at least {} x CUB", wanted.ratio);
}

int print_list(const gpu_bench_job& job) {
  for (const bench::sort_row& row : chosen_rows(job)) {
    const bench::target_line* line = bench::find_target(row);
    fmt::print("{:<28}{:<14}{}\n", row.name(), line == nullptr ? "others" : line->group,
               wanted_text(line == nullptr ? bench::usual_target(*row.kind) : line->wanted));
  }
  return all_well;
}

void refuse_without_gpu() {
  if (first_usable_device() != nullptr)
    return;
  const device_list& found = devices();
  refuse("no usable GPU: {} (allowed without one: --list; --from FILE)",
         found.devices.empty() ? found.why_none : found.devices.front().why_unusable);
}

void write_file(const std::string& path, const std::string& text) {
  files::output to(path);
  to.write(text);
  to.commit();
}

/// Warm, cold or both. A cold cache means something where arrays fit one, and nothing to arrays of the host.
std::vector<bool> caches_of(const gpu_bench_job& job, const bench::sort_row& row) {
  if (row.kind->in_host_memory)
    return {false};
  const bool both = job.cache == "both";
  std::vector<bool> cold;
  if (both || job.cache == "warm")
    cold.push_back(false);
  if (job.cache == "cold" || (both && bench::fits_a_cache(row)))
    cold.push_back(true);
  return cold;
}

/// Measures the rows; kept anew after each, so that what was measured outlives what comes after. Whether all results
/// were right.
bool measure(const gpu_bench_job& job, const talk& voice, bench::sort_results& all) {
  const std::vector<bench::sort_row> todo = chosen_rows(job);
  refuse_without_gpu();
  bench::sort_bench gpu;
  all.environment = gpu.environment();
  all.quick = job.quick;
  bool well = true;
  for (const bench::sort_row& row : todo)
    for (const bool cold : caches_of(job, row)) {
      all.rows.push_back(
          gpu.measure(row, {.rounds = job.rounds, .cold = cold, .with_engine_sorts = job.with_engine_sorts}));
      const bench::sort_result& r = all.rows.back();
      const bench::judgement j = bench::judge(r, bench::usual_target(*row.kind), true);
      voice.say(2, "{}{}: {:.2f} x {}", row.name(), cold ? " cold" : "", j.ratio, bench::rival_of(*row.kind));
      for (const bench::sort_standing& s : r.standings)
        if (!s.complaint.empty()) {
          voice.error(fmt::format("{}{}, {}: {}", row.name(), cold ? " cold" : "", s.name, s.complaint));
          well = false;
        }
      if (!job.json.empty())
        write_file(job.json, bench::json_of(all));
    }
  return well;
}

bench::sort_results read_results(const gpu_bench_job& job) {
  std::ifstream file(job.from);
  std::ostringstream text;
  if (!file || !(text << file.rdbuf()))
    refuse("--from {}: cannot read it", job.from);
  try {
    bench::sort_results all = bench::sort_results_of(text.str());
    std::erase_if(all.rows, [&](const bench::sort_result& r) {
      const std::string name = r.row.name();
      return !job.rows.empty() && std::none_of(job.rows.begin(), job.rows.end(), [&](const std::string& part) {
        return name.find(part) != std::string::npos;
      });
    });
    return all;
  } catch (const error& wrong) {
    refuse("--from {}: {}", job.from, wrong.what());
  }
}

void print_results(const bench::sort_results& all) {
  fmt::print("{}{}\n", bench::machine_line(all), all.quick ? "; a quick run, whose figures mean little" : "");
  fmt::print(
      "ratio: CUB's time over sortile's; of copy: what the sort's own plan moves, against the copy rate; share: of the "
      "rate at which pinned memory is copied to the device and back\n\n{}\n{}",
      bench::tables(all), bench::tally(all));
}

void write_plots(const std::string& folder, const bench::sort_results& all) {
  std::filesystem::create_directories(folder);
  const plot::chart chart = bench::traffic_chart(all);
  write_file(folder + "/" + chart.name + ".svg", plot::svg_of(chart));
  write_file(folder + "/" + chart.name + ".csv", plot::csv_of(chart));
}

} // namespace

int run_gpu_bench(const gpu_bench_job& job, const talk& voice) {
  if (!job.from.empty() && (job.list || job.is_grid() || job.quick || job.with_engine_sorts || !job.json.empty()))
    refuse("--from measures nothing: of the other options only --row and --plots go with it");
  if (job.list)
    return print_list(job);
  bench::sort_results all;
  const bool well = job.from.empty() ? measure(job, voice, all) : (all = read_results(job), true);
  print_results(all);
  if (!job.plots.empty())
    write_plots(job.plots, all);
  return well ? all_well : trouble;
}

} // namespace sortile::cli
