// sortile classics: the gallery. Lists its sorts, runs one on the executor or on a GPU, and verifies what came out.
#include "array_options.hpp"
#include "jobs.hpp"

#include "classics/runner.hpp"
#include "files/failure.hpp"

#include <algorithm>
#include <charconv>

namespace sortile::cli {

using files::refuse;

namespace {

// A run that prints every step is for inputs that fit a line.
constexpr std::uint64_t largest_with_steps = 64;

unsigned parse_number(std::string_view text, const std::string& option) {
  unsigned value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size())
    refuse("{}: {} is no number", option, text);
  return value;
}

classics::request request_of(const classics_job& job) {
  classics::request asked;
  asked.n = parse_count(job.count, "-n");
  asked.workload = job.workload;
  asked.pairs = job.pairs;
  asked.seed = job.seed;
  asked.type = key_type_named(job.type);
  asked.direction = job.descending ? order::descending : order::ascending;
  if (!job.bits.empty()) {
    const std::size_t colon = job.bits.find(':');
    if (colon == std::string::npos)
      refuse("--bits {} (allowed: B:E)", job.bits);
    asked.bits = {parse_number(std::string_view(job.bits).substr(0, colon), "--bits"),
                  parse_number(std::string_view(job.bits).substr(colon + 1), "--bits")};
  }
  for (const std::string& setting : job.settings) {
    const std::size_t equals = setting.find('=');
    if (equals == std::string::npos)
      refuse("--set {} (allowed: PARAMETER=NUMBER)", setting);
    asked.parameters[setting.substr(0, equals)] =
        parse_number(std::string_view(setting).substr(equals + 1), "--set " + setting);
  }
  return asked;
}

classics::engine engine_of(const classics_job& job, const classics::classic& chosen) {
  const std::string name = !job.engine.empty()                     ? job.engine
                           : chosen.place == classics::place::host ? "host"
                                                                   : "executor";
  const auto engine = name == "cuda"   ? classics::engine::cuda
                      : name == "host" ? classics::engine::host
                                       : classics::engine::executor;
  if (job.schedules == 0 && !job.counters)
    return engine;
  if (chosen.place == classics::place::host)
    refuse("classic {}: runs no kernel: --schedules and --counters have nothing to do (allowed: without them)",
           chosen.name);
  if (engine != classics::engine::executor)
    refuse("--schedules and --counters are the executor's (here: --engine {})", name);
  return engine;
}

void print_speed(const classics_job& job, std::uint64_t n, std::vector<double> seconds) {
  std::sort(seconds.begin(), seconds.end());
  const double median = seconds[seconds.size() / 2];
  fmt::print("{:.3f} ms{}, {} keys a second\n", median * 1e3,
             job.repetitions > 1 ? fmt::format(" (median of {})", job.repetitions) : "",
             with_unit(median > 0 ? double(n) / median : 0));
}

// One run on a machine; whether its result was right.
bool run_on(classics::machine& on, const classics_job& job, const classics::classic& chosen,
            const classics::request& asked, const talk& voice, bool speaks) {
  std::string steps;
  const classics::outcome result =
      classics::run(chosen, asked, engine_of(job, chosen), on, job.repetitions, job.steps && speaks ? &steps : nullptr);
  fmt::print("{}", steps);
  const bool talks = speaks && voice.level >= 1;
  for (const std::string& note : result.notes)
    if (talks && steps.empty()) // which hold them too
      fmt::print("{}\n", note);
  if (!result.verdict) {
    voice.error(result.verdict.complaint);
    return false;
  }
  if (speaks)
    for (std::size_t k = 0; k < result.seconds.size(); ++k)
      voice.say(2, "run {}: {:.3f} ms", k + 1, result.seconds[k] * 1e3);
  if (talks)
    print_speed(job, asked.n, result.seconds);
  if (speaks && job.counters)
    fmt::print("{}", on.executor_device().counted().report());
  return true;
}

int run_classic(const classics_job& job, const talk& voice) {
  const classics::classic& chosen = classics::classic_named(job.name);
  const classics::request asked = request_of(job);
  const classics::engine engine = engine_of(job, chosen);
  classics::refuse_undeclared(chosen, asked, engine); // before a GPU is looked for
  if (job.steps && asked.n > largest_with_steps)
    refuse("--steps prints small inputs (allowed: -n up to {})", largest_with_steps);
  const auto checks = job.counters ? executor::check::counters : executor::check::none;
  classics::machine on =
      engine == classics::engine::cuda
          ? classics::machine::cuda()
          : classics::machine(executor::options_from_environment({.seed = asked.seed, .checks = checks}));
  voice.say(2, "{} on {}", classics::to_string(chosen, asked), classics::name(engine));
  if (!run_on(on, job, chosen, asked, voice, true))
    return disorder;
  executor::device_options schedule =
      executor::options_from_environment({.seed = asked.seed, .checks = executor::all_checks});
  for (unsigned k = 0; k < job.schedules; ++k, ++schedule.seed) {
    voice.say(3, "schedule {}", schedule.seed);
    classics::machine checked(schedule);
    if (!run_on(checked, job, chosen, asked, voice, false)) {
      voice.error(fmt::format("SORTILE_EXECUTOR_SEED={} repeats it", schedule.seed));
      return disorder;
    }
  }
  const std::string schedules = job.schedules != 0 ? fmt::format(", on {} schedules", job.schedules) : "";
  if (voice.level >= 1)
    fmt::print("verified: {}{}\n", chosen.task->promise, schedules);
  return all_well;
}

} // namespace

int run_classics(const classics_job& job, const CLI::App& command, const talk& voice) {
  if (job.action == "list") {
    refuse_options_but(command, "list", {"ACTION", "NAME", "--markdown"});
    if (!job.name.empty())
      refuse("list takes no name (sortile classics run {} runs it)", job.name);
    fmt::print("{}", job.markdown ? classics::markdown_table_of_classics() : classics::list_of_classics());
    return all_well;
  }
  if (job.markdown)
    refuse("--markdown does not go with run");
  if (job.name.empty())
    refuse("run takes the name of a classic (sortile classics list prints them)");
  if (job.count.empty())
    refuse("run takes -n, the number of keys");
  return run_classic(job, voice);
}

} // namespace sortile::cli
