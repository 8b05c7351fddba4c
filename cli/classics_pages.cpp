// See classics_pages.hpp.
#include "classics_pages.hpp"

#include "classics_request.hpp"

#include "classics/examples.hpp"
#include "classics/page.hpp"
#include "classics/trace.hpp"
#include "files/failure.hpp"
#include "files/output.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace sortile::cli {

using files::refuse;

namespace {

std::string command_of(const classics::classic& c, const classics::request& asked, const char* action) {
  return std::string("sortile classics ") + action + " " + classics::to_string(c, asked);
}

// The command that prints the page's steps.
std::string command_of_page(const classics::classic& c, const classics::request& asked) {
  return fmt::format("{} --show {}", command_of(c, with_parameters_said(c, asked), "show"),
                     classics::name(asked.shown));
}

void write_text(const std::string& path, const std::string& text) {
  files::output to(path);
  to.write(text);
  to.commit();
}

// The example that the job shows, as request_of() takes it; null: keys of its own.
const classics::example* example_of(const classics_job& job, const classics::classic& chosen) {
  if (!job.example.empty())
    return &classics::example_named(job.example);
  return job.own_keys() || !job.count.empty() ? nullptr : classics::first_example_of(chosen.name);
}

// The same request of another classic: with those of the parameters that it has.
classics::request request_beside(const classics::classic& other, classics::request asked) {
  std::erase_if(asked.parameters, [&](const auto& given) {
    return std::none_of(other.parameters.begin(), other.parameters.end(),
                        [&](const classics::parameter& p) { return p.name == given.first; });
  });
  return asked;
}

} // namespace

void write_page(const classics_job& job, const classics::classic& chosen, const classics::request& asked) {
  std::vector<classics::shown_run> runs;
  runs.push_back(classics::run_to_show(chosen, asked, command_of_page(chosen, asked)));
  if (const classics::example* shown = example_of(job, chosen))
    runs.back().look = shown->look;
  if (!job.beside.empty()) {
    const classics::classic& other = classics::classic_named(job.beside);
    if (other.task != chosen.task)
      refuse("--beside {}: its task is another: {}, not {}", other.name, other.task->name, chosen.task->name);
    const classics::request same = request_beside(other, asked);
    runs.push_back(classics::run_to_show(other, same, command_of_page(other, same)));
  }
  write_text(*job.html, classics::html_page(runs));
}

void write_trace(const classics_job& job, const classics::classic& chosen, const classics::request& asked) {
  if (chosen.place == classics::place::host)
    refuse("classic {}: runs no kernel: --trace has nothing to record", chosen.name);
  classics::machine on(executor::options_from_environment({.seed = asked.seed, .checks = executor::check::counters}));
  classics::trace seen;
  const executor::observing now(seen);
  const classics::outcome result = classics::run(chosen, asked, classics::engine::executor, on);
  if (!result.verdict)
    refuse("{}", result.verdict.complaint);
  if (seen.overflowed())
    refuse("--trace: more than {} events (allowed: fewer keys, or fewer of their bits by --bits)",
           classics::trace::most_events);
  write_text(*job.trace, seen.to_json({{"command", command_of(chosen, asked, "run")}}).dump() + "\n");
}

} // namespace sortile::cli
