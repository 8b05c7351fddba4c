// sortile_bench: measures sortile against other sorts on this machine, and says so where it loses.
#include "bench/report.hpp"
#include "bench/suites.hpp"
#include "bench/warm_memory.hpp"
#include "testing/workloads.hpp"

#include <sortile/error.hpp>

#include <CLI/CLI.hpp>

#include <fstream>
#include <iostream>
#include <sched.h>

namespace sortile::bench {
namespace {

struct command_line {
  std::string suite = "default";
  std::vector<std::string> shapes, workloads;
  std::vector<std::size_t> lengths;
  std::string json;
  bool brief = false;
  bench_options how;
};

unsigned usable_cpus() {
  cpu_set_t set;
  CPU_ZERO(&set);
  return sched_getaffinity(0, sizeof set, &set) == 0 ? static_cast<unsigned>(CPU_COUNT(&set)) : 1;
}

std::string shape_list() {
  std::string text;
  for (const shape s : all_shapes)
    text += (text.empty() ? "" : ", ") + std::string(name(s));
  return text;
}

std::string suite_list() {
  std::string text = "Suites:\n";
  for (const suite& s : all_suites())
    text += "  " + s.name + std::string(s.name.size() < 16 ? 16 - s.name.size() : 1, ' ') + s.description + "\n";
  text += "Workloads:\n" + testing::workload_list() + "Rivals of this build:\n";
  for (const rival& r : all_rivals())
    text += "  " + r.name + "\n";
  return text;
}

void declare(CLI::App& app, command_line& line) {
  app.footer(suite_list());
  app.add_option("--suite", line.suite, "the rows to measure (list below)");
  app.add_option("--shape", line.shapes, "instead of a suite: " + shape_list());
  app.add_option("--workload", line.workloads, "instead of a suite: workloads (default uniform)");
  app.add_option("--n", line.lengths, "instead of a suite: lengths (default 10000000)");
  app.add_option("--rivals", line.how.rivals, "only these rivals; \"boost*\": all with that in their names");
  app.add_option("--engines", line.how.engines, "only these engines of sortile");
  app.add_option("--threads", line.how.threads, "threads for all who use them (default: all CPUs)");
  app.add_option("--repetitions", line.how.repetitions, "timed runs of each, at most")->capture_default_str();
  app.add_option("--budget", line.how.budget_seconds, "seconds after which a contender sits out the rest of a row")
      ->capture_default_str();
  app.add_option("--workspace-limit", line.how.workspace_limit, "sortile also sorts within so much workspace, as 16MB")
      ->transform(CLI::AsSizeValue(false));
  app.add_option("--seed", line.how.seed, "seed of the inputs")->capture_default_str();
  app.add_option("--json", line.json, "write the raw results there");
  app.add_flag("--brief", line.brief, "the summary only");
}

std::vector<row_spec> custom_rows(const command_line& line) {
  std::vector<row_spec> rows;
  for (const std::string& shape_name : line.shapes.empty() ? std::vector<std::string>{"u32"} : line.shapes) {
    const std::optional<shape> s = shape_named(shape_name);
    if (!s)
      throw invalid_argument("no shape is called '" + shape_name + "'; there are " + shape_list());
    for (const std::string& workload : line.workloads.empty() ? std::vector<std::string>{"uniform"} : line.workloads)
      for (const std::size_t n : line.lengths.empty() ? std::vector<std::size_t>{10'000'000} : line.lengths)
        rows.push_back({*s, workload, n});
  }
  return rows;
}

suite chosen_suite(const command_line& line) {
  if (!line.shapes.empty() || !line.workloads.empty() || !line.lengths.empty())
    return {"custom", "", custom_rows(line)};
  for (const suite& s : all_suites())
    if (s.name == line.suite)
      return s;
  throw invalid_argument("no suite is called '" + line.suite + "'\n" + suite_list());
}

/// Measures all rows; false where a result of sortile is wrong.
bool measure_all(command_line line) {
  const suite rows = chosen_suite(line);
  if (line.how.threads == 0)
    line.how.threads = usable_cpus();
  if (line.how.rivals.empty())
    line.how.rivals = rows.rivals;
  if (line.how.budget_seconds == 0)
    line.how.budget_seconds = rows.budget_seconds;
  const testing::environment where = testing::capture_environment();
  const std::vector<rival> rivals = all_rivals();
  std::cout << to_string(where) << "threads " << line.how.threads << "\n\n" << std::flush;

  warm_memory(rows.rows);
  std::vector<row> measured;
  bool right = true;
  for (const row_spec& spec : rows.rows) {
    measured.push_back(measure(spec, rivals, line.how));
    for (const result& r : measured.back().results)
      right = right && !(r.is_sortile && !r.complaint.empty());
    if (!line.brief)
      std::cout << detail(measured.back()) << "\n" << std::flush;
  }
  std::cout << summary(measured) << std::flush;
  if (!line.json.empty()) {
    std::ofstream file(line.json);
    file << json(measured, line.how, where);
    if (!file.flush())
      throw io_failure("cannot write " + line.json);
    std::cout << "raw results: " << line.json << "\n";
  }
  return right;
}

} // namespace
} // namespace sortile::bench

int main(int argc, char** argv) {
  CLI::App app("Measures sortile against other sorts, taking turns in one process.");
  sortile::bench::command_line line;
  sortile::bench::declare(app, line);
  CLI11_PARSE(app, argc, argv);
  try {
    return sortile::bench::measure_all(line) ? 0 : 1;
  } catch (const std::exception& e) {
    std::cerr << "sortile_bench: " << e.what() << "\n";
    return 2;
  }
}
