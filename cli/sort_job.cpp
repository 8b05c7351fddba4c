// See sort_job.hpp: what all kinds of sort have in common.
#include "sort_job.hpp"

#include "command_line.hpp"

#include "files/failure.hpp"

namespace sortile::cli {

files::output_options sort_job::how_to_write(const std::string& path) const {
  return {.synced = !no_sync, .pack = arrays.packing_of_output(path), .temporary_folder = memory.folder()};
}

std::size_t sort_job::most() const {
  return top.empty() ? SIZE_MAX : static_cast<std::size_t>(parse_count(top, "--top"));
}

plan sort_job::of_the_first(plan how) const {
  if (!top.empty())
    how.steps.insert(how.steps.begin(), {"select",
                                         "where few of many are wanted and repeats count: the records whose first "
                                         "words are among the smallest; the steps below sort these alone",
                                         0, 0});
  return how;
}

sort_outputs::sort_outputs(const sort_job& job) : to(job.output, job.how_to_write(job.output)) {
  if (job.values_output.empty())
    return;
  values.emplace(job.values_output, job.how_to_write(job.values_output));
  if (files::same_place(to, *values))
    files::refuse("-o {} and --values-output {} lead to the same file, in which one result would be lost", job.output,
                  job.values_output);
}

void sort_outputs::commit() {
  if (values)
    files::commit_both(to, *values);
  else
    to.commit();
}

void need_place_of_counts(const sort_job& job, bool inside) {
  if (job.count && !job.text.unique)
    files::refuse("--count goes with -u: it tells how many each kept one stands for");
  if (job.count && !inside && job.values_output.empty() && !job.explain)
    files::refuse(
        "--count: raw keys and plain records have no room for counts: --values-output FILE takes them, as u64");
}

int explained(const plan& how) {
  fmt::print("{}", to_string(how));
  return all_well;
}

void say_done(const talk& voice, std::size_t n, std::string_view what, const progress_bar& bar, const plan& how) {
  voice.say(2, "{} {} in {:.3f} s, {}/s; engine {}: {}", n, what, bar.seconds(),
            with_unit(static_cast<double>(n) / bar.seconds()), how.engine, how.reason);
}

void say_done_in_runs(const talk& voice, const files::external_summary& done, const progress_bar& bar,
                      const plan& how) {
  voice.say(2, "{} bytes in {:.3f} s, {}B/s, by {} runs; engine {}: {}", done.bytes, bar.seconds(),
            with_unit(static_cast<double>(done.bytes) / bar.seconds()), done.runs, how.engine, how.reason);
}

} // namespace sortile::cli
