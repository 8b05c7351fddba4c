// sortile sort on records: lines, rows of tables, and records of one size. All are read into memory, put in order by
// the same sort, and written.
#include "command_line.hpp"
#include "locale_note.hpp"
#include "sort_job.hpp"

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

// Records in memory, and what goes with them into the output.
struct records_to_sort {
  const files::record_table& records;
  const files::record_order& order;
  std::string header{};    ///< goes first
  std::string descr{};     ///< of .npy records of which some are left out: their header is made of it
  std::string_view last{}; ///< goes behind them
  files::count_place count = files::count_place::in_front;
  char separator = ','; ///< of a count that is a cell
};

void write_kept(const sort_job& job, const records_to_sort& what, std::span<const std::uint32_t> ids,
                std::span<const std::uint64_t> counts, sort_outputs& outputs, progress_bar& bar) {
  files::output& to = outputs.to;
  const unsigned threads = files::thread_count(job.arrays.threads);
  to.write(what.descr.empty() ? what.header : files::make_npy_header(what.descr, ids.size()));
  if (job.debug)
    write_debugged(job, what.records, ids, to);
  else if (job.counts_inside())
    files::write_counted_records(what.records, ids, counts, what.count, what.separator, to, threads, bar.sink());
  else
    files::write_records(what.records, ids, to, threads, bar.sink());
  to.write(what.last);
  if (outputs.values)
    files::write_counts(counts, !what.descr.empty(), *outputs.values);
}

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
  outputs.commit();
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

// What a run takes beside its text; nothing where everything is to be held in memory.
std::function<std::size_t(std::size_t)> run_memory(const sort_job& job, const files::record_order& order,
                                                   bool at_once) {
  return at_once ? std::function<std::size_t(std::size_t)>()
                 : files::memory_of_records(order, job.arrays.for_library());
}

runs_to_sort runs_of(const sort_job& job, const files::run_reader& reader, std::string_view run,
                     const files::record_shape& shape, const files::record_order& order,
                     files::record_cutter cut = {}) {
  const options opts = job.arrays.for_library();
  return {.format = files::record_runs(shape, order, job.text.unique, job.most(), opts, std::move(cut)),
          .how = files::explain_record_sort(reader.records(), run.size(), order, opts)};
}

} // namespace

int sort_fixed_records(const sort_job& job, first_input first, file_format format, const talk& voice) {
  if (!(job.values + job.values_type).empty() || (!job.values_output.empty() && !job.count))
    refuse("--values goes with arrays whose keys are numbers");
  if (!job.quantiles.empty())
    refuse("--quantiles goes with arrays whose keys are numbers");
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
  const files::record_shape shape{.record_bytes = layout.record_bytes};
  // How many records are left is known when all are sorted; the header of a .npy file says it in front of them.
  const bool fewer = job.text.unique || !job.top.empty();
  const bool at_once = job.count || (is_npy && fewer);
  files::run_reader reader = read_in_runs(job, std::move(first), shape, run_memory(job, layout.order, at_once));
  const std::string header(reader.skip_header(layout.header_bytes));
  const std::string_view run = reader.next();
  if (!reader.at_end()) {
    runs_to_sort what = runs_of(job, reader, run, shape, layout.order);
    what.format.header = header;
    what.need_whole = [&](std::uint64_t bytes) {
      if (layout.npy)
        files::need_whole_array(*layout.npy, bytes, reader.name());
      files::need_whole_records(reader.name(), header.size(), bytes, layout.record_bytes);
    };
    return sort_in_runs(job, reader, run, what, bar, voice);
  }
  const files::fixed_records file = open_fixed_records(reader.take_whole(), format, job.arrays);
  records_to_sort what{file.records, file.order};
  what.count = files::count_place::last_field;
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
  files::run_reader reader = read_in_runs(job, std::move(first), shape, run_memory(job, order, job.count));
  const std::string_view run = reader.next();
  if (!reader.at_end())
    return sort_in_runs(job, reader, run, runs_of(job, reader, run, shape, order), bar, voice);
  const files::input source = reader.take_whole();
  bar.phase("cut");
  const files::record_table records = files::split_lines(source.bytes(), job.text.delimiter(), threads);
  return sort_records_to(job, {records, order}, bar, voice);
}

