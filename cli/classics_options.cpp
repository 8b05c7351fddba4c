// The options of sortile classics.
#include "beside.hpp"
#include "jobs.hpp"

#include <initializer_list>
#include <memory>
#include <utility>

namespace sortile::cli {

namespace {

constexpr const char* examples = R"(Examples:
  sortile classics list
  sortile classics list --examples
  sortile classics show radix-1bit-local --keys 12,3,6,9,15,8,5,10 --set tile=4     four keys a block: what each step does to them
  sortile classics show --example radix-2bit --show dec
  sortile classics break scan-missing-barrier                             what the executor finds in a kernel with a bug
  sortile classics run radix-1bit -n 10000 --type f32 --descending --engine executor
  sortile classics run radix-1bit -n 1000 --pairs --schedules 64          64 orders of blocks, warps and lanes, checked for races
  sortile classics run radix-1bit -n 8 --workload range:8 --bits 0:3 --steps
  sortile classics run radix-1bit -n 4096 --counters                      sectors, bank conflicts, barriers
  sortile classics run radix-1bit -n 4096 --bits 0:2 --counters=line      the same for each line of the source
  sortile classics run radix-1bit -n 100M --engine cuda --repeat 5)";

} // namespace

void add_classics_command(command_line& line, const job_actions& actions) {
  auto job = std::make_shared<classics_job>();
  auto self = std::make_shared<CLI::App*>();
  CLI::App& command = *add_command(
      line, "classics", "Lists and runs the classical GPU sorts; exit status 0 only if the result was verified.",
      examples, [job, self, &line, run = actions.classics] {
        job->pairs = (*self)->count("--pairs") != 0;
        // An empty text is one: CLI11 leaves it out.
        for (const auto& [option, text] :
             std::initializer_list<std::pair<const char*, std::optional<std::string>&>>{{"--keys", job->keys},
                                                                                        {"--keys-file", job->keys_file},
                                                                                        {"--html", job->html},
                                                                                        {"--trace", job->trace}})
          if ((*self)->count(option) != 0 && !text)
            text = "";
        job->counters = !job->counted_by.empty();
        return run ? run(*job, **self, line.voice) : run_beside("sortile-classics", line);
      });
  *self = &command;
  command
      .add_option(
          "ACTION", job->action,
          "list; run; show: a run of few keys that prints its steps; break: what the executor finds in a broken kernel")
      ->required()
      ->check(CLI::IsMember({"list", "run", "show", "break"}));
  command.add_option("NAME", job->name, "the classic that is run, or the broken one (break alone lists these)");
  command.add_flag("--markdown", job->markdown, "list: as a table for docs/classics.md");
  command.add_flag("--examples", job->examples, "list: the worked examples, each with what to look at");
  command.add_option("-n,--count", job->count, "how many keys")->option_text("N");
  command
      .add_option("--type", job->type, "key type (default: the first of the classic's that all --keys are written as)")
      ->option_text("TYPE");
  command.add_option("--workload", job->workload, "sortile gen --help lists them (default: uniform)")
      ->option_text("NAME");
  command.add_flag("-r,--descending", job->descending, "largest first");
  command.add_option("--keys", job->keys, "these keys, in place of a workload's")->option_text("K,K,...");
  command.add_option("--keys-file", job->keys_file, "the keys that a file of text holds; -: standard input")
      ->option_text("FILE");
  command.add_option("--pairs", job->records, "each key carries its position; or these keys carry these values")
      ->option_text("[K:V,...]")
      ->expected(0, 1);
  command.add_option("--example", job->example, "show: keys, parameters and notation of a worked example")
      ->option_text("NAME");
  command.add_option("--devices", job->devices, "the parameter `devices` of sorts over several")->option_text("D");
  command.add_option("--show", job->shown, "how steps write keys: dec, bin, hex, or halves (upper/lower)")
      ->option_text("NOTATION");
  command.add_option("--bits", job->bits, "only bits B to E - 1 decide, 0 being the lowest")->option_text("B:E");
  command.add_option("--seed", job->seed, "seed of the keys, and first seed of the schedules (default: 1)")
      ->option_text("S")
      ->check(whole_number());
  command.add_option("--set", job->settings, "a parameter of the classic; may be given several times")
      ->option_text("PARAMETER=NUMBER");
  command
      .add_option("--engine", job->engine,
                  "executor, cuda, or host for sorts of the host (default: executor, host for those)")
      ->option_text("NAME")
      ->check(CLI::IsMember({"executor", "cuda", "host"}));
  command.add_option("--schedules", job->schedules, "also check it on the executor under K seeds")
      ->option_text("K")
      ->check(CLI::Range(0u, 1000000u));
  command.add_option("--repeat", job->repetitions, "timed runs (default: 1)")
      ->option_text("R")
      ->check(CLI::Range(1u, 100000u));
  command.add_option("--html", job->html, "show: write a page for a browser in place of text")->option_text("FILE");
  command.add_option("--beside", job->beside, "with --html: another classic on the same keys, side by side")
      ->option_text("NAME");
  command.add_option("--trace", job->trace, "run: write every request of a warp, barrier and value to a file of JSON")
      ->option_text("FILE");
  command.add_flag(
      "--counters{total}", job->counted_by,
      "print what the kernels did: memory sectors, bank conflicts, barriers; =launch, =line, =step: for each "
      "launch, line of the source or step");
  command.add_flag("--steps", job->steps, "run: print what each step did to the keys");
}

} // namespace sortile::cli
