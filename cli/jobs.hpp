// The jobs of the commands that are programs of their own: bench, bench classics, bench cpu, bench gpu and classics.
// `sortile` knows their options, for its help, manual page and completions, and starts the program that does the job
// (beside.hpp).
#pragma once

#include "command_line.hpp"

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace sortile::cli {

/// sortile bench, by the program sortile-bench.
struct bench_job {
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

/// sortile bench classics, by the program sortile-classics.
struct experiments_job {
  std::vector<std::string> names;
  std::string json, plots, from;
  std::string engine = "cuda";
  std::uint64_t seed = 1;
  bool list = false;
  bool recount = false;
  bool quick = false;
};

/// sortile bench gpu, by the program sortile-bench-gpu.
struct gpu_bench_job {
  std::vector<std::string> rows, kinds, workloads;
  std::vector<unsigned> log_n;
  std::string json, plots, from;
  std::string cache = "both";
  unsigned rounds = 7;
  bool list = false;
  bool quick = false;
  bool with_engine_sorts = false;

  bool is_grid() const { return !kinds.empty() || !workloads.empty() || !log_n.empty(); }
};

/// sortile bench cpu, by the program sortile-bench-cpu.
struct cpu_bench_job {
  std::string suite = "cpu";
  std::vector<std::string> rows, rivals;
  std::string json, plots, from;
  std::uint64_t seed = 1;
  unsigned threads = 0;
  unsigned repetitions = 9;
  bool list = false;
};

/// sortile classics, by the program sortile-classics.
struct classics_job {
  std::string action;
  std::string name;
  bool markdown = false;
  std::string count;
  std::string type; ///< empty: what the keys are written as
  std::string bits;
  std::vector<std::string> settings;
  std::string engine;
  unsigned schedules = 0;
  unsigned repetitions = 1;
  bool counters = false;
  std::string counted_by;           ///< total, launch, line, step; empty: nobody counts
  std::optional<std::string> trace; ///< the file that a recorded run goes to
  std::optional<std::string> html;  ///< the page's file
  std::string beside;               ///< another classic on it
  bool steps = false;
  bool descending = false;
  std::optional<std::string> workload;
  std::uint64_t seed = 1;
  bool pairs = false;
  std::string records; ///< of --pairs K:V,…
  std::optional<std::string> keys, keys_file;
  bool own_keys() const { return keys || keys_file || !records.empty(); }
  std::string example;
  std::optional<unsigned> devices;
  std::string shown; ///< how steps write keys
  bool examples = false;
};

/// What a program does of these; of the others it starts the program that does them.
struct job_actions {
  std::function<int(const bench_job&, const talk&)> bench{};
  std::function<int(const experiments_job&, const CLI::App&, const talk&)> experiments{};
  std::function<int(const gpu_bench_job&, const talk&)> gpu_bench{};
  std::function<int(const cpu_bench_job&, const talk&)> cpu_bench{};
  std::function<int(const classics_job&, const CLI::App&, const talk&)> classics{};
};
void add_bench_commands(command_line& line, const job_actions& actions);
void add_classics_command(command_line& line, const job_actions& actions);

int run_bench(const bench_job& job, const talk& voice);
int run_experiments(const experiments_job& job, const CLI::App& command, const talk& voice);
int run_cpu_bench(const cpu_bench_job& job, const talk& voice);
int run_gpu_bench(const gpu_bench_job& job, const talk& voice);
int run_classics(const classics_job& job, const CLI::App& command, const talk& voice);

} // namespace sortile::cli
