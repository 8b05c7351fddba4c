// sortile bench cpu: the CPU engine against the sorts that Debian packages, suite by suite; or tables and plots of
// results that were kept.
#include "jobs.hpp"

#include "bench/cpu_results.hpp"
#include "bench/report.hpp"
#include "bench/suites.hpp"
#include "bench/warm_memory.hpp"
#include "files/failure.hpp"
#include "files/output.hpp"
#include "files/parallel.hpp"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>

namespace sortile::cli {

using files::refuse;

namespace {

bench::suite chosen_suite(const cpu_bench_job& job) {
  for (bench::suite& s : bench::all_suites())
    if (s.name == job.suite)
      return s;
  refuse("--suite: none is called '{}' (sortile bench cpu --list prints them)", job.suite);
}

int print_list() {
  for (const bench::suite& s : bench::all_suites())
    fmt::print("{:<16}{}\n", s.name, s.description);
  fmt::print("rivals of this build:\n");
  for (const bench::rival& r : bench::all_rivals())
    fmt::print("  {}\n", r.name);
  return all_well;
}

bool holds_any(const std::string& name, const std::vector<std::string>& parts) {
  return parts.empty() || std::any_of(parts.begin(), parts.end(),
                                      [&](const std::string& part) { return name.find(part) != std::string::npos; });
}

void write_file(const std::string& path, const std::string& text) {
  files::output to(path);
  to.write(text);
  to.commit();
}

/// Measures the suite's rows; kept anew after each, so that what was measured outlives what comes after. Whether all
/// results of sortile were right.
bool measure(const cpu_bench_job& job, const talk& voice, testing::results_file& all) {
  bench::suite suite = chosen_suite(job);
  std::erase_if(suite.rows, [&](const bench::row_spec& r) {
    return !holds_any(std::string(bench::name(r.shape)) + " " + r.workload, job.rows);
  });
  if (suite.rows.empty())
    refuse("--row: no row of suite {} holds what was asked for", job.suite);
  bench::bench_options how{.threads = files::thread_count(job.threads),
                           .repetitions = job.repetitions,
                           .budget_seconds = suite.budget_seconds,
                           .seed = job.seed,
                           .rivals = job.rivals.empty() ? suite.rivals : job.rivals,
                           .engines = {"cpu"}};
  bench::warm_memory(suite.rows);
  const std::vector<bench::rival> rivals = bench::all_rivals();
  const testing::environment where = testing::capture_environment();
  std::vector<bench::row> measured;
  bool right = true;
  for (const bench::row_spec& spec : suite.rows) {
    measured.push_back(bench::measure(spec, rivals, how));
    for (const bench::result& r : measured.back().results)
      if (r.is_sortile && !r.complaint.empty()) {
        voice.error(fmt::format("{}: {}", r.name, r.complaint));
        right = false;
      }
    voice.say(2, "{}", bench::detail(measured.back()));
    if (!job.json.empty())
      write_file(job.json, bench::json(measured, how, where));
  }
  all = testing::results_in(bench::json(measured, how, where), "cpu");
  return right;
}

testing::results_file read_results(const std::string& path) {
  std::ifstream file(path);
  std::ostringstream text;
  if (!file || !(text << file.rdbuf()))
    refuse("--from {}: cannot read it", path);
  try {
    return testing::results_in(text.str(), "cpu");
  } catch (const error& wrong) {
    refuse("--from {}: {}", path, wrong.what());
  }
}

void write_plots(const std::string& folder, const testing::results_file& all) {
  std::filesystem::create_directories(folder);
  for (const char* type : {"u32", "u64"}) {
    const plot::chart chart = bench::length_chart(all, type);
    write_file(folder + "/" + chart.name + ".svg", plot::svg_of(chart));
    write_file(folder + "/" + chart.name + ".csv", plot::csv_of(chart));
  }
}

} // namespace

int run_cpu_bench(const cpu_bench_job& job, const talk& voice) {
  if (job.list)
    return print_list();
  if (!job.from.empty() && (!job.json.empty() || !job.rows.empty() || !job.rivals.empty()))
    refuse("--from measures nothing: of the other options only --plots goes with it");
  testing::results_file all;
  const bool right = job.from.empty() ? measure(job, voice, all) : (all = read_results(job.from), true);
  fmt::print("{}\nThe fastest run of each; contenders took turns in one process.\n\n{}\nSlower than a rival:\n\n{}",
             bench::machine_line(all), bench::cpu_tables(all), bench::cpu_losses(all));
  if (!job.plots.empty())
    write_plots(job.plots, all);
  return right ? all_well : trouble;
}

} // namespace sortile::cli
