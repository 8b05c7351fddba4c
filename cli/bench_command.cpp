// sortile bench: a quick table of one sort against the sorts that everybody has, on the same data in the same run.
#include "array_options.hpp"
#include "bench_contenders.hpp"
#include "bench_lines.hpp"
#include "command_line.hpp"

#include "files/failure.hpp"
#include "files/output.hpp"

#include "testing/environment.hpp"
#include "testing/json.hpp"
#include "testing/workloads.hpp"

#include <algorithm>
#include <memory>

namespace sortile::cli {

using files::refuse;

namespace {

constexpr const char* examples = R"(Examples:
  sortile bench                                     10 million uniform u32 keys
  sortile bench -n 5M --type u64 --pairs u32 --workload zipf:1.2
  sortile bench --lines -n 10M                      files of decimal lines: sortile sort -n and sort -n, bytes compared
  sortile bench --json result.json
  sortile bench classics -h                         the experiments of the gallery, on a GPU
  sortile bench gpu -h                              arrays in a GPU's memory, against CUB)";

struct bench_options {
  std::string count = "10M";
  std::string type = "u32";
  std::string workload = "uniform";
  std::string pairs;
  std::string json;
  std::string engine;
  std::uint64_t seed = 1;
  unsigned repetitions = 5;
  unsigned threads = 0;
  bool lines = false;
};

void print_table(const std::vector<testing::timing>& timings, std::uint64_t n) {
  const double reference = timings.front().median();
  fmt::print("{:<24} {:>9} {:>12} {:>8} {:>7}\n", "", "seconds", "keys/s", "ratio", "noise");
  for (const testing::timing& t : timings)
    fmt::print("{:<24} {:>9.4f} {:>12} {:>8.2f} {:>6.1f}%\n", t.name, t.median(),
               with_unit(static_cast<double>(n) / t.median()), t.median() / reference, 100 * t.noise());
}

void write_json(const bench_options& job, const std::vector<testing::timing>& timings, std::uint64_t n) {
  testing::json_writer json;
  json.begin_object();
  json.key("environment");
  json.begin_object();
  testing::write(json, testing::capture_environment());
  json.end_object();
  json.member("n", n);
  json.member("type", job.type);
  json.member("workload", job.workload);
  json.member("pairs", job.pairs);
  json.member("lines", job.lines);
  json.member("seed", job.seed);
  json.key("results");
  json.begin_array();
  for (const testing::timing& t : timings) {
    json.begin_object();
    json.member("name", t.name);
    json.member("median_seconds", t.median());
    json.member("noise", t.noise());
    json.key("seconds");
    json.begin_array();
    for (const double s : t.seconds)
      json.value(s);
    json.end_array();
    json.end_object();
  }
  json.end_array();
  json.end_object();
  files::output to(job.json);
  to.write(json.text());
  to.write("\n");
  to.commit();
}

int run_bench(const bench_options& job, const talk&) {
  const std::uint64_t n = parse_count(job.count, "-n");
  if (n == 0)
    refuse("-n 0: there is nothing to measure (allowed: 1 and more)");
  const key_type type = key_type_named(job.type);
  const testing::workload keys_of = testing::workload_named(job.workload);
  if (!keys_of.suits(type))
    refuse("the workload {} needs a float type (allowed: f16, bf16, f32, f64), not {}", job.workload, job.type);
  options opts;
  opts.engine = job.engine;
  opts.threads = job.threads;
  const testing::race_options how{.repetitions = job.repetitions};
  const bench_data data{.workload = keys_of,
                        .shape = {type, n, job.seed},
                        .value_bytes = job.pairs.empty() ? 0 : key_bytes(key_type_named(job.pairs))};
  if (job.lines && data.value_bytes != 0)
    refuse("--pairs does not go with --lines");
  fmt::print("{} {} {}{}, median of {} runs; ratio: times as long as sortile\n", n, job.workload, job.type,
             job.lines           ? " keys as lines"
             : job.pairs.empty() ? " keys"
                                 : fmt::format(" keys with {} values", job.pairs),
             job.repetitions);
  std::fflush(stdout);
  const std::vector<testing::timing> timings =
      job.lines ? race_line_sorts(data, opts, how) : race_array_sorts(data, opts, how);
  print_table(timings, n);
  if (!job.json.empty())
    write_json(job, timings, n);
  return all_well;
}

} // namespace

void add_bench_command(command_line& line) {
  auto job = std::make_shared<bench_options>();
  CLI::App& command =
      *add_command(line, "bench", "Measures against std::sort, std::stable_sort and qsort, or against sort(1).",
                   examples, [job, &line] { return run_bench(*job, line.voice); });
  command.add_option("-n,--count", job->count, "how many keys (default: 10M)")->option_text("N");
  command.add_option("--type", job->type, "key type (default: u32)")->option_text("TYPE");
  command.add_option("--workload", job->workload, "sortile gen --help lists them (default: uniform)")
      ->option_text("NAME");
  command.add_option("--pairs", job->pairs, "values of that type travel along: u32 or u64")
      ->option_text("TYPE")
      ->check(CLI::IsMember({"u32", "u64"}));
  command.add_flag("--lines", job->lines, "sort a file of decimal lines into another, against sort -n");
  command.add_option("--seed", job->seed, "seed (default: 1)")->option_text("S")->check(whole_number());
  command.add_option("--repeat", job->repetitions, "timed runs of each (default: 5)")
      ->option_text("R")
      ->check(CLI::Range(1u, 1000u));
  command.add_option("--engine", job->engine, "the engine")->option_text("NAME");
  command.add_option("--threads", job->threads, "CPU threads at most (default: all)")
      ->option_text("N")
      ->check(CLI::Range(1u, 65536u));
  command.add_option("--json", job->json, "write every timing and the environment there")->option_text("FILE");
  add_bench_classics_command(line, command);
  add_bench_gpu_command(line, command);
}

} // namespace sortile::cli
