// sortile sort on tables: CSV and TSV; see sort_job.hpp. A table that fits is read whole, and all of its cells say what
// the columns hold; of one that does not, those say it that do fit.
#include "command_line.hpp"
#include "sort_records.hpp"

#include "files/csv_check.hpp"
#include "files/failure.hpp"
#include "files/memory.hpp"
#include "files/message_text.hpp"
#include "files/parallel.hpp"
#include "files/record_counts.hpp"

#include <algorithm>
#include <optional>
#include <utility>

namespace sortile::cli {

using files::refuse;

namespace {

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
    fmt::print("{}\t{}\n", files::escaped(table.names[i]), files::name_of(facts[i].type()));
  return all_well;
}

void say_bad_rows(const std::string& name, std::size_t count, files::bad_rows rule, const talk& voice) {
  if (count != 0)
    voice.say(2, "{}: {} bad row{}, {}", name, count, count == 1 ? "" : "s",
              rule == files::bad_rows::drop ? "left out" : "put last");
}

int sort_table_at_once(const sort_job& job, files::csv_table& table, progress_bar& bar, const talk& voice) {
  const unsigned threads = files::thread_count(job.arrays.threads);
  const files::bad_rows rule = job.text.rule_of_bad_rows();
  if (job.types)
    return show_types(table, rule, threads);
  const files::record_order order = job.text.for_table(table, job.arrays.descending(), threads);
  say_bad_rows(table.name(), table.removed.size(), rule, voice);
  records_to_sort what{table.rows, order};
  what.header = job.count ? files::prologue_with_count(table) : table.prologue;
  what.last = rule == files::bad_rows::last ? std::string_view(table.bad_rows) : "";
  what.count = {files::count_place::last_cell, table.dialect.separator};
  return sort_records_to(job, what, bar, voice);
}

// The head of a table that may be sorted in runs.
std::optional<files::csv_table> head_of_runs(const sort_job& job, files::input_stream& first,
                                             const files::csv_options& options) {
  const bool at_once = job.types || job.text.by.empty() || job.text.wants_lines();
  return at_once ? std::nullopt : files::open_csv_head(first.peek(files::csv_head_bytes), first.name(), options);
}

bool ends_in_crlf(const files::csv_table& head) {
  return head.source.bytes().ends_with("\r\n");
}

void skip(files::input_stream& stream, std::size_t bytes) {
  std::string taken(bytes, '\0');
  for (std::size_t came = 0, got = 1; came < bytes && got != 0; came += got)
    got = stream.read(taken.data(), bytes - came);
}

// Cuts the rows of a table that comes in pieces, of one input or several, and looks at them.
class piecewise_table {
 public:
  /// \param head  of the first input
  piecewise_table(const sort_job& job, files::csv_table head, files::run_reader& reader,
                  const files::csv_options& options, files::temporary_store& store)
      : job_(job), threads_(files::thread_count(job.arrays.threads)), rule_(job.text.rule_of_bad_rows()),
        table_(std::move(head)), reader_(reader), lines_{{table_.name(), table_.parts.front().first_line}},
        bad_rows_(store) {
    reader.set_line_end(ends_in_crlf(table_) ? "\r" : "");
    reader.set_begin_of_further([this, options](files::input_stream& stream, std::size_t) {
      const files::csv_table further =
          files::open_further_csv_head(stream.peek(files::csv_head_bytes), stream.name(), options, table_);
      skip(stream, further.prologue.size());
      reader_.set_line_end(ends_in_crlf(further) ? "\r" : "");
      lines_.push_back({further.name(), further.parts.front().first_line});
    });
  }

  /// The order of all rows, by the first piece. That is cut already when cut() is called with it.
  files::record_order order_by(std::string_view first_piece) {
    split(first_piece);
    files::record_order order = job_.text.for_first_rows(table_, job_.arrays.descending(), threads_, checks_);
    is_first_ = true;
    return order;
  }

  files::record_table cut(std::string_view piece) {
    if (!std::exchange(is_first_, false)) {
      split(piece);
      files::check_later_rows(table_, checks_, rule_, threads_);
    }
    removed_ += table_.removed.size();
    table_.removed.clear();
    if (rule_ == files::bad_rows::last)
      bad_rows_.append(table_.bad_rows);
    table_.bad_rows.clear();
    return std::exchange(table_.rows, {});
  }

