// sortile check: is a file in order, and does it hold what another one holds?
#include "check_parts.hpp"
#include "columnar.hpp"
#include "locale_note.hpp"

#include "files/external/external_sort.hpp"
#include "files/failure.hpp"
#include "files/parallel.hpp"

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <utility>

namespace sortile::cli {

using files::refuse;

namespace {

constexpr const char* check_examples = R"(Examples:
  sortile check sorted.txt                              0 where in order, 1 and the first disorder where not
  sortile check sorted.csv --by size:desc,package
  sortile check sorted.npy --permutation-of keys.npy    in order, and the same keys as before the sort
  sortile check -t: -k3,3n /etc/passwd
  sortile check --rows scores.npy                       each row of a matrix in order; --axis 0: each column)";

std::string shown(std::string_view record) {
  constexpr std::size_t most = 200;
  return std::string(record.substr(0, most)) + (record.size() > most ? "…" : "");
}

int report_line(const check_job& job, const std::string& name, std::uint64_t line, std::string_view text,
                const talk& voice) {
  if (!job.is_sort_alone)
    return report(job, voice, fmt::format("{}:{}: disorder: {}", name, line, shown(text)));
  if (!job.quiet) // the whole line, with its end
    voice.verbatim(fmt::format("{}:{}: disorder: {}{}", name, line, text, job.text.delimiter()));
  return disorder;
}

int check_lines(const check_job& job, std::unique_ptr<files::input_stream> stream, const talk& voice) {
  refuse_array_options(job.arrays);
  const files::record_order order = job.text.for_lines(job.arrays.descending());
  note_order_of_bytes(order, voice);
  const files::record_shape shape{.delimiter = job.text.delimiter()};
  pieces lines(job, std::move(stream), shape);
  const files::check_result found = lines.check(order, voice);
  if (tells(job, voice))
    tell(job, lines.name(), found.facts);
  if (found.disorder)
    return report_line(job, job.as_sort ? job.inputs.empty() ? "-" : job.inputs[0] : lines.name(),
                       found.disorder->record + 1, found.disorder->text, voice);
  voice.say(2, "{}: {} records in order", lines.name(), found.records);
  if (job.permutation_of.empty())
    return all_well;
  pieces other(job, open_stream(job, job.permutation_of), shape);
  return check_permutation(job, voice, lines.name(), found.sum, other.sum().sum);
}

int check_table(const check_job& job, files::input source, file_format format, const talk& voice) {
  refuse_array_options(job.arrays);
  const unsigned threads = files::thread_count(job.arrays.threads);
  const files::csv_options options = job.text.table_options(format == file_format::tsv);
  files::csv_table table = files::open_csv(std::move(source), options, threads);
  const files::record_order order = job.text.for_table(table, job.arrays.descending(), threads);
  if (const auto at = find_disorder(job, table.name(), table.rows, order, voice))
    return report_line(job, table.name(), files::place_of(table, *at).line, table.rows[*at], voice);
  voice.say(2, "{}: {} records in order", table.name(), table.rows.size());
  if (job.permutation_of.empty())
    return all_well;
  files::csv_table other =
      files::open_csv(files::input(job.permutation_of, threads, job.arrays.as_it_is), options, threads);
  if (other.header != table.header)
    return report(job, voice, fmt::format("{}: its header is another than that of {}", table.name(), other.name()));
  files::check_csv(other, {}, job.text.rule_of_bad_rows(), threads);
  return check_permutation(job, voice, table.name(), files::sum_of_records(table.rows, threads),
                           files::sum_of_records(other.rows, threads));
}

int check_columnar_permutation(const check_job& job, const std::string& path, const file_format format,
                               const talk& voice) {
  const unsigned threads = files::thread_count(job.arrays.threads);
  const auto sum_of = [&](const std::string& file, file_format of_file) {
    return sum_of_columnar({file, files::input_stream(file, job.arrays.as_it_is, threads), columnar_format_of(of_file)},
                           threads);
  };
  const file_format other_format =
      format_of(job.permutation_of, first_bytes(job.permutation_of, job.arrays.as_it_is), {}, job.arrays, job.text);
  if (!is_columnar(other_format))
    refuse("{}: is no Parquet or Arrow file, as {} is", files::display_name(job.permutation_of), path);
  const columnar_sum checked = sum_of(path, format);
  const columnar_sum other = sum_of(job.permutation_of, other_format);
  const auto alike = [](const files::columnar_column& a, const files::columnar_column& b) {
    return a.name == b.name && a.type == b.type;
  };
  if (!std::equal(checked.columns.begin(), checked.columns.end(), other.columns.begin(), other.columns.end(), alike))
    return report(job, voice, fmt::format("{}: its columns are others than those of {}", checked.name, other.name));
  const auto as_empty = [](const files::columnar_column& a, const files::columnar_column& b) {
    return a.nulls == b.nulls;
  };
  if (checked.rows.records == other.rows.records &&
      !std::equal(checked.columns.begin(), checked.columns.end(), other.columns.begin(), as_empty))
    return report(job, voice,
                  fmt::format("{}: is no permutation of {}: some records are different", checked.name, other.name));
  return check_permutation(job, voice, checked.name, checked.rows, other.rows);
}

int check_columnar(const check_job& job, const std::string& path, files::input_stream&& stream, file_format format,
                   const talk& voice) {
  refuse_array_options(job.arrays);
  if (path == "-" && !job.permutation_of.empty())
    refuse("--permutation-of reads a Parquet or Arrow file twice: standard input cannot be one");
  std::vector<files::columnar_input> inputs;
  inputs.emplace_back(path, std::move(stream), columnar_format_of(format));
  {
    const columnar_rows rows(std::move(inputs), job.text, job.arrays.descending(),
                             {.threads = files::thread_count(job.arrays.threads), .memory = files::usual_memory()});
    const files::record_table& keys = rows.records();
    if (const auto at = find_disorder(job, rows.name(), keys, rows.order(), voice))
      return report(job, voice,
                    fmt::format("{}: row {} is out of order: its key is {} that of the row before", rows.name(),
                                *at + 1, how_it_relates(rows.order(), keys[*at - 1], keys[*at])));
    voice.say(2, "{}: {} rows in order", rows.name(), keys.size());
  }
  return job.permutation_of.empty() ? all_well : check_columnar_permutation(job, path, format, voice);
}

int check_one(const check_job& job, const std::string& path, const talk& voice) {
  std::unique_ptr<files::input_stream> stream = open_stream(job, path);
  const file_format format = format_of(path, stream->peek(first_bytes_wanted), job.format, job.arrays, job.text);
  if (job.along.given() && !is_array(format))
    refuse_axis(job.along);
  if (is_columnar(format))
    return check_columnar(job, path, std::move(*stream), format, voice);
  if (!job.permutation_of.empty())
    need_same_format(job.permutation_of, first_bytes(job.permutation_of, job.arrays.as_it_is), format, job.format,
                     job.arrays, job.text);
  if (job.along.given())
    return check_along(job, std::move(stream), format, voice);
  if (is_array(format))
    return check_array(job, path, std::move(stream), format, voice);
  return is_table(format) ? check_table(job, files::input(std::move(*stream)), format, voice)
                          : check_lines(job, std::move(stream), voice);
}

} // namespace

