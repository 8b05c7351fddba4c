// See classics_pages.hpp.
#include "classics_pages.hpp"

#include "classics/trace.hpp"
#include "files/failure.hpp"
#include "files/output.hpp"

#include <nlohmann/json.hpp>

namespace sortile::cli {

using files::refuse;

namespace {

std::string command_of(const classics::classic& c, const classics::request& asked, const char* action) {
  return std::string("sortile classics ") + action + " " + classics::to_string(c, asked);
}

void write_file(const std::string& path, const std::string& text) {
  files::output to(path);
  to.write(text);
  to.commit();
}

} // namespace

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
  write_file(job.trace, seen.to_json({{"command", command_of(chosen, asked, "run")}}).dump() + "\n");
}

} // namespace sortile::cli
