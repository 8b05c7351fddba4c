// sortile sort: its options, what of them goes together, and which kind of sort they lead to.
#include "command_line.hpp"
#include "sort_job.hpp"
#include "text_commands.hpp"

#include "files/failure.hpp"
#include "files/input.hpp"
#include "files/message_text.hpp"
#include "files/parallel.hpp"
#include "files/refused_by_sort.hpp"

#include <cerrno>
#include <memory>
#include <optional>
#include <system_error>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace sortile::cli {

using files::refuse;

namespace {

constexpr const char* sort_examples = R"(Examples:
  sortile sort words.txt -o sorted.txt               lines by bytes, as LC_ALL=C sort
  sortile sort -t: -k3,3n /etc/passwd               lines by a number in the third field
  sortile sort packages.csv --by size:desc,package   rows of a table; the header stays first
  sortile sort keys.npy -o sorted.npy                an array; -r: largest first
  sortile sort pairs.npy --key time -o sorted.npy    records of a structured dtype, by a field
  sortile sort keys.u32 --values ids.u64 --values-type u64 -o k.u32 --values-output v.u64
  sortile sort keys.npy --top 10 -r -o best.npy     the ten largest keys, without sorting the others
  sortile sort sales.csv --by amount:desc --top 10  the first rows in that order, behind the header
  sortile sort -u --count keys.npy -o counts.npy     distinct keys, and how often each occurs; of lines as uniq -c
  sortile sort keys.npy --quantiles 0.5,0.99        the median, and the key that one in a hundred exceeds
  sortile sort t.parquet --by size:desc,name -o t.arrow   Parquet and Arrow, where python3 has PyArrow
  gzip -dc log.gz | sortile sort -k2,2 - | less      from a pipe into a pipe
  sortile sort --rows scores.npy -o sorted.npy       each row of a matrix; --axis 0: each column
  sortile sort records.dat --record 100 --key 0:10 -o sorted.dat   records of 100 bytes by their first 10
  sortile sort --explain keys.npy                    how it would be done, and why)";

// Options that check and merge have no use for, and would ignore in silence.
void refuse_sort_only(const sort_job& job) {
  const char* name = job.explain                      ? "--explain"
                     : job.merge && job.along.given() ? job.along.name()
                     : job.types                      ? "--types"
                     : job.count                      ? "--count"
                     : !job.values.empty()            ? "--values"
                     : !job.values_output.empty()     ? "--values-output"
                     : !job.values_type.empty()       ? "--values-type"
                     : !job.top.empty()               ? "--top"
                     : !job.quantiles.empty()         ? "--quantiles"
                                                      : nullptr;
  if (name != nullptr)
    refuse("{} does not go with {}", name, job.merge ? "-m" : "-c");
}

// Sorts one format; the first bytes of its first input may tell which.
int sort_inputs(const sort_job& job, const talk& voice) {
  auto first = std::make_unique<files::input_stream>(job.inputs[0], job.arrays.as_it_is,
                                                     files::thread_count(job.arrays.threads));
  const file_format format =
      format_of(job.inputs[0], first->peek(first_bytes_wanted), job.format, job.arrays, job.text);
  for (std::size_t i = 1; i < job.inputs.size(); ++i)
    need_same_format(job.inputs[i], first_bytes(job.inputs[i], job.arrays.as_it_is), format, job.format, job.arrays,
                     job.text);
  if (!is_array(format))
    need_place_of_counts(job, true);
  if (!is_array(format) && !(job.values + job.values_output + job.values_type).empty())
    refuse("--values and --values-output go with arrays (.npy and raw)");
  if (!is_array(format) && !job.quantiles.empty())
    refuse("--quantiles goes with arrays (.npy and raw)");
  if (!is_array(format) && job.along.given())
    refuse_axis(job.along);
  if (job.debug && job.count)
    refuse("--count does not go with --debug");
  if (job.debug && format != file_format::lines)
    refuse("--debug goes with lines (sort --explain tells of any format)");
  if (job.types && !is_table(format) && !is_columnar(format))
    refuse("--types goes with tables (sortile info FILE tells what any file holds)");
  if (is_array(format))
    return sort_arrays(job, std::move(first), format, voice);
  need_output_name(job.output, format, {}, job.format);
  if (is_columnar(format))
    return sort_columnar(job, std::move(first), format, voice);
  return is_table(format) ? sort_tables(job, std::move(first), format, voice)
                          : sort_lines(job, std::move(first), voice);
}

[[noreturn]] void fail_as_sort(const char* what, const std::string& name, int code) {
  throw io_failure(fmt::format("{}: {}: {}", what, files::shell_quoted(name), std::generic_category().message(code)));
}

