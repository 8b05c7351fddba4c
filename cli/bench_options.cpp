// The options of sortile bench, bench classics, bench cpu and bench gpu.
#include "beside.hpp"
#include "jobs.hpp"

#include <memory>

namespace sortile::cli {

namespace {

constexpr const char* bench_examples = R"(Examples:
  sortile bench                                     10 million uniform u32 keys
  sortile bench -n 5M --type u64 --pairs u32 --workload zipf:1.2
  sortile bench --lines -n 10M                      files of decimal lines: sortile sort -n and sort -n, bytes compared
  sortile bench --json result.json
  sortile bench classics -h                         the experiments of the gallery, on a GPU
  sortile bench cpu -h                              the CPU engine against the sorts that Debian packages
  sortile bench gpu -h                              arrays in a GPU's memory, against CUB)";

constexpr const char* experiments_examples = R"(Examples:
  sortile bench classics --list
  sortile bench classics --json results.json --plots plots                 everything, on the GPU: minutes
  sortile bench classics --experiment lab-report --experiment staircase
  sortile bench classics --experiment counters --engine executor --quick   what can be said without a GPU
  sortile bench classics --from results.json --plots plots                 tables and plots of kept results, no GPU)";

constexpr const char* cpu_bench_examples = R"(Examples:
  sortile bench cpu --list
  sortile bench cpu --json cpu.json --plots plots                 every row: about 15 minutes
  sortile bench cpu --row "u32 zipf" --threads 1 --rivals vqsort
  sortile bench cpu --from cpu.json --plots plots                 tables and plots of kept results)";

constexpr const char* gpu_bench_examples = R"(Examples:
  sortile bench gpu --list
  sortile bench gpu --json gpu.json --plots plots                 every row, on the GPU: some minutes
  sortile bench gpu --row u64 --row zipf --engine-sorts           rows whose names hold u64 or zipf
  sortile bench gpu --kinds u32,u64+u64 --workloads uniform --log-n 20,24,28
  sortile bench gpu --row host                                    arrays in the host's pageable memory
  sortile bench gpu --from gpu.json --plots plots                 tables and plot of kept results, no GPU)";

void add_experiments_command(command_line& line, CLI::App& bench, const job_actions& actions) {
  auto job = std::make_shared<experiments_job>();
  auto self = std::make_shared<CLI::App*>();
  CLI::App& command = *add_command(
      line, "classics", "Runs the experiments of the gallery; every result of every run is verified.",
      experiments_examples,
      [job, self, &line, run = actions.experiments] {
        return run ? run(*job, **self, line.voice) : run_beside("sortile-classics", line);
      },
      &bench);
  *self = &command;
  command.add_flag("--list", job->list, "print the experiments and their questions");
  command.add_option("--experiment", job->names, "run this one (default: all); may be given several times")
      ->option_text("NAME");
  command.add_option("--json", job->json, "write every timing and the environment there")->option_text("FILE");
  command.add_option("--plots", job->plots, "write plots (SVG) and what they show (CSV) there")->option_text("DIR");
  command.add_option("--from", job->from, "tables and plots of a file that --json wrote, without a GPU")
      ->option_text("FILE");
  command.add_flag("--recount", job->recount,
                   "with --from: count anew on the executor, and keep the times; --json writes both");
  command.add_flag("--quick", job->quick, "small inputs and few runs: to see that it works");
  command.add_option("--seed", job->seed, "seed of the keys (default: 1)")->option_text("S")->check(whole_number());
  command
      .add_option("--engine", job->engine,
                  "cuda, or executor for the experiments that count and take no times (default: cuda)")
      ->option_text("NAME")
      ->check(CLI::IsMember({"cuda", "executor"}));
}

