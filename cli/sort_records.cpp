// sortile sort on records: lines, records of one size, and what the rows of tables (sort_tables.cpp) have in common
// with them. All are read into memory, put in order by the same sort, and written; in runs where they do not fit.
#include "sort_records.hpp"
#include "command_line.hpp"
#include "locale_note.hpp"

#include "files/failure.hpp"
#include "files/parallel.hpp"
#include "files/record_counts.hpp"
#include "files/record_sort.hpp"
#include "files/record_write.hpp"

#include <algorithm>
#include <optional>
#include <span>
#include <utility>

namespace sortile::cli {

using files::refuse;

namespace {

void write_debugged(const sort_job& job, const files::record_table& lines, std::span<const std::uint32_t> ids,
                    files::output& to) {
  const debug_keys keys = job.text.for_debugging(job.arrays.descending());
  std::string text;
  for (const std::uint32_t id : ids) {
    text.clear();
    append_debugged(lines[id], keys, text);
    to.write(text);
  }
}

void write_kept(const sort_job& job, const records_to_sort& what, std::span<const std::uint32_t> ids,
                std::span<const std::uint64_t> counts, sort_outputs& outputs, progress_bar& bar) {
  files::output& to = outputs.to;
  const unsigned threads = files::thread_count(job.arrays.threads);
  to.write(what.descr.empty() ? what.header : files::make_npy_header(what.descr, ids.size()));
  if (job.debug)
    write_debugged(job, what.records, ids, to);
  else if (job.counts_inside())
    files::write_counted_records(what.records, ids, counts, what.count, to, threads, bar.sink());
  else
    files::write_records(what.records, ids, to, threads, bar.sink());
  to.write(what.last);
  if (outputs.values)
    files::write_counts(counts, !what.descr.empty(), *outputs.values);
}

} // namespace

int sort_records_to(const sort_job& job, const records_to_sort& what, progress_bar& bar, const talk& voice) {
  const files::record_table& records = what.records;
  options opts = job.arrays.for_library();
  const plan how = files::explain_record_sort(records.size(), records.text.size(), what.order, opts);
  if (job.explain)
    return explained(job.of_the_first(how));
  sort_outputs outputs(job);
  bar.phase("sort");
  opts.progress = bar.callback();
  files::raw_array<std::uint32_t> sorted =
      files::sort_records(records, what.order, opts, job.text.unique && !job.count, job.count ? SIZE_MAX : job.most());
  files::raw_array<std::uint64_t> counts(job.count ? sorted.size() : 0);
  if (job.count) {
    sorted.keep_first(files::keep_first_of_equals(records, what.order, {sorted.data(), sorted.size()},
                                                  files::thread_count(opts.threads), {counts.data(), counts.size()}));
    sorted.keep_first(job.most());
    counts.keep_first(sorted.size());
  }
  bar.phase("write");
  write_kept(job, what, {sorted.data(), sorted.size()}, {counts.data(), counts.size()}, outputs, bar);
  files::parallel_for(std::min(2u, files::thread_count(opts.threads)), 2,
                      [&](std::size_t i) { i == 0 ? outputs.commit() : what.release_text(); });
  bar.phase({});
  say_done(voice, records.size(), "records", bar, how);
  return all_well;
}

std::function<std::size_t(std::size_t)> memory_of_run(const sort_job& job, const files::record_order& order) {
  const std::size_t count = job.count ? sizeof(std::uint64_t) : 0;
  return [count, records = files::memory_of_records(order, job.arrays.for_library())](std::size_t n) {
    return records(n) + count * n;
  };
}

runs_to_sort runs_of(const sort_job& job, const files::run_reader& reader, std::string_view run,
                     const files::record_shape& shape, const files::record_order& order, files::record_cutter cut) {
  const options opts = job.arrays.for_library();
  // Counts need all of the equal records; the last merge counts them.
  return {.format = files::record_runs(shape, order, job.text.unique && !job.count, job.count ? SIZE_MAX : job.most(),
                                       opts, std::move(cut)),
          .how = files::explain_record_sort(reader.records(), run.size(), order, opts)};
}

int sort_fixed_records(const sort_job& job, first_input first, file_format format, const talk& voice) {
  if (!(job.values + job.values_type).empty() || (!job.values_output.empty() && !job.count))
    refuse("--values goes with arrays whose keys are numbers");
  if (const std::string option = job.text.named_for_arrays(); !option.empty() && option != "-u")
    refuse("{} goes with text; records are ordered with --key and -r", option);
  const bool is_npy = format == file_format::npy;
  need_place_of_counts(job, is_npy);
  if (!job.explain)
    refuse_binary_to_terminal(job.output, job.force);
  if (is_npy && job.inputs.size() != 1)
    refuse("arrays are sorted one file at a time ({} are named); sortile merge joins sorted ones", job.inputs.size());
  progress_bar bar(voice);
  bar.phase("read");
  const record_layout layout = layout_of_records(first->peek_npy_header(), first->name(), format, job.arrays);
  if (!job.quantiles.empty())
    refuse("{}: holds {}; --quantiles goes with arrays whose keys are numbers", first->name(),
           layout.npy ? "elements of type " + layout.npy->descr : "records");
  const files::record_shape shape{.record_bytes = layout.record_bytes};
  // How many records are left is known when all are sorted; the header of a .npy file says it in front of them.
  const bool fewer = job.text.unique || !job.top.empty();
  files::run_reader reader = read_in_runs(job, std::move(first), shape, memory_of_run(job, layout.order));
  const std::string header(reader.skip_header(layout.header_bytes));
  const std::string_view run = reader.next();
  if (!reader.at_end()) {
    runs_to_sort what = runs_of(job, reader, run, shape, layout.order);
    what.format.header = header;
    what.count.place = files::count_place::last_field;
    if (is_npy && fewer)
      what.descr = job.counts_inside() ? files::descr_with_count(*layout.npy, reader.name()) : layout.npy->descr;
    what.need_whole = [&](std::uint64_t bytes) {
      if (layout.npy)
        files::need_whole_array(*layout.npy, bytes, reader.name());
      files::need_whole_records(reader.name(), header.size(), bytes, layout.record_bytes);
    };
    return sort_in_runs(job, reader, run, what, bar, voice);
  }
  const files::fixed_records file = open_fixed_records(reader.take_whole(), format, job.arrays);
  records_to_sort what{file.records, file.order};
  what.count.place = files::count_place::last_field;
  what.header = file.header;
  if (is_npy && fewer)
    what.descr = job.counts_inside()
                     ? files::descr_with_count(files::parse_npy(file.source.bytes(), file.name()), file.name())
                     : file.descr;
  return sort_records_to(job, what, bar, voice);
}

int sort_lines(const sort_job& job, first_input first, const talk& voice) {
  refuse_array_options(job.arrays);
  const files::record_order order = job.text.for_lines(job.arrays.descending());
  note_order_of_bytes(order, voice);
  const unsigned threads = files::thread_count(job.arrays.threads);
  const files::record_shape shape{.delimiter = job.text.delimiter()};
  progress_bar bar(voice);
  bar.phase("read");
  files::run_reader reader = read_in_runs(job, std::move(first), shape, memory_of_run(job, order));
  const std::string_view run = reader.next();
  if (!reader.at_end())
    return sort_in_runs(job, reader, run, runs_of(job, reader, run, shape, order), bar, voice);
  files::input source = reader.take_whole();
  bar.phase("cut");
  const files::record_table records = files::split_lines(source.bytes(), job.text.delimiter(), reader.marks(), threads);
  records_to_sort what{records, order};
  what.release_text = [&source] { source = files::input(); };
  return sort_records_to(job, what, bar, voice);
}

} // namespace sortile::cli
