// sortile bench: a quick table of one sort against the sorts that everybody has, on the same data in the same run.
#include "array_options.hpp"
#include "bench_contenders.hpp"
#include "bench_lines.hpp"
#include "jobs.hpp"

#include "files/failure.hpp"
#include "files/output.hpp"

#include "testing/environment.hpp"
#include "testing/results.hpp"
#include "testing/workloads.hpp"

#include <algorithm>

namespace sortile::cli {

using files::refuse;

namespace {

void print_table(const std::vector<testing::timing>& timings, std::uint64_t n) {
  const double reference = timings.front().median();
  fmt::print("{:<24} {:>9} {:>12} {:>8} {:>7}\n", "", "seconds", "keys/s", "ratio", "noise");
  for (const testing::timing& t : timings)
    fmt::print("{:<24} {:>9.4f} {:>12} {:>8.2f} {:>6.1f}%\n", t.name, t.median(),
               with_unit(static_cast<double>(n) / t.median()), t.median() / reference, 100 * t.noise());
}

/// In the one format of kept results, testing/results.hpp.
void write_json(const bench_job& job, const std::vector<testing::timing>& timings, std::uint64_t n) {
  testing::results_file all{.suite = "command", .environment = testing::to_facts(testing::capture_environment())};
  all.settings.add("seed", double(job.seed));
  all.settings.add("lines", job.lines);
  for (const testing::timing& t : timings)
    all.rows.push_back({.type = job.pairs.empty() ? job.type : job.type + "+" + job.pairs,
                        .workload = job.workload,
                        .n = n,
                        .contender = t.name,
                        .median = t.median(),
                        .noise = t.noise(),
                        .seconds = t.seconds});
  files::output to(job.json);
  to.write(testing::text_of(all));
  to.commit();
}

} // namespace

int run_bench(const bench_job& job, const talk&) {
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

} // namespace sortile::cli