// What open() would say of a name; 0 where nothing.
int trouble_to_open(const std::string& name, int access) {
  struct stat status {};
  if (name.empty())
    return ENOENT;
  if (::stat(name.c_str(), &status) == 0)
    return access == W_OK && S_ISDIR(status.st_mode) ? EISDIR : ::access(name.c_str(), access) != 0 ? errno : 0;
  if (access == R_OK || errno != ENOENT)
    return errno;
  const std::size_t slash = name.rfind('/');
  const std::string folder = slash == std::string::npos ? "." : name.substr(0, slash + 1);
  return ::access(folder.c_str(), W_OK | X_OK) != 0 ? errno : 0;
}

bool is_folder(const std::string& name) {
  struct stat status {};
  return ::stat(name.c_str(), &status) == 0 && S_ISDIR(status.st_mode);
}

// What is wrong with standard input, to GNU sort: it is closed, or a directory. (A closed one has been opened for
// writing.)
void need_standard_input(bool is_read_at_once) {
  struct stat status {};
  const int flags = ::fcntl(STDIN_FILENO, F_GETFL);
  if (flags < 0 || (flags & O_ACCMODE) == O_WRONLY)
    fail_as_sort(is_read_at_once ? "read failed" : "stat failed", "-", EBADF);
  if (::fstat(STDIN_FILENO, &status) == 0 && S_ISDIR(status.st_mode))
    fail_as_sort("read failed", "-", EISDIR);
}

// Called as `sort`, the command names files that cannot be opened in GNU sort's words, and as early as that does. They
// are opened later, and said otherwise, where that fails after all.
void need_files(const sort_job& job) {
  const bool only_checks = job.check || job.check_quietly;
  for (const std::string& name : job.inputs)
    if (const int code = name == "-" ? 0 : trouble_to_open(name, R_OK); code != 0)
      fail_as_sort(only_checks ? "open failed" : "cannot read", name, code);
  if (const int code = job.output_named ? trouble_to_open(job.output, W_OK) : 0; code != 0)
    fail_as_sort("open failed", job.output, code);
  for (const std::string& name : job.inputs)
    if (name == "-")
      need_standard_input(only_checks || job.merge);
    else if (is_folder(name))
      fail_as_sort("read failed", name, EISDIR);
}

std::string always_quoted(const std::string& name) {
  return files::shell_quoted(name, files::quoted_names::always);
}

void need_list(const std::string& name, bool is_sort_alone) {
  if (name.empty())
    throw files::refused_by_sort("open failed: '': No such file or directory", "allowed: a file's name, or -");
  if (!is_sort_alone || name == "-")
    return;
  if (const int code = trouble_to_open(name, R_OK); code != 0)
    fail_as_sort("open failed", name, code);
  if (is_folder(name))
    throw io_failure(fmt::format("cannot read file names from {}", always_quoted(name)));
}

// File names that end in NUL, from a file.
std::vector<std::string> names_in(const std::string& path) {
  std::vector<std::string> names;
  const files::input list(path);
  std::string_view rest = list.bytes();
  while (!rest.empty()) {
    const std::string_view name = rest.substr(0, rest.find('\0'));
    rest.remove_prefix(std::min(rest.size(), name.size() + 1));
    if (name.empty())
      throw files::refused_by_sort(
          fmt::format("{}:{}: invalid zero-length file name", files::shell_quoted(path), names.size() + 1),
          "each name ends with a NUL byte");
    if (name == "-") // GNU sort says so of any list
      refuse("when reading file names from stdin, no file name of '-' allowed");
    names.emplace_back(name);
  }
  if (names.empty())
    refuse("no input from {}", always_quoted(path));
  return names;
}

void take_names(sort_job& job) {
  if (!job.inputs.empty())
    throw files::refused_by_sort(fmt::format("extra operand {}", always_quoted(job.inputs[0])),
                                 "file operands cannot be combined with --files0-from",
                                 "\nfile operands cannot be combined with --files0-from"
                                 "\nTry 'sort --help' for more information.");
  need_list(*job.names_from, job.is_sort_alone);
  job.inputs = names_in(*job.names_from);
}