namespace {

int sort_table_at_once(const sort_job& job, files::csv_table& table, progress_bar& bar, const talk& voice) {
  const unsigned threads = files::thread_count(job.arrays.threads);
  const files::bad_rows rule = job.text.rule_of_bad_rows();
  if (!job.top.empty() && rule == files::bad_rows::last)
    refuse("--top does not go with --bad-rows=last: rows behind the last are not wanted");
  if (job.types)
    return show_types(table, rule, threads);
  const files::record_order order = job.text.for_table(table, job.arrays.descending(), threads);
  if (!table.removed.empty())
    voice.say(2, "{}: {} bad rows {}", table.name(), table.removed.size(),
              rule == files::bad_rows::drop ? "are left out" : "go last");
  records_to_sort what{table.rows, order};
  what.header = job.count ? files::prologue_with_count(table) : table.prologue;
  what.last = rule == files::bad_rows::last ? std::string_view(table.bad_rows) : "";
  what.count = files::count_place::last_cell;
  what.separator = table.dialect.separator;
  return sort_records_to(job, what, bar, voice);
}

// The head of a table that may be sorted in runs: one file, whose rows need no more than a look at each.
std::optional<files::csv_table> head_of_runs(const sort_job& job, files::input_stream& first,
                                             const files::csv_options& options) {
  const bool at_once = job.types || job.count || !options.header || options.comment || !job.text.bad_rows.empty() ||
                       job.text.by.empty() || job.text.wants_lines() || job.inputs.size() != 1;
  return at_once ? std::nullopt : files::open_csv_head(first.peek(files::csv_head_bytes), first.name(), options);
}

// Every run's rows are checked as the first run's were, whose types are those of the columns.
int sort_table_in_runs(const sort_job& job, files::run_reader& reader, std::string_view run,
                       const files::record_shape& shape, files::csv_table& table, progress_bar& bar,
                       const talk& voice) {
  const unsigned threads = files::thread_count(job.arrays.threads);
  std::vector<files::cell_check> checks;
  table.rows = files::split_rows(run, table.name(), table.dialect, table.parts.front().first_line, threads);
  const files::record_order order = job.text.for_first_rows(table, job.arrays.descending(), threads, checks);
  bool is_first = true; // whose rows are there, and checked
  const auto cut = [&](std::string_view rows) {
    if (!std::exchange(is_first, false)) {
      table.rows = files::split_rows(rows, table.name(), table.dialect, table.parts.front().first_line, threads);
      files::check_csv(table, checks, files::bad_rows::refuse, threads);
    }
    table.parts.front().first_line += static_cast<std::uint64_t>(std::count(rows.begin(), rows.end(), '\n'));
    return std::exchange(table.rows, {});
  };
  runs_to_sort what = runs_of(job, reader, run, shape, order, cut);
  what.format.header = table.prologue;
  return sort_in_runs(job, reader, run, what, bar, voice);
}

} // namespace

int sort_tables(const sort_job& job, first_input first, file_format format, const talk& voice) {
  refuse_array_options(job.arrays);
  const unsigned threads = files::thread_count(job.arrays.threads);
  const files::csv_options options = job.text.table_options(format == file_format::tsv);
  progress_bar bar(voice);
  bar.phase("read");
  std::optional<files::csv_table> head = head_of_runs(job, *first, options);
  if (!head) {
    files::csv_table table = open_tables(job, files::input(std::move(*first)), options, threads);
    return sort_table_at_once(job, table, bar, voice);
  }
  const files::record_shape shape{.delimiter = '\n', .csv = head->dialect};
  const files::record_order as_text =
      job.text.for_row_stream(head->names, head->dialect, head->name(), job.arrays.descending());
  files::run_reader reader = read_in_runs(job, std::move(first), shape, run_memory(job, as_text, false));
  reader.skip_header(head->prologue.size());
  reader.set_line_end(head->prologue.ends_with("\r\n") ? "\r" : "");
  const std::string_view run = reader.next();
  if (!reader.at_end())
    return sort_table_in_runs(job, reader, run, shape, *head, bar, voice);
  bar.phase("cut");
  files::csv_table table = files::open_csv(reader.take_whole(), options, threads);
  return sort_table_at_once(job, table, bar, voice);
}

} // namespace sortile::cli
