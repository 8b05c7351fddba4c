// sortile classics: the gallery. Lists its sorts, runs one on the executor or on a GPU, and verifies what came out.
#include "array_options.hpp"
#include "classics_counters.hpp"
#include "classics_pages.hpp"
#include "classics_request.hpp"

#include "classics/broken/broken.hpp"
#include "classics/examples.hpp"
#include "files/failure.hpp"

#include <algorithm>
#include <optional>

namespace sortile::cli {

using files::refuse;

namespace {

// A run that prints every step is for inputs that fit a line; beyond it --counters=step prints titles and counts alone.
constexpr std::uint64_t largest_with_steps = 64, largest_with_titles = 4096;

classics::engine engine_of(const classics_job& job, const classics::classic& chosen) {
  const std::string name = !job.engine.empty()                     ? job.engine
                           : chosen.place == classics::place::host ? "host"
                                                                   : "executor";
  const auto engine = name == "cuda"   ? classics::engine::cuda
                      : name == "host" ? classics::engine::host
                                       : classics::engine::executor;
  if (job.trace && engine == classics::engine::cuda)
    refuse("--trace is the executor's (here: --engine {})", name);
  if (job.trace && job.schedules != 0)
    refuse("--trace records one run: --schedules does not go with it");
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

bool tells_steps(const classics_job& job) {
  return job.steps || job.action == "show" || job.counted_by == "step";
}

// The steps, with what each of them counted where that was asked for.
void print_steps(const classics_job& job, const std::vector<classics::step>& steps, const detailed_counters& details,
                 bool with_keys) {
  for (std::size_t s = 0; s < steps.size(); ++s) {
    if (with_keys)
      fmt::print("{}", classics::to_text(steps[s]));
    else if (s != 0 && s + 1 != steps.size()) // the input and the result are keys alone
      fmt::print("{}\n", steps[s].title);
    if (job.counted_by == "step")
      fmt::print("{}", details.of_step(s));
  }
}

// One run on a machine; whether its result was right.
bool run_on(classics::machine& on, const classics_job& job, const classics::classic& chosen,
            const classics::request& asked, const talk& voice, bool speaks) {
  std::vector<classics::step> steps;
  const bool tells = speaks && tells_steps(job);
  const bool told_apart = tells && job.counters; // telling adds to what kernels do
  if (told_apart) {
    classics::machine teller(on.executor_device().options());
    classics::run(chosen, asked, engine_of(job, chosen), teller, 1, &steps);
  }
  detailed_counters details(steps);
  std::optional<executor::observing> now;
  if (speaks && job.counters && job.counted_by != "total")
    now.emplace(details);
  const classics::outcome result = classics::run(chosen, asked, engine_of(job, chosen), on, job.repetitions,
                                                 tells && !told_apart ? &steps : nullptr);
  now.reset();
  print_steps(job, steps, details, asked.n <= largest_with_steps);
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
  if (talks && job.action != "show")
    print_speed(job, asked.n, result.seconds);
  if (speaks && job.counters && job.counted_by != "step")
    fmt::print("{}", job.counted_by == "launch" ? details.by_launch()
                     : job.counted_by == "line" ? details.by_line()
                                                : on.counted().report());
  return true;
}

int run_classic(const classics_job& job, const talk& voice) {
  const classics::classic& chosen = chosen_of(job);
  const auto [asked, taken] = request_of(job, chosen);
  const classics::engine engine = engine_of(job, chosen);
  classics::refuse_undeclared(chosen, asked, engine); // before a GPU is looked for
  if (job.html) {
    write_page(job, chosen, asked);
    if (voice.level >= 1 && *job.html != "-")
      fmt::print("{}: open it in a browser\n", *job.html);
    if (job.trace)
      write_trace(job, chosen, asked);
    return all_well;
  }
  if (job.counters && job.counted_by != "total") {
    if (job.counted_by != "launch" && job.counted_by != "line" && job.counted_by != "step")
      refuse("--counters={} (allowed: --counters, --counters=launch, =line, =step)", job.counted_by);
    if (job.repetitions != 1)
      refuse("--counters={} counts one run (here: --repeat {})", job.counted_by, job.repetitions);
  }
  const bool titles_do = job.counted_by == "step" && !job.steps && job.action != "show";
  if (const std::uint64_t most = titles_do ? largest_with_titles : largest_with_steps;
      tells_steps(job) && asked.n > most)
    refuse("{} prints small inputs (allowed: up to {} keys)",
           titles_do   ? "--counters=step"
           : job.steps ? "--steps"
                       : "show",
           most);
  const auto checks = job.counters ? executor::check::counters : executor::check::none;
  const unsigned os_threads = tells_steps(job) ? 1 : 0; // one, so that the same keys give the same steps
  classics::machine on = engine == classics::engine::cuda
                             ? classics::machine::cuda()
                             : classics::machine(executor::options_from_environment(
                                   {.seed = asked.seed, .checks = checks, .os_threads = os_threads}));
  voice.say(2, "{} on {}", classics::to_string(chosen, asked), classics::name(engine));
  if (job.trace)
    write_trace(job, chosen, asked);
  if (!run_on(on, job, chosen, asked, voice, true))
    return disorder;
  if (!taken.empty() && voice.level >= 1)
    fmt::print("taken, as nothing else was said: {}\n", taken);
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
  if (voice.level >= 1 && job.action != "show")
    fmt::print("verified: {}{}\n", chosen.task->promise, schedules);
  return all_well;
}

// Whether the broken kernel was repaired.
int break_classic(const classics_job& job, const talk& voice) {
  const classics::specimen& known = classics::specimen_named(job.name);
  const auto all = classics::all_broken();
  const classics::classic& broken =
      *std::find_if(all.begin(), all.end(), [&](const classics::classic& c) { return c.name == known.name; });
  const classics::autopsy found = classics::examine(broken, job.schedules != 0 ? job.schedules : 16);
  if (found.found_as.empty()) {
    fmt::print("nothing was found in {} runs, under as many schedules\nverified: {}\n", found.runs,
               broken.task->promise);
    return all_well;
  }
  fmt::print("{}: {}\n\nfound in run {}: {}\n\n", broken.name, broken.summary, found.runs, found.found_as);
  if (voice.level >= 1)
    fmt::print("{}\n\non a GPU: {}\nlook at: {}\nrepair:  classics/{}, then `make tools`, and the same command again\n",
               found.report, known.symptom, known.look, broken.file);
  return disorder;
}

} // namespace

int run_classics(const classics_job& job, const CLI::App& command, const talk& voice) {
  if (job.action == "list") {
    refuse_options_but(command, "list", {"ACTION", "NAME", "--markdown", "--examples"});
    if (!job.name.empty())
      refuse("list takes no name (sortile classics run {} runs it)", job.name);
    fmt::print("{}", job.examples   ? classics::list_of_examples()
                     : job.markdown ? classics::markdown_table_of_classics()
                                    : classics::list_of_classics());
    return all_well;
  }
  if (job.action == "break") {
    refuse_options_but(command, "break", {"ACTION", "NAME", "--schedules"});
    if (job.name.empty())
      fmt::print("{}", classics::list_of_specimens());
    return job.name.empty() ? all_well : break_classic(job, voice);
  }
  if (job.markdown || job.examples)
    refuse("--{} does not go with {}", job.markdown ? "markdown" : "examples", job.action);
  if (job.html && job.action != "show")
    refuse("--html does not go with {} (allowed: show)", job.action);
  if (job.html)
    refuse_options_but(command, "--html",
                       {"ACTION", "NAME", "--count", "--type", "--workload", "--descending", "--keys", "--keys-file",
                        "--pairs", "--example", "--devices", "--show", "--bits", "--seed", "--set", "--html",
                        "--beside", "--trace"});
  if (!job.beside.empty() && !job.html)
    refuse("--beside puts two classics on one page (allowed: with --html FILE)");
  if (job.name.empty() && job.example.empty())
    refuse("{} takes the name of a classic (sortile classics list prints them)", job.action);
  return run_classic(job, voice);
}

} // namespace sortile::cli