// What sort(1) demands beyond single options. Of several mistakes GNU sort names the first in the order of these steps.
void need_sense(sort_job& job, const talk& voice) {
  if (job.names_from)
    take_names(job);
  if (job.inputs.empty())
    job.inputs.push_back("-");
  job.text.line_keys(job.arrays.descending());
  job.memory.check();
  job.arrays.need_engine();
  const bool only_checks = job.check || job.check_quietly;
  const char letter = job.check ? 'c' : 'C';
  if (job.debug && (only_checks || job.output_named))
    refuse("options '-{} --debug' are incompatible", only_checks ? letter : 'o');
  if (job.debug)
    for (const std::string& warning : debug_warnings(job.text.for_debugging(job.arrays.descending())))
      voice.error(warning);
  if (job.text.is_random()) {
    const std::optional<std::string>& source = job.text.random_source;
    if (const int code = job.is_sort_alone && source ? trouble_to_open(*source, R_OK) : 0; code != 0)
      fail_as_sort("open failed", *source, code);
    job.text.draw_seed();
  }
  if (!only_checks)
    return;
  if (job.inputs.size() > 1)
    refuse("extra operand {} not allowed with -{}", always_quoted(job.inputs[1]), letter);
  if (job.output_named)
    refuse("options '-{}o' are incompatible", letter);
}

int run_sort(sort_job& job, const talk& voice) {
  need_sense(job, voice);
  if (job.is_sort_alone) {
    need_files(job);
    if (job.output_named && job.output == "-")
      job.output = "./-"; // to GNU sort, the name of a file
  }
  if (job.check || job.check_quietly || job.merge)
    refuse_sort_only(job);
  if (job.check || job.check_quietly)
    return run_check({.inputs = job.inputs,
                      .format = job.format,
                      .permutation_of = {},
                      .arrays = job.arrays,
                      .along = job.along,
                      .text = job.text,
                      .quiet = job.check_quietly,
                      .as_sort = true,
                      .is_sort_alone = job.is_sort_alone},
                     voice);
  if (job.merge)
    return run_merge(
        {job.inputs, job.output, job.format, job.arrays, job.text, job.force, job.no_sync, true, job.memory, job.debug},
        voice);
  return sort_inputs(job, voice);
}

} // namespace

CLI::App* add_sort_command(command_line& line) {
  auto job = std::make_shared<sort_job>();
  CLI::App& command =
      *add_command(line, "sort", "Sorts text lines, tables (CSV, TSV, Parquet, Arrow), or arrays (.npy, raw).",
                   sort_examples, [job, &line] {
                     job->is_sort_alone = line.is_sort_alone();
                     job->output_named = line.app.get_subcommand("sort")->count("--output") > 0;
                     return run_sort(*job, line.voice);
                   });
  command.set_help_flag(""); // -h is a kind of number here
  command.add_option("FILE", job->inputs, "inputs; none or -: standard input");
  command
      .add_option("-o,--output", job->output, "the output; written beside it, then renamed (default: standard output)")
      ->option_text("FILE");
  add_format_option(command, job->format);
  command.add_flag("--explain", job->explain, "print the engine, the reason and the steps; sort nothing");
  command.add_flag("--types", job->types, "print the columns of a table and what they hold; sort nothing");
  command.add_flag("-c,--check", job->check, "check only: 1 and the first disorder where the input is not in order");
  command.add_flag("-C,--check-quietly", job->check_quietly, "check only: say nothing, the exit status tells");
  command.add_flag("-m,--merge", job->merge, "merge inputs that are sorted already");
  command.add_flag("--count", job->count,
                   "with -u, how often each occurs: in front of a line, as the last column of a table, as the last "
                   "field of .npy records; in the file of --values-output where that is named");
  command.add_flag("--force", job->force, "write arrays to a terminal too");
  command.add_flag("--no-sync", job->no_sync, no_sync_text);
  job->arrays.add_to(command);
  command.add_option("--values", job->values, "values that travel with the keys, in a file of their own")
      ->option_text("FILE")
      ->group("Arrays");
  command.add_option("--values-type", job->values_type, "type of raw values, or their bytes")
      ->option_text("TYPE")
      ->group("Arrays");
  command.add_option("--values-output", job->values_output, "where the values go, or the counts of --count")
      ->option_text("FILE")
      ->group("Arrays");
  job->along.add_to(command);
  command
      .add_option("--top", job->top,
                  "write the first K records alone, in order; with -u the first K distinct ones; a header stays")
      ->option_text("K");
  command
      .add_option(
          "--quantiles", job->quantiles,
          "print quantiles of the keys, a line each, instead of sorting; with --rows and --axis those of each line")
      ->option_text("P,...")
      ->group("Arrays");
  job->text.add_to(command, true);
  constexpr const char* group = "Text lines, as sort(1) in the C locale";
  const auto option = [&](const char* names, auto& value, const char* text, const char* what) {
    return command.add_option(names, value, what)->option_text(text)->group(group);
  };
  command.add_flag("--debug", job->debug, "show which part of each line is its key, and warn of what may surprise")
      ->group(group);
  option("--files0-from", job->names_from, "FILE",
         "the inputs' names, each ended by NUL, from a file; -: standard input");
  job->memory.add_to(command, group);
  return &command;
}

} // namespace sortile::cli