int run_check(const check_job& job, const talk& voice) {
  job.arrays.need_engine();
  const std::vector<std::string> inputs = job.inputs.empty() ? std::vector<std::string>{"-"} : job.inputs;
  if ((job.as_sort || !job.permutation_of.empty()) && inputs.size() != 1)
    refuse("{} takes one input ({} are named)", job.as_sort ? "a check with -c or -C" : "--permutation-of",
           inputs.size());
  int status = all_well;
  for (const std::string& path : inputs)
    status = std::max(status, check_one(job, path, voice));
  return status;
}

void add_check_command(command_line& line) {
  auto job = std::make_shared<check_job>();
  CLI::App& command =
      *add_command(line, "check",
                   "Checks that files are in order; exit status 1 and the first disorder where one is not. It prints "
                   "how many records there are, a checksum, and how many keys repeat the one before; -q: nothing.",
                   check_examples, [job, &line] {
                     job->quiet = line.voice.level == 0;
                     return run_check(*job, line.voice);
                   });
  command.add_option("FILE", job->inputs, "inputs; none or -: standard input");
  add_format_option(command, job->format);
  command
      .add_option("--permutation-of", job->permutation_of,
                  "check too that both files hold the same records, in whatever order")
      ->option_text("FILE");
  job->arrays.add_to(command);
  job->along.add_to(command);
  job->text.add_to(command);
}

} // namespace sortile::cli
