// sortile merge: sorted files of one format into one.
#include "command_line.hpp"
#include "file_format.hpp"
#include "text_commands.hpp"

#include "files/array_merge.hpp"
#include "files/column_keys.hpp"
#include "files/failure.hpp"
#include "files/record_merge.hpp"

#include <memory>

namespace sortile::cli {

using files::refuse;

namespace {

constexpr const char* examples = R"(Examples:
  sortile merge monday.txt tuesday.txt -o both.txt       lines, in memory that does not grow with the files
  sortile merge -k2,2n a.log b.log c.log
  sortile merge a.csv b.csv --by size:num:desc -o all.csv   tables with the same header; numeric columns are named :num
  sortile merge a.npy b.npy -o all.npy                   arrays of one dtype)";

int merge_array_files(const merge_job& job, file_format format, const talk& voice) {
  refuse_text_options(job.text);
  refuse_binary_to_terminal(job.output, job.force);
  progress_bar bar(voice);
  std::vector<files::array_file> arrays;
  for (const std::string& path : job.inputs)
    arrays.push_back(open_array(path, format, job.arrays));
  need_output_name(job.output, format, arrays[0].layout.key, job.format);
  bar.phase("merge");
  options opts = job.arrays.for_library();
  opts.progress = bar.callback();
  files::output to(job.output, !job.no_sync);
  files::merge_arrays(arrays, to, opts, !job.trusted);
  to.commit();
  return all_well;
}

// The columns of --by for rows that come one after the other: types cannot be detected, since not every value is known.
files::record_order order_of_columns(const merge_job& job, const std::vector<std::string>& names,
                                     const files::csv_dialect& dialect) {
  if (job.text.by.empty())
    refuse("say by which columns the tables are in order: --by NAME[:desc][:num],…");
  files::record_order order;
  for (const files::column_key& column : files::parse_column_keys(job.text.by)) {
    files::key_part part{.where = files::key_part::place::cell,
                         .reverse = column.descending.value_or(job.arrays.descending())};
    part.as =
        column.as == files::column_key::form::number ? files::key_part::form::number : files::key_part::form::text;
    part.column = files::column_named(names, column.name, job.inputs[0]);
    part.dialect = dialect;
    order.push_back(part);
  }
  return order;
}

int merge_tables(const merge_job& job, file_format format, std::vector<std::unique_ptr<files::record_reader>>& inputs,
                 files::merge_rules& rules, files::output& to) {
  const files::csv_dialect dialect = job.text.dialect(format == file_format::tsv ? '\t' : ',');
  std::string header;
  for (const std::string& path : job.inputs) {
    inputs.push_back(std::make_unique<files::record_reader>(path, '\n', dialect, &to));
    if (!inputs.back()->next())
      files::fail(inputs.back()->name(), "is empty (a table begins with a header row)");
    if (inputs.size() == 1)
      header = inputs.back()->record();
    else if (inputs.back()->record() != header)
      files::fail(inputs.back()->name(), "its header is another than that of {}", inputs.front()->name());
  }
  const std::vector<std::string> names = files::csv_names(header, dialect);
  rules.order = order_of_columns(job, names, dialect);
  rules.line_end = header.ends_with('\r') ? "\r" : "";
  rules.validate = [columns = names.size(), dialect, order = rules.order](std::string_view row) {
    files::validate_row(row, columns, dialect, order);
  };
  to.write(header + '\n');
  files::merge_records(inputs, rules, to);
  to.commit();
  return all_well;
}

int merge_lines(const merge_job& job, std::vector<std::unique_ptr<files::record_reader>>& inputs,
                files::merge_rules& rules, files::output& to) {
  rules.order = job.text.for_lines(job.arrays.descending());
  for (const std::string& path : job.inputs) {
    inputs.push_back(std::make_unique<files::record_reader>(path, job.text.delimiter(), std::nullopt, &to));
    // Of a pipe, this is the first that is seen.
    need_same_format(path, inputs.back()->first_bytes(first_bytes_wanted), file_format::lines, job.format, job.arrays,
                     job.text);
  }
  files::merge_records(inputs, rules, to);
  to.commit();
  return all_well;
}

int merge_text(const merge_job& job, file_format format) {
  refuse_array_options(job.arrays);
  need_output_name(job.output, format, {}, job.format);
  files::merge_rules rules{
      .order = {}, .delimiter = job.text.delimiter(), .unique = job.text.unique, .trusted = job.trusted};
  std::vector<std::unique_ptr<files::record_reader>> inputs;
  if (is_table(format) && job.text.wants_lines())
    refuse("{} goes with lines; tables are merged with --by", job.text.named_for_arrays());
  files::output to(job.output, !job.no_sync);
  return is_table(format) ? merge_tables(job, format, inputs, rules, to) : merge_lines(job, inputs, rules, to);
}

} // namespace

int run_merge(const merge_job& given, const talk& voice) {
  merge_job job = given;
  if (job.inputs.empty())
    job.inputs.push_back("-");
  const file_format format = format_of(job.inputs[0], first_bytes(job.inputs[0]), job.format, job.arrays, job.text);
  for (std::size_t i = 1; i < job.inputs.size(); ++i)
    need_same_format(job.inputs[i], first_bytes(job.inputs[i]), format, job.format, job.arrays, job.text);
  return is_array(format) ? merge_array_files(job, format, voice) : merge_text(job, format);
}

void add_merge_command(command_line& line) {
  auto job = std::make_shared<merge_job>();
  CLI::App& command = *add_command(
      line, "merge", "Merges sorted files of one format into one; an input that is not in order is an error.", examples,
      [job, &line] { return run_merge(*job, line.voice); });
  command.add_option("FILE", job->inputs, "sorted inputs; -: standard input");
  command.add_option("-o,--output", job->output, "the output (default: standard output)")->option_text("FILE");
  add_format_option(command, job->format);
  command.add_flag("--force", job->force, "write arrays to a terminal too");
  command.add_flag("--no-sync", job->no_sync, no_sync_text);
  job->arrays.add_to(command);
  job->text.add_to(command);
}

} // namespace sortile::cli
