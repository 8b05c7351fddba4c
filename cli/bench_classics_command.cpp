// sortile bench classics: the gallery's experiments. Runs them on a GPU, or draws their tables and plots from results
// that were kept.
#include "jobs.hpp"

#include "bench/classics/experiment.hpp"
#include "files/failure.hpp"
#include "files/output.hpp"

#include <sortile/device.hpp>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>

namespace sortile::cli {

using experiments::experiment;
using files::refuse;

namespace {

int print_list() {
  for (const experiment& e : experiments::all_experiments())
    fmt::print("{:<14}{}{}\n", e.name, e.question, e.counts_alone ? " (without a GPU, too)" : "");
  return all_well;
}

std::string names_that_count_alone() {
  std::string names;
  for (const experiment& e : experiments::all_experiments())
    if (e.counts_alone)
      names += (names.empty() ? "" : ", ") + std::string(e.name);
  return names;
}

bool on_executor(const experiments_job& job) {
  return job.engine == "executor";
}

/// The experiments that were named, or all that the engine can do.
std::vector<const experiment*> chosen(const experiments_job& job) {
  std::vector<const experiment*> some;
  for (const std::string& name : job.names)
    some.push_back(&experiments::experiment_named(name));
  for (const experiment* e : some)
    if (on_executor(job) && !e->counts_alone)
      refuse("the experiment {} takes times, the executor's mean nothing (allowed with --engine executor: {})", e->name,
             names_that_count_alone());
  if (some.empty())
    for (const experiment& e : experiments::all_experiments())
      if (!on_executor(job) || e.counts_alone)
        some.push_back(&e);
  return some;
}

void refuse_without_gpu(const experiments_job& job) {
  if (on_executor(job) || first_usable_device() != nullptr)
    return;
  const device_list& found = devices();
  refuse("no usable GPU: {} (allowed without one: --engine executor, for {}; --from FILE)",
         found.devices.empty() ? found.why_none : found.devices.front().why_unusable, names_that_count_alone());
}

void write_file(const std::string& path, const std::string& text) {
  files::output to(path);
  to.write(text);
  to.commit();
}

/// Runs the experiments; kept anew after each, so that what was measured outlives what comes after. Whether all went
/// well.
bool measure(const experiments_job& job, const talk& voice, experiments::results& all) {
  const std::vector<const experiment*> todo = chosen(job);
  refuse_without_gpu(job);
  experiments::workbench bench({.engine = on_executor(job) ? classics::engine::executor : classics::engine::cuda,
                                .quick = job.quick,
                                .seed = job.seed,
                                .say = [&voice](const std::string& text) { voice.say(2, "{}", text); }});
  all.environment = bench.environment();
  all.quick = job.quick;
  for (const experiment* e : todo) {
    bench.say(fmt::format("{}: {}", e->name, e->question));
    try {
      all.experiments.push_back({std::string(e->name), e->run(bench)});
    } catch (const std::exception& failure) {
      bench.failures.push_back(fmt::format("{}: {}", e->name, failure.what()));
    }
    if (!job.json.empty())
      write_file(job.json, experiments::json_of(all));
  }
  for (const std::string& failure : bench.failures)
    voice.error(failure);
  return bench.failures.empty();
}

experiments::results read_results(const experiments_job& job) {
  std::ifstream file(job.from);
  std::ostringstream text;
  if (!file || !(text << file.rdbuf()))
    refuse("--from {}: cannot read it", job.from);
  try {
    experiments::results all = experiments::results_of(text.str());
    const auto named = [&](const experiments::measured& m) {
      return job.names.empty() || std::find(job.names.begin(), job.names.end(), m.experiment) != job.names.end();
    };
    for (const std::string& name : job.names)
      experiments::experiment_named(name);
    std::erase_if(all.experiments, [&](const experiments::measured& m) { return !named(m); });
    return all;
  } catch (const error& wrong) {
    refuse("--from {}: {}", job.from, wrong.what());
  }
}

/// The executor's counts again, of today's kernels, beside the times that were kept.
void recount(const experiments_job& job, experiments::results& all) {
  for (experiments::measured& each : all.experiments)
    if (const auto count = experiments::experiment_named(each.experiment).recount; count != nullptr)
      each.points = count(std::move(each.points), job.seed);
  if (!job.json.empty())
    write_file(job.json, experiments::json_of(all));
}

void print_tables(const experiments::results& all) {
  fmt::print("{}{}\n", experiments::machine_text(all.environment),
             all.quick ? "; a quick run, whose figures mean little" : "");
  for (const experiments::measured& each : all.experiments) {
    const experiment& e = experiments::experiment_named(each.experiment);
    fmt::print("\n## {}: {}\n\n{}", e.name, e.question, e.tables(each.points, all.environment));
  }
}

void write_plots(const std::string& folder, const experiments::results& all) {
  std::filesystem::create_directories(folder);
  for (const experiments::measured& each : all.experiments)
    for (const plot::chart& c : experiments::experiment_named(each.experiment).charts(each.points, all.environment)) {
      write_file(folder + "/" + c.name + ".svg", plot::svg_of(c));
      write_file(folder + "/" + c.name + ".csv", plot::csv_of(c));
    }
}

/// What cannot be written is to be known before minutes of measuring.
void prepare_places(const experiments_job& job) {
  if (!job.json.empty())
    files::output(job.json); // made beside its name, and removed again
  if (job.plots.empty())
    return;
  std::error_code wrong;
  std::filesystem::create_directories(job.plots, wrong);
  if (wrong)
    refuse("--plots {}: cannot make the folder: {}", job.plots, wrong.message());
  files::output(job.plots + "/classics.csv");
}

} // namespace

int run_experiments(const experiments_job& job, const CLI::App& command, const talk& voice) {
  if (job.list) {
    refuse_options_but(command, "--list", {"--list"});
    return print_list();
  }
  if (!job.from.empty())
    refuse_options_but(command, "--from, which measures nothing",
                       {"--from", "--plots", "--experiment", "--recount", "--json", "--seed"});
  if (!job.recount && !job.from.empty() && (!job.json.empty() || command.get_option("--seed")->count() > 0))
    refuse("--from without --recount measures nothing: it does not go with --json and --seed");
  if (job.recount && job.from.empty())
    refuse("--recount counts for kept results: it needs --from");
  prepare_places(job);
  experiments::results all;
  const bool well = job.from.empty() ? measure(job, voice, all) : (all = read_results(job), true);
  if (job.recount)
    recount(job, all);
  print_tables(all);
  if (!job.plots.empty())
    write_plots(job.plots, all);
  return well ? all_well : trouble;
}

} // namespace sortile::cli
