// sortile sort of what does not fit into memory; see sort_job.hpp.
#include "command_line.hpp"
#include "sort_job.hpp"

#include "files/parallel.hpp"

#include <malloc.h>

namespace sortile::cli {

namespace {

// Counts in the file of --values-output: a .npy header says how many there are, so that they wait on the disk.
class waiting_counts {
 public:
  explicit waiting_counts(files::temporary_store& store) : bytes_(store) {}

  void add(std::uint64_t count) {
    bytes_.append({reinterpret_cast<const char*>(&count), sizeof count});
    ++size_;
  }
  void write(bool as_npy, files::output& to) && {
    if (as_npy)
      to.write(files::make_npy_header(files::npy_descr(key_type::u64), size_));
    std::move(bytes_).write_to(to);
  }

 private:
  files::temporary_text bytes_;
  std::uint64_t size_ = 0;
};

// What the last merge writes in place of a record: with its key marked, or with its count.
void set_writers(const sort_job& job, const runs_to_sort& what, waiting_counts& counts, files::last_merge& last) {
  const bool delimited = what.format.shape.record_bytes == 0;
  if (job.debug)
    last.write = [keys = job.text.for_debugging(job.arrays.descending()),
                  text = std::string()](std::string_view line, files::output& to) mutable {
      text.clear();
      append_debugged(line, keys, text);
      to.write(text);
    };
  if (job.count)
    last.write_counted = [&, delimited, inside = job.counts_inside(), text = std::string()](
                             std::string_view record, std::uint64_t count, files::output& to) mutable {
      text.clear();
      if (inside)
        files::append_counted(record, count, what.count, text);
      else
        text = record;
      if (delimited)
        text += what.format.shape.delimiter;
      to.write(text);
      if (!inside)
        counts.add(count);
    };
  if (!what.descr.empty())
    last.header = [&](std::uint64_t records) { return files::make_npy_header(what.descr, records); };
  last.most = job.most();
}

// Values go to an output of their own.
void part_values(const runs_to_sort& what, sort_outputs& outputs, files::last_merge& last) {
  outputs.values->write(what.values.header);
  last.write = [&outputs, key_bytes = what.values.key_bytes](std::string_view record, files::output& to) {
    to.write(record.substr(0, key_bytes));
    outputs.values->write(record.substr(key_bytes));
  };
}

} // namespace

plan plan_of_runs(plan how, std::size_t bytes) {
  how.steps.insert(how.steps.begin(), {"runs",
                                       fmt::format("as many records as fit, {} bytes in the first run, are sorted as "
                                                   "follows and written to a temporary file each",
                                                   bytes),
                                       bytes, bytes});
  how.steps.push_back({"merge", "all runs, by a tree of losers, in rounds where they are too many", 0, 0});
  return how;
}

files::run_reader read_in_runs(const sort_job& job, first_input first, const files::record_shape& shape,
                               std::function<std::size_t(std::size_t)> working_memory, std::size_t memory) {
  return {std::move(first),
          {job.inputs.begin() + 1, job.inputs.end()},
          shape,
          {memory == 0 ? job.memory.limit() : memory, std::move(working_memory)},
          files::thread_count(job.arrays.threads),
          job.arrays.as_it_is};
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
  waiting_counts counts(store);
  files::external_options how{.memory = job.memory.limit(), .temporaries = &store, .batch = job.memory.batch()};
  how.phase = [&](std::string name) { bar.phase(std::move(name)); };
  how.progress = bar.sink();
  set_writers(job, what, counts, how.last);
  sort_outputs outputs(job);
  if (what.values.key_bytes != 0)
    part_values(what, outputs, how.last);
  const files::external_summary done = files::sort_externally(reader, first_run, what.format, how, outputs.to);
  if (what.need_whole)
    what.need_whole(done.bytes);
  if (what.write_last)
    what.write_last(outputs.to);
  if (job.count && outputs.values)
    std::move(counts).write(!what.descr.empty(), *outputs.values);
  outputs.commit();
  bar.phase({});
  say_done_in_runs(voice, done, bar, what.how);
  return all_well;
}

} // namespace sortile::cli
