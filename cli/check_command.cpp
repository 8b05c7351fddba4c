// sortile check: is a file in order, and does it hold what another one holds?
#include "command_line.hpp"
#include "file_format.hpp"
#include "locale_note.hpp"
#include "text_commands.hpp"

#include "files/array_sort.hpp"
#include "files/failure.hpp"
#include "files/multiset.hpp"
#include "files/parallel.hpp"
#include "files/record_sort.hpp"
#include "files/record_summary.hpp"

#include "testing/verify.hpp"

#include <memory>

namespace sortile::cli {

using files::refuse;

namespace {

constexpr const char* examples = R"(Examples:
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

// Records of one size: what a benchmark of sorts asks for, and the first disorder.
int check_fixed_records(const check_job& job, files::input source, file_format format, const talk& voice) {
  const unsigned threads = files::thread_count(job.arrays.threads);
  const files::fixed_records file = open_fixed_records(std::move(source), format, job.arrays);
  const files::record_summary summary = files::summarize(file.records, file.order, threads);
  if (!job.quiet && !job.as_sort && voice.level > 0)
    fmt::print("records: {}\nchecksum: {}\nduplicate keys: {}\n", summary.records,
               files::checksum_text(summary.checksum), summary.duplicates);
  if (summary.first_disorder)
    return report(job, voice,
                  fmt::format("{}: record {} (offset {}) is out of order: its key is smaller than that of the record "
                              "before",
                              file.name(), *summary.first_disorder,
                              file.header.size() + *summary.first_disorder * file.record_bytes));
  if (job.text.unique && summary.duplicates != 0)
    return report(job, voice,
                  fmt::format("{}: {} keys are those of the record before", file.name(), summary.duplicates));
  if (job.permutation_of.empty())
    return all_well;
  const files::fixed_records other =
      open_fixed_records(files::input(job.permutation_of, threads, job.arrays.as_it_is), format, job.arrays);
  return check_permutation(job, voice, file.name(), files::sum_of_records(file.records, threads),
                           files::sum_of_records(other.records, threads));
}

int check_array(const check_job& job, const std::string& path, files::input source, file_format format,
                const talk& voice) {
  if (is_ordered_as_records(source.bytes(), source.name(), format, job.arrays))
    return check_fixed_records(job, std::move(source), format, voice);
  refuse_text_options(job.text);
  const options opts = job.arrays.for_library();
  const unsigned threads = files::thread_count(opts.threads);
  const files::array_file array = open_array(std::move(source), path, format, job.arrays);
  const files::key_array keys(array, threads);
  if (const auto at = first_disorder(array.layout.key, keys.data(), array.count, opts)) {
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
    return report(job, voice,
                  fmt::format("{}: its records have another type than those of {}", array.name(), other.name()));
  return check_permutation(job, voice, array.name(),
                           files::sum_of_records(array.data, array.layout.record_bytes, threads),
                           files::sum_of_records(other.data, other.layout.record_bytes, threads));
}

int check_records(const check_job& job, const std::string& name, const files::record_table& records,
                  const files::record_order& order, const std::function<std::uint64_t(std::size_t)>& line_of,
                  const talk& voice) {
  const auto at = files::first_disorder(records, order, job.text.unique, files::thread_count(job.arrays.threads));
  if (at)
    return report(job, voice, fmt::format("{}:{}: disorder: {}", name, line_of(*at), shown(records[*at])));
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

int check_one(const check_job& job, const std::string& path, const talk& voice) {
  files::input source(path, files::thread_count(job.arrays.threads), job.arrays.as_it_is);
  const file_format format = format_of(path, source.bytes(), job.format, job.arrays, job.text);
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
  CLI::App& command = *add_command(
      line, "check", "Checks that files are in order; exit status 1 and the first disorder where one is not.", examples,
      [job, &line] {
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