void add_cpu_bench_command(command_line& line, CLI::App& bench, const job_actions& actions) {
  auto job = std::make_shared<cpu_bench_job>();
  CLI::App& command = *add_command(
      line, "cpu",
      "Sorts arrays in host memory on the CPU engine against other sorts, taking turns in one process; all results are "
      "checked first.",
      cpu_bench_examples,
      [job, &line, run = actions.cpu_bench] {
        return run ? run(*job, line.voice) : run_beside("sortile-bench-cpu", line);
      },
      &bench);
  command.add_flag("--list", job->list, "print the suites, and the rivals of this build");
  command.add_option("--suite", job->suite, "the rows to measure (default: cpu)")->option_text("NAME");
  command.add_option("--row", job->rows, "only rows whose type and workload hold this; may be given several times")
      ->option_text("TEXT");
  command.add_option("--rivals", job->rivals, "only these; \"boost*\": all with that in their names")
      ->option_text("A,B")
      ->delimiter(',');
  command.add_option("--threads", job->threads, "threads for all who use them (default: all)")
      ->option_text("N")
      ->check(CLI::Range(1u, 65536u));
  command.add_option("--repeat", job->repetitions, "timed runs of each at most (default: 9)")
      ->option_text("R")
      ->check(CLI::Range(1u, 1000u));
  command.add_option("--seed", job->seed, "seed (default: 1)")->option_text("S")->check(whole_number());
  command.add_option("--json", job->json, "write every timing and the environment there")->option_text("FILE");
  command.add_option("--plots", job->plots, "write plots (SVG) and what they show (CSV) there")->option_text("DIR");
  command.add_option("--from", job->from, "tables and plots of a file that --json wrote")->option_text("FILE");
}

void add_gpu_bench_command(command_line& line, CLI::App& bench, const job_actions& actions) {
  auto job = std::make_shared<gpu_bench_job>();
  CLI::App& command = *add_command(
      line, "gpu",
      "Sorts arrays in a GPU's memory against CUB, and in the host's against copies; all results are compared with "
      "CUB's first.",
      gpu_bench_examples,
      [job, &line, run = actions.gpu_bench] {
        return run ? run(*job, line.voice) : run_beside("sortile-bench-gpu", line);
      },
      &bench);
  command.add_flag("--list", job->list, "print the rows, their groups and what they have to reach");
  command.add_option("--row", job->rows, "only rows whose name holds this; may be given several times")
      ->option_text("TEXT");
  command
      .add_option(
          "--kinds", job->kinds,
          "rows of one's own: u8, …, u128, f32, f64, u32+u32, u64+u32, u64+u64, u32 index, u32 struct, u32 host, …")
      ->option_text("A,B")
      ->delimiter(',');
  command
      .add_option("--workloads", job->workloads,
                  "rows of one's own: uniform, zipf, range:65536, …; sortile gen lists all")
      ->option_text("A,B")
      ->delimiter(',');
  command.add_option("--log-n", job->log_n, "rows of one's own: sizes, as powers of two")
      ->option_text("A,B")
      ->delimiter(',')
      ->check(CLI::Range(8u, 32u));
  command.add_option("--l2", job->cache, "state of the L2 cache: warm, cold, both where arrays fit one (default)")
      ->option_text("STATE")
      ->check(CLI::IsMember({"warm", "cold", "both"}));
  command.add_option("--rounds", job->rounds, "timed runs of each (default: 7; small n seven times as many)")
      ->option_text("R")
      ->check(CLI::Range(1u, 1000u));
  command.add_flag("--engine-sorts", job->with_engine_sorts,
                   "also the sorts among which the engine chooses, by themselves");
  command.add_option("--json", job->json, "write every timing and the environment there")->option_text("FILE");
  command.add_option("--plots", job->plots, "write a plot (SVG) and what it shows (CSV) there")->option_text("DIR");
  command.add_option("--from", job->from, "tables and plot of a file that --json wrote, without a GPU")
      ->option_text("FILE");
  command.add_flag("--quick", job->quick, "at most 2^16 elements: to see that it works");
}

} // namespace

void add_bench_commands(command_line& line, const job_actions& actions) {
  auto job = std::make_shared<bench_job>();
  CLI::App& command = *add_command(
      line, "bench", "Measures against std::sort, std::stable_sort and qsort, or against sort(1).", bench_examples,
      [job, &line, run = actions.bench] { return run ? run(*job, line.voice) : run_beside("sortile-bench", line); });
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
  add_experiments_command(line, command, actions);
  add_cpu_bench_command(line, command, actions);
  add_gpu_bench_command(line, command, actions);
}

} // namespace sortile::cli
