// sortile merge: sorted files of one format into one.
#include "columnar.hpp"
#include "command_line.hpp"
#include "file_format.hpp"
#include "locale_note.hpp"
#include "text_commands.hpp"

#include "files/array_merge.hpp"
#include "files/column_keys.hpp"
#include "files/external/merge_rounds.hpp"
#include "files/failure.hpp"
#include "files/npy.hpp"
#include "files/parallel.hpp"
#include "files/record_merge.hpp"
#include "files/record_sort.hpp"
#include "files/record_write.hpp"

#include <algorithm>
#include <memory>

namespace sortile::cli {

using files::refuse;

namespace {

constexpr const char* merge_examples = R"(Examples:
  sortile merge monday.txt tuesday.txt -o both.txt       lines, in memory that does not grow with the files
  sortile merge -k2,2n a.log b.log c.log
  sortile merge a.csv b.csv --by size:desc,name -o all.csv   tables with the same header
  sortile merge a.csv b.csv --by size:num:desc,name:text     row by row: what every column holds is said
  sortile merge a.npy b.npy -o all.npy                   arrays of one dtype)";

// How many records a merge writes.
std::size_t merged_records(const std::vector<files::fixed_records>& inputs, const files::merge_rules& rules,
                           files::output& to) {
  std::size_t count = 0;
  files::merge_rules counting = rules;
  counting.write = [&count](std::string_view, files::output&) { ++count; };
  files::merge_fixed(inputs, counting, to);
  return count;
}

// Records of one size: held in memory, merged one by one. The header of a .npy file says how many there are, so that
// of distinct ones the merge is made twice.
std::uint64_t merge_fixed_records(const merge_job& job, file_format format,
                                  const std::vector<files::fixed_records>& inputs) {
  std::size_t records = 0;
  for (const files::fixed_records& input : inputs) {
    records += input.records.size();
    if (input.descr != inputs[0].descr)
      files::fail(input.name(), "its records are {}, not {} as those of {}", input.descr, inputs[0].descr,
                  inputs[0].name());
  }
  const files::merge_rules rules{.order = inputs[0].order, .unique = job.text.unique, .trusted = job.trusted};
  files::output to(job.output, job.how_to_write(job.output));
  if (format == file_format::npy)
    to.write(files::make_npy_header(inputs[0].descr, rules.unique ? merged_records(inputs, rules, to) : records));
  const std::uint64_t written = files::merge_fixed(inputs, rules, to);
  to.commit();
  return written;
}

std::uint64_t merge_array_files(const merge_job& job, file_format format, progress_bar& bar) {
  refuse_binary_to_terminal(job.output, job.force);
  std::vector<files::input> sources;
  for (const std::string& path : job.inputs)
    sources.emplace_back(path, files::thread_count(job.arrays.threads), job.arrays.as_it_is);
  if (job.text.named_for_arrays() != "-u")
    refuse_text_options(job.text);
  std::vector<files::fixed_records> records;
  if (is_ordered_as_records(sources[0].bytes(), sources[0].name(), format, job.arrays)) {
    for (files::input& source : sources)
      records.push_back(open_fixed_records(std::move(source), format, job.arrays));
    return merge_fixed_records(job, format, records);
  }
  options opts = job.arrays.for_library();
  std::vector<files::array_file> arrays;
  for (std::size_t i = 0; i < sources.size(); ++i)
    arrays.push_back(open_array(std::move(sources[i]), job.inputs[i], format, job.arrays));
  need_output_name(job.output, format, arrays[0].layout.key, job.format);
  if (job.text.unique) {
    for (files::array_file& array : arrays)
      records.push_back(files::as_records(std::move(array), opts));
    return merge_fixed_records(job, format, records);
  }
  bar.phase("merge");
  opts.progress = bar.callback();
  files::output to(job.output, job.how_to_write(job.output));
  files::merge_arrays(arrays, to, opts, !job.trusted);
  to.commit();
  std::uint64_t keys = 0;
  for (const files::array_file& array : arrays)
    keys += array.count;
  return keys;
}

// Whether all rows have to be seen before the first is written.
bool needs_whole_tables(const merge_job& job, const files::csv_options& options) {
  using form = files::column_key::form;
  const std::vector<files::column_key> keys = files::parse_column_keys(job.text.by);
  const bool detects = std::any_of(keys.begin(), keys.end(), [](const auto& key) { return key.as == form::detect; });
  return detects || !options.header || options.comment || !job.text.bad_rows.empty();
}

void need_sorted_parts(const files::csv_table& table, const files::record_order& order, unsigned threads) {
  for (std::size_t part = 0; part < table.parts.size(); ++part) {
    const std::size_t begin = table.parts[part].first_row;
    const std::size_t end = part + 1 < table.parts.size() ? table.parts[part + 1].first_row : table.rows.size();
    if (const auto at = files::first_disorder(table.rows, order, false, threads, begin, end)) {
      const files::csv_place place = files::place_of(table, *at);
      files::fail(place.file, "line {} is out of order (merge takes sorted inputs: sort this one first)", place.line);
    }
  }
}

// Tables in memory: all inputs say together what a column holds. A sort of rows that are in order, file by file, is
// their merge.
std::uint64_t merge_whole_tables(const merge_job& job, const files::csv_options& options, files::output& to) {
  const unsigned threads = files::thread_count(job.arrays.threads);
  std::vector<files::csv_table> tables;
  for (const std::string& path : job.inputs)
    tables.push_back(files::open_csv(files::input(path, threads, job.arrays.as_it_is), options, threads));
  files::csv_table table = files::join_tables(std::move(tables));
  const files::record_order order = job.text.for_table(table, job.arrays.descending(), threads);
  if (!job.trusted)
    need_sorted_parts(table, order, threads);
  const files::raw_array<std::uint32_t> ids =
      files::sort_records(table.rows, order, job.arrays.for_library(), job.text.unique);
  to.write(table.prologue);
  files::write_records(table.rows, {ids.data(), ids.size()}, to, threads);
  if (job.text.rule_of_bad_rows() == files::bad_rows::last)
    to.write(table.bad_rows);
  to.commit();
  return ids.size();
}

std::uint64_t merge_tables(const merge_job& job, file_format format,
                           std::vector<std::unique_ptr<files::record_reader>>& inputs, files::merge_rules& rules,
                           files::output& to) {
  const files::csv_options options = job.text.table_options(format == file_format::tsv);
  if (needs_whole_tables(job, options))
    return merge_whole_tables(job, options, to);
  files::csv_dialect dialect{options.separator.value_or(','), options.quotes};
  std::string header; // which comes first in the output; those of other inputs may be quoted and ended otherwise
  std::vector<std::string> names;
  for (const std::string& path : job.inputs) {
    inputs.push_back(std::make_unique<files::record_reader>(path, '\n', dialect, &to, job.arrays.as_it_is));
    if (!inputs.back()->next())
      files::fail(inputs.back()->name(), "is empty (a table begins with a header row)");
    if (inputs.size() == 1) {
      header = inputs.back()->record();
      dialect.separator = options.separator ? *options.separator : files::found_separator(header, options);
      names = files::csv_names(header, dialect);
    } else {
      files::need_same_names(files::csv_names(inputs.back()->record(), dialect), inputs.back()->name(), names,
                             inputs.front()->name());
    }
  }
  rules.order = job.text.for_row_stream(names, dialect, job.inputs[0], job.arrays.descending());
  rules.line_end = header.ends_with('\r') ? "\r" : "";
  rules.validate = [columns = names.size(), dialect, order = rules.order](std::string_view row) {
    files::validate_row(row, columns, dialect, order);
  };
  to.write(header + '\n');
  const std::uint64_t written = files::merge_records(inputs, rules, to);
  to.commit();
  return written;
}

std::uint64_t merge_lines(const merge_job& job, std::vector<std::unique_ptr<files::record_reader>>& inputs,
                          files::merge_rules& rules, files::output& to, const talk& voice) {
  rules.order = job.text.for_lines(job.arrays.descending());
  note_order_of_bytes(rules.order, voice);
  std::vector<std::unique_ptr<files::merge_input>> waiting;
  for (const std::string& path : job.inputs)
    waiting.push_back(std::make_unique<files::named_input>(path, rules.delimiter, job.arrays.as_it_is));
  files::temporary_store store = job.memory.store();
  const std::size_t files = files::most_open_inputs();
  const std::size_t memory = job.memory.limit();
  const std::size_t most =
      std::min({std::max<std::size_t>(2, store.program().empty() ? files : files / 2), files::most_inputs_in(memory),
                job.memory.batch() == 0 ? SIZE_MAX : job.memory.batch()});
  const std::size_t buffer = std::min(files::input_buffer_bytes(memory, std::min(most, waiting.size())),
                                      files::record_reader::usual_buffer_bytes);
  files::merge_in_rounds(
      waiting, rules, {.most = most, .files = files, .shape = {.delimiter = rules.delimiter}, .buffer_bytes = buffer},
      most, store);
  if (job.debug)
    rules.write = [keys = job.text.for_debugging(job.arrays.descending())](std::string_view line, files::output& out) {
      std::string text;
      append_debugged(line, keys, text);
      out.write(text);
    };
  for (const std::unique_ptr<files::merge_input>& input : waiting) {
    inputs.push_back(input->open(&to, buffer));
    // Of a pipe, this is the first that is seen.
    need_same_format(inputs.back()->name(), inputs.back()->first_bytes(first_bytes_wanted), file_format::lines,
                     job.format, job.arrays, job.text);
  }
  const std::uint64_t written = files::merge_records(inputs, rules, to);
  to.commit();
  return written;
}

std::uint64_t merge_text(const merge_job& job, file_format format, const talk& voice) {
  refuse_array_options(job.arrays);
  need_output_name(job.output, format, {}, job.format);
  files::merge_rules rules{
      .order = {}, .delimiter = job.text.delimiter(), .unique = job.text.unique, .trusted = job.trusted};
  std::vector<std::unique_ptr<files::record_reader>> inputs;
  if (is_table(format) && job.text.wants_lines())
    refuse("{} goes with lines; tables are merged with --by", job.text.named_for_arrays());
  files::output to(job.output, job.how_to_write(job.output));
  return is_table(format) ? merge_tables(job, format, inputs, rules, to) : merge_lines(job, inputs, rules, to, voice);
}

} // namespace