  /// Everything, where the first piece is all there is.
  files::csv_table take_whole() && {
    table_.source = reader_.take_whole();
    split(table_.source.bytes().substr(table_.prologue.size()));
    return std::move(table_);
  }

  const files::csv_table& table() const { return table_; }
  std::size_t removed() const { return removed_; }
  void write_bad_rows(files::output& to) && { std::move(bad_rows_).write_to(to); }

 private:
  struct place {
    std::string name;
    std::uint64_t line; // on which its next row begins
  };

  // Into rows, input by input.
  void split(std::string_view piece) {
    const std::vector<files::input_begin> inputs = reader_.inputs();
    std::vector<files::record_table> parts;
    table_.parts.clear();
    std::size_t rows = 0;
    for (std::size_t i = 0; i < inputs.size(); ++i) {
      const std::size_t end = i + 1 < inputs.size() ? inputs[i + 1].at : piece.size();
      const std::string_view text = piece.substr(inputs[i].at, end - inputs[i].at);
      place& where = lines_[inputs[i].input];
      table_.parts.push_back({where.name, rows, where.line});
      parts.push_back(files::split_rows(text, where.name, table_.dialect, where.line, threads_));
      where.line += static_cast<std::uint64_t>(std::count(text.begin(), text.end(), '\n'));
      rows += parts.back().size();
    }
    table_.rows = parts.size() == 1 ? std::move(parts.front()) : joined(piece, inputs, parts, rows);
  }

  static files::record_table joined(std::string_view piece, const std::vector<files::input_begin>& inputs,
                                    const std::vector<files::record_table>& parts, std::size_t rows) {
    files::record_table all{
        .text = piece, .delimiter = '\n', .starts = files::record_starts(rows + 1, piece.size() + 1)};
    std::size_t row = 0;
    all.starts.set(0, 0);
    for (std::size_t i = 0; i < parts.size(); ++i)
      for (std::size_t r = 0; r < parts[i].size(); ++r)
        all.starts.set(++row, inputs[i].at + parts[i].starts[r + 1]);
    return all;
  }

  const sort_job& job_;
  unsigned threads_;
  files::bad_rows rule_;
  files::csv_table table_;
  files::run_reader& reader_;
  std::vector<place> lines_; // one an input that was opened
  files::later_checks checks_;
  files::temporary_text bad_rows_;
  std::size_t removed_ = 0;
  bool is_first_ = false;
};

int sort_table_in_runs(const sort_job& job, piecewise_table& table, files::run_reader& reader, std::string_view run,
                       const files::record_shape& shape, progress_bar& bar, const talk& voice) {
  const files::record_order order = table.order_by(run);
  runs_to_sort what = runs_of(job, reader, run, shape, order, [&](std::string_view piece) { return table.cut(piece); });
  what.format.header = job.count ? files::prologue_with_count(table.table()) : table.table().prologue;
  what.count = {files::count_place::last_cell, table.table().dialect.separator};
  what.write_last = [&](files::output& to) { std::move(table).write_bad_rows(to); };
  const int status = sort_in_runs(job, reader, run, what, bar, voice);
  say_bad_rows(reader.name(), table.removed(), job.text.rule_of_bad_rows(), voice);
  return status;
}

} // namespace

int sort_tables(const sort_job& job, first_input first, file_format format, const talk& voice) {
  refuse_array_options(job.arrays);
  const unsigned threads = files::thread_count(job.arrays.threads);
  const files::csv_options options = job.text.table_options(format == file_format::tsv);
  const files::bad_rows rule = job.text.rule_of_bad_rows();
  if (!job.top.empty() && rule == files::bad_rows::last)
    refuse("--top does not go with --bad-rows=last: rows behind the last are not wanted");
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
  // Rows without the bad ones are a second text.
  const std::size_t memory = job.memory.limit() / (rule == files::bad_rows::refuse ? 1 : 2);
  files::run_reader reader = read_in_runs(job, std::move(first), shape, memory_of_run(job, as_text), memory);
  reader.skip_header(head->prologue.size());
  files::temporary_store store = job.memory.store();
  piecewise_table table(job, std::move(*head), reader, options, store);
  const std::string_view run = reader.next();
  if (!reader.at_end())
    return sort_table_in_runs(job, table, reader, run, shape, bar, voice);
  bar.phase("cut");
  files::csv_table whole = std::move(table).take_whole();
  return sort_table_at_once(job, whole, bar, voice);
}

} // namespace sortile::cli
