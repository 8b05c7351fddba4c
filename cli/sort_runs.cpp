// sortile sort of what does not fit into memory; see sort_job.hpp.
#include "command_line.hpp"
#include "sort_job.hpp"

#include "files/parallel.hpp"

#include <malloc.h>

namespace sortile::cli {

namespace {

// The plan of one run becomes that of all.
plan plan_of_runs(plan how, std::size_t bytes) {
  how.steps.insert(how.steps.begin(), {"runs",
                                       fmt::format("as many records as fit, {} bytes in the first run, are sorted as "
                                                   "follows and written to a temporary file each",
                                                   bytes),
                                       bytes, bytes});
  how.steps.push_back({"merge", "all runs, by a tree of losers, in rounds where they are too many", 0, 0});
  return how;
}

} // namespace

files::run_reader read_in_runs(const sort_job& job, first_input first, const files::record_shape& shape,
                               std::function<std::size_t(std::size_t)> working_memory) {
  files::run_limit limit{SIZE_MAX, [](std::size_t) { return std::size_t{0}; }};
  if (working_memory)
    limit = {job.memory.limit(), std::move(working_memory)};
  return {std::move(first), {job.inputs.begin() + 1, job.inputs.end()}, shape,
          std::move(limit), files::thread_count(job.arrays.threads),    job.arrays.as_it_is};
}

int sort_in_runs(const sort_job& job, files::run_reader& reader, std::string_view first_run, runs_to_sort what,
                 progress_bar& bar, const talk& voice) {
  if (job.explain)
    return explained(plan_of_runs(what.how, first_run.size()));
#ifdef __GLIBC__
  // The arrays of one run go back to the system before the next run's are made. On the heap they would leave holes, in
  // which, before glibc 2.38, no aligned array finds room again.
  ::mallopt(M_MMAP_THRESHOLD, 1 << 15);
#endif
  files::temporary_store store = job.memory.store();
  files::external_options how{.memory = job.memory.limit(), .temporaries = &store, .batch = job.memory.batch()};
  how.phase = [&](std::string name) { bar.phase(std::move(name)); };
  how.progress = bar.sink();
  if (job.debug)
    how.write = [keys = job.text.for_debugging(job.arrays.descending()),
                 text = std::string()](std::string_view line, files::output& to) mutable {
      text.clear();
      append_debugged(line, keys, text);
      to.write(text);
    };
  files::output to(job.output, job.how_to_write(job.output));
  const files::external_summary done = files::sort_externally(reader, first_run, what.format, how, to);
  if (what.need_whole)
    what.need_whole(done.bytes);
  to.commit();
  bar.phase({});
  voice.say(2, "{} bytes in {:.3f} s, {}B/s, by {} runs; engine {}: {}", done.bytes, bar.seconds(),
            with_unit(static_cast<double>(done.bytes) / bar.seconds()), done.runs, what.how.engine, what.how.reason);
  return all_well;
}

} // namespace sortile::cli
