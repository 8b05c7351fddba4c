// sortile check: is a file in order, and does it hold what another one holds?
#include "columnar.hpp"
#include "command_line.hpp"
#include "file_format.hpp"
#include "locale_note.hpp"
#include "text_commands.hpp"

#include "files/array_sort.hpp"
#include "files/external/external_sort.hpp"
#include "files/failure.hpp"
#include "files/fixed_records.hpp"
#include "files/multiset.hpp"
#include "files/parallel.hpp"
#include "files/record_sort.hpp"
#include "files/record_summary.hpp"

#include "testing/verify.hpp"

#include <algorithm>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>

namespace sortile::cli {

using files::refuse;

namespace {

constexpr const char* check_examples = R"(Examples:
  sortile check sorted.txt                              0 where in order, 1 and the first disorder where not
  sortile check sorted.csv --by size:desc,package
  sortile check sorted.npy --permutation-of keys.npy    in order, and the same keys as before the sort
  sortile check -t: -k3,3n /etc/passwd)";

std::string shown(std::string_view record) {
  constexpr std::size_t most = 200;
  return std::string(record.substr(0, most)) + (record.size() > most ? "…" : "");
}

// Says what is wrong, unless the exit status is to say it alone.
int report(const check_job& job, const talk& voice, const std::string& what) {
  if (!job.quiet)
    voice.error(what);
  return disorder;
}

int report_other_type(const check_job& job, const talk& voice, const std::string& name, const std::string& other) {
  return report(job, voice, fmt::format("{}: its records have another type than those of {}", name, other));
}

int check_permutation(const check_job& job, const talk& voice, const std::string& name,
                      const files::multiset_sum& of_checked, const files::multiset_sum& of_other) {
  const std::string other = files::display_name(job.permutation_of);
  if (of_checked.records != of_other.records)
    return report(job, voice,
                  fmt::format("{}: holds {} records, {} holds {}", name, of_checked.records, other, of_other.records));
  if (of_checked != of_other)
    return report(job, voice, fmt::format("{}: is no permutation of {}: some records are different", name, other));
  voice.say(2, "{}: holds the records of {}", name, other);
  return all_well;
}

// Whether the facts are printed that a benchmark of sorts asks for: not where the exit status says it all.
bool tells(const check_job& job, const talk& voice) {
  return !job.quiet && !job.as_sort && voice.level > 0;
}

files::record_summary told_summary(const check_job& job, const std::string& name, const files::record_table& records,
                                   const files::record_order& order) {
  const files::record_summary summary = files::summarize(records, order, files::thread_count(job.arrays.threads));
  if (job.inputs.size() > 1)
    fmt::print("file: {}\n", name);
  fmt::print("records: {}\nchecksum: {}\nduplicate keys: {}\n", summary.records, files::checksum_text(summary.checksum),
             summary.duplicates);
  return summary;
}

// The first record that is smaller than the one before it, or with -u not larger.
std::optional<std::size_t> find_disorder(const check_job& job, const std::string& name,
                                         const files::record_table& records, const files::record_order& order,
                                         const talk& voice) {
  if (!tells(job, voice))
    return files::first_disorder(records, order, job.text.unique, files::thread_count(job.arrays.threads));
  const files::record_summary summary = told_summary(job, name, records, order);
  if (!job.text.unique || !summary.first_duplicate)
    return summary.first_disorder;
  return std::min(*summary.first_duplicate, summary.first_disorder.value_or(SIZE_MAX));
}

// The key of a record that is out of order, beside that of the one before.
const char* how_it_relates(const files::record_order& order, const files::record_table& records, std::size_t at) {
  return files::compare(order, records[at - 1], records[at]) == 0 ? "equal to" : "smaller than";
}

// Opens the input of a path as records of one size.
using records_opener = std::function<files::fixed_records(files::input, const std::string&)>;

int check_fixed_records(const check_job& job, const files::fixed_records& file, const records_opener& open,
                        const talk& voice) {
  const unsigned threads = files::thread_count(job.arrays.threads);
  if (const auto at = find_disorder(job, file.name(), file.records, file.order, voice))
    return report(job, voice,
                  fmt::format("{}: record {} (offset {}) is out of order: its key is {} that of the record before",
                              file.name(), *at, file.header.size() + *at * file.record_bytes,
                              how_it_relates(file.order, file.records, *at)));
  if (job.permutation_of.empty())
    return all_well;
  const files::fixed_records other =
      open(files::input(job.permutation_of, threads, job.arrays.as_it_is), job.permutation_of);
  if (other.descr != file.descr || other.record_bytes != file.record_bytes)
    return report_other_type(job, voice, file.name(), other.name());
  return check_permutation(job, voice, file.name(), files::sum_of_records(file.records, threads),
                           files::sum_of_records(other.records, threads));
}

int check_array(const check_job& job, const std::string& path, files::input source, file_format format,
                const talk& voice) {
  const options opts = job.arrays.for_library();
  const bool as_records = is_ordered_as_records(source.bytes(), source.name(), format, job.arrays);
  if (const std::string option = job.text.named_for_arrays(); option != "-u")
    refuse_text_options(job.text);
  if (as_records || job.text.unique) {
    const records_opener open = [&](files::input from, const std::string& from_path) {
      return as_records ? open_fixed_records(std::move(from), format, job.arrays)
                        : files::as_records(open_array(std::move(from), from_path, format, job.arrays), opts);
    };
    return check_fixed_records(job, open(std::move(source), path), open, voice);
  }
  const unsigned threads = files::thread_count(opts.threads);
  const files::array_file array = open_array(std::move(source), path, format, job.arrays);
  const files::key_array keys(array, threads);
  const std::optional<std::size_t> at =
      tells(job, voice)
          ? told_summary(job, array.name(), files::split_evenly(array.data, array.layout.record_bytes, threads),
                         files::order_of_keys(array.layout, opts))
                .first_disorder
          : first_disorder(array.layout.key, keys.data(), array.count, opts);
  if (at) {
    const auto text = [&](std::size_t i) {
      return testing::key_text(array.layout.key, static_cast<const char*>(keys.data()) + i * array.layout.key_size());
    };
    return report(
        job, voice,
        fmt::format("{}: key {} is out of order: {} follows {}", array.name(), *at, text(*at), text(*at - 1)));
  }
  voice.say(2, "{}: {} {} keys in order", array.name(), array.count, name(array.layout.key));
  if (job.permutation_of.empty())
    return all_well;
  const files::array_file other = open_array(job.permutation_of, format, job.arrays);
  if (other.layout != array.layout)
    return report_other_type(job, voice, array.name(), other.name());
  return check_permutation(job, voice, array.name(),
                           files::sum_of_records(array.data, array.layout.record_bytes, threads),
                           files::sum_of_records(other.data, other.layout.record_bytes, threads));
}

int check_records(const check_job& job, const std::string& name, const files::record_table& records,
                  const files::record_order& order, const std::function<std::uint64_t(std::size_t)>& line_of,
                  const talk& voice) {
  if (const auto at = find_disorder(job, name, records, order, voice)) {
    if (job.is_sort_alone && !job.quiet) // the whole line, with its end
      voice.verbatim(fmt::format("{}:{}: disorder: {}{}", name, line_of(*at), records[*at], job.text.delimiter()));
    return job.is_sort_alone
               ? disorder
               : report(job, voice, fmt::format("{}:{}: disorder: {}", name, line_of(*at), shown(records[*at])));
  }
  voice.say(2, "{}: {} records in order", name, records.size());
  return all_well;
}

int check_lines(const check_job& job, const files::input& source, const talk& voice) {
  refuse_array_options(job.arrays);
  const unsigned threads = files::thread_count(job.arrays.threads);
  const files::record_order order = job.text.for_lines(job.arrays.descending());
  note_order_of_bytes(order, voice);
  const files::record_table records = files::split_lines(source.bytes(), job.text.delimiter(), threads);
  const int status = check_records(
      job, job.as_sort ? job.inputs.empty() ? "-" : job.inputs[0] : source.name(), records, order,
      [](std::size_t i) { return i + 1; }, voice);
  if (status != all_well || job.permutation_of.empty())
    return status;
  const files::input other(job.permutation_of, threads, job.arrays.as_it_is);
  return check_permutation(
      job, voice, source.name(), files::sum_of_records(records, threads),
      files::sum_of_records(files::split_lines(other.bytes(), job.text.delimiter(), threads), threads));
}

int check_table(const check_job& job, files::input source, file_format format, const talk& voice) {
  refuse_array_options(job.arrays);
  const unsigned threads = files::thread_count(job.arrays.threads);
  const files::csv_options options = job.text.table_options(format == file_format::tsv);
  files::csv_table table = files::open_csv(std::move(source), options, threads);
  const files::record_order order = job.text.for_table(table, job.arrays.descending(), threads);
  const int status = check_records(
      job, table.name(), table.rows, order, [&](std::size_t i) { return files::place_of(table, i).line; }, voice);
  if (status != all_well || job.permutation_of.empty())
    return status;
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
                                *at + 1, how_it_relates(rows.order(), keys, *at)));
    voice.say(2, "{}: {} rows in order", rows.name(), keys.size());
  }
  return job.permutation_of.empty() ? all_well : check_columnar_permutation(job, path, format, voice);
}

int check_one(const check_job& job, const std::string& path, const talk& voice) {
  const unsigned threads = files::thread_count(job.arrays.threads);
  files::input_stream stream(path, job.arrays.as_it_is, threads);
  const file_format format = format_of(path, stream.peek(first_bytes_wanted), job.format, job.arrays, job.text);
  if (is_columnar(format))
    return check_columnar(job, path, std::move(stream), format, voice);
  files::input source(std::move(stream));
  if (!job.permutation_of.empty())
    need_same_format(job.permutation_of, first_bytes(job.permutation_of, job.arrays.as_it_is), format, job.format,
                     job.arrays, job.text);
  if (is_array(format))
    return check_array(job, path, std::move(source), format, voice);
  return is_table(format) ? check_table(job, std::move(source), format, voice) : check_lines(job, source, voice);
}

} // namespace

int run_check(const check_job& job, const talk& voice) {
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
  job->text.add_to(command);
}

} // namespace sortile::cli
