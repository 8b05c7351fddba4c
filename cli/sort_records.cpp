// sortile sort on records: lines, rows of tables, and records of one size. All are read into memory, put in order by
// the same sort, and written.
#include "command_line.hpp"
#include "sort_job.hpp"

#include "files/failure.hpp"
#include "files/parallel.hpp"
#include "files/record_sort.hpp"
#include "files/record_write.hpp"

#include <span>

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

// Sorts records that are in memory; `header` goes first, `last` behind them.
int sort_records_to(const sort_job& job, const files::record_table& records, std::string_view header,
                    const files::record_order& order, std::string_view last, progress_bar& bar, const talk& voice) {
  options opts = job.arrays.for_library();
  const unsigned threads = files::thread_count(opts.threads);
  const plan how = files::explain_record_sort(records.size(), records.text.size(), order, opts);
  if (job.explain)
    return explained(how);
  files::output to(job.output, job.how_to_write(job.output));
  bar.phase("sort");
  opts.progress = bar.callback();
  files::raw_array<std::uint32_t> sorted = files::sort_records(records, order, opts);
  std::size_t kept = sorted.size();
  if (job.text.unique)
    kept = files::keep_first_of_equals(records, order, {sorted.data(), sorted.size()}, threads);
  bar.phase("write");
  to.write(header);
  if (job.debug)
    write_debugged(job, records, {sorted.data(), kept}, to);
  else
    files::write_records(records, {sorted.data(), kept}, to, threads, bar.sink());
  to.write(last);
  to.commit();
  bar.phase({});
  say_done(voice, records.size(), "records", bar, how);
  return all_well;
}

// The rows of all inputs.
files::csv_table open_tables(const sort_job& job, files::input first, const files::csv_options& options,
                             unsigned threads) {
  std::vector<files::csv_table> tables;
  tables.push_back(files::open_csv(std::move(first), options, threads));
  for (std::size_t i = 1; i < job.inputs.size(); ++i)
    tables.push_back(files::open_csv(files::input(job.inputs[i], threads, job.arrays.as_it_is), options, threads));
  return files::join_tables(std::move(tables));
}

int show_types(files::csv_table& table, files::bad_rows rule, unsigned threads) {
  const std::vector<files::cell_check> all(table.names.size(), files::cell_check::detect);
  const std::vector<files::column_facts> facts = files::check_csv(table, all, rule, threads);
  for (std::size_t i = 0; i < facts.size(); ++i)
    fmt::print("{}\t{}\n", table.names[i], files::name_of(facts[i].type()));
  return all_well;
}

} // namespace

int sort_fixed_records(const sort_job& job, files::input first, file_format format, const talk& voice) {
  if (!(job.values + job.values_output + job.values_type).empty())
    refuse("--values goes with arrays whose keys are numbers");
  if (!(job.top + job.quantiles).empty())
    refuse("--top and --quantiles go with arrays whose keys are numbers");
  if (const std::string option = job.text.named_for_arrays(); !option.empty() && option != "-u")
    refuse("{} goes with text; records are ordered with --key and -r", option);
  if (format == file_format::npy && job.text.unique)
    refuse("-u does not go with .npy files");
  if (!job.explain)
    refuse_binary_to_terminal(job.output, job.force);
  const unsigned threads = files::thread_count(job.arrays.threads);
  progress_bar bar(voice);
  bar.phase("read");
  files::input all =
      format == file_format::npy || job.inputs.size() == 1
          ? std::move(first)
          : files::append(std::move(first), std::span(job.inputs).subspan(1), {}, threads, job.arrays.as_it_is);
  if (format == file_format::npy && job.inputs.size() != 1)
    refuse("arrays are sorted one file at a time ({} are named); sortile merge joins sorted ones", job.inputs.size());
  const files::fixed_records file = open_fixed_records(std::move(all), format, job.arrays);
  return sort_records_to(job, file.records, file.header, file.order, {}, bar, voice);
}

int sort_lines(const sort_job& job, files::input first, const talk& voice) {
  refuse_array_options(job.arrays);
  const files::record_order order = job.text.for_lines(job.arrays.descending());
  const unsigned threads = files::thread_count(job.arrays.threads);
  progress_bar bar(voice);
  bar.phase("read");
  const files::input source = files::append(std::move(first), std::span(job.inputs).subspan(1), job.text.delimiter(),
                                            threads, job.arrays.as_it_is);
  bar.phase("cut");
  const files::record_table records = files::split_lines(source.bytes(), job.text.delimiter(), threads);
  return sort_records_to(job, records, {}, order, {}, bar, voice);
}

int sort_tables(const sort_job& job, files::input first, file_format format, const talk& voice) {
  refuse_array_options(job.arrays);
  const unsigned threads = files::thread_count(job.arrays.threads);
  progress_bar bar(voice);
  bar.phase("cut");
  files::csv_table table =
      open_tables(job, std::move(first), job.text.table_options(format == file_format::tsv), threads);
  const files::bad_rows rule = job.text.rule_of_bad_rows();
  if (job.types)
    return show_types(table, rule, threads);
  const files::record_order order = job.text.for_table(table, job.arrays.descending(), threads);
  if (!table.removed.empty())
    voice.say(2, "{}: {} bad rows {}", table.name(), table.removed.size(),
              rule == files::bad_rows::drop ? "are left out" : "go last");
  return sort_records_to(job, table.rows, table.prologue, order,
                         rule == files::bad_rows::last ? std::string_view(table.bad_rows) : "", bar, voice);
}

} // namespace sortile::cli