int run_merge(const merge_job& given, const talk& voice) {
  merge_job job = given;
  job.memory.check();
  job.arrays.need_engine();
  if (job.inputs.empty())
    job.inputs.push_back("-");
  const file_format format =
      format_of(job.inputs[0], first_bytes(job.inputs[0], job.arrays.as_it_is), job.format, job.arrays, job.text);
  for (std::size_t i = 1; i < job.inputs.size(); ++i)
    need_same_format(job.inputs[i], first_bytes(job.inputs[i], job.arrays.as_it_is), format, job.format, job.arrays,
                     job.text);
  progress_bar bar(voice);
  const std::uint64_t n = is_columnar(format) ? merge_columnar(job, format)
                          : is_array(format)  ? merge_array_files(job, format, bar)
                                              : merge_text(job, format, voice);
  bar.phase({});
  voice.say(2, "{} records in {:.3f} s, {}/s", n, bar.seconds(), with_unit(static_cast<double>(n) / bar.seconds()));
  return all_well;
}

void add_merge_command(command_line& line) {
  auto job = std::make_shared<merge_job>();
  CLI::App& command = *add_command(
      line, "merge", "Merges sorted files of one format into one; an input that is not in order is an error.",
      merge_examples, [job, &line] { return run_merge(*job, line.voice); });
  command.add_option("FILE", job->inputs, "sorted inputs; -: standard input");
  command.add_option("-o,--output", job->output, "the output (default: standard output)")->option_text("FILE");
  add_format_option(command, job->format);
  command.add_flag("--force", job->force, "write arrays to a terminal too");
  command.add_flag("--no-sync", job->no_sync, no_sync_text);
  job->arrays.add_to(command);
  job->text.add_to(command);
  job->memory.add_for_merges(command, "Text lines, as sort(1) in the C locale");
}

} // namespace sortile::cli
