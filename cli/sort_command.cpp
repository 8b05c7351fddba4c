// sortile sort: arrays, lines and tables, from files or a pipe into a file or a pipe.
#include "array_options.hpp"
#include "command_line.hpp"
#include "file_format.hpp"
#include "text_commands.hpp"
#include "text_options.hpp"

#include "files/array_axis.hpp"
#include "files/array_select.hpp"
#include "files/array_sort.hpp"
#include "files/failure.hpp"
#include "files/parallel.hpp"
#include "files/record_sort.hpp"
#include "files/record_write.hpp"

#include <cstdlib>
#include <memory>
#include <optional>
#include <span>

namespace sortile::cli {

using files::refuse;

namespace {

constexpr const char* examples = R"(Examples:
  sortile sort words.txt -o sorted.txt               lines by bytes, as LC_ALL=C sort
  sortile sort -t: -k3,3n /etc/passwd               lines by a number in the third field
  sortile sort packages.csv --by size:desc,package   rows of a table; the header stays first
  sortile sort keys.npy -o sorted.npy                an array; -r: largest first
  sortile sort pairs.npy --key time -o sorted.npy    records of a structured dtype, by a field
  sortile sort keys.u32 --values ids.u64 --values-type u64 -o k.u32 --values-output v.u64
  sortile sort keys.npy --top 10 -r -o best.npy     the ten largest keys, without sorting the others
  sortile sort keys.npy --quantiles 0.5,0.99        the median, and the key that one in a hundred exceeds
  gzip -dc log.gz | sortile sort -k2,2 - | less      from a pipe into a pipe
  sortile sort --rows scores.npy -o sorted.npy       each row of a matrix; --axis 0: each column
  sortile sort records.dat --record 100 --key 0:10 -o sorted.dat   records of 100 bytes by their first 10
  sortile sort --explain keys.npy                    how it would be done, and why)";

struct sort_job {
  std::vector<std::string> inputs;
  std::string output = "-";
  bool output_named = false;
  std::string format;
  std::string values;
  std::string values_output;
  std::string values_type;
  array_options arrays;
  text_options text;
  bool rows = false;        ///< --rows
  std::optional<long> axis; ///< --axis
  std::string top;          ///< --top K
  std::string quantiles;    ///< --quantiles P,…
  bool force = false;
  bool no_sync = false;
  bool explain = false;
  bool types = false;
  bool debug = false;
  bool check = false;
  bool check_quietly = false;
  bool merge = false;
  std::string names_from;  ///< --files0-from
  std::string buffer_size; ///< checked, and of no meaning: memory is what the inputs need
  std::string batch_size;
  std::string compress_program;
  std::vector<std::string> temporary_folders;

  files::output_options how_to_write(const std::string& path) const {
    return {.synced = !no_sync,
            .pack = arrays.packing_of_output(path),
            .temporary_folder = temporary_folders.empty() ? std::string() : temporary_folders.front()};
  }
};

// Bytes of one value: of a key type, or a plain number.
std::optional<std::size_t> value_bytes(const std::string& type) {
  if (type.empty())
    return std::nullopt;
  if (type.find_first_not_of("0123456789") != std::string::npos)
    return key_bytes(key_type_named(type));
  const std::uint64_t bytes = parse_count(type, "--values-type");
  if (bytes == 0 || bytes > 1u << 20)
    refuse("--values-type {}: a value has 1 to 1048576 bytes", type);
  return static_cast<std::size_t>(bytes);
}

void say_done(const talk& voice, std::size_t n, std::string_view what, const progress_bar& bar, const plan& how) {
  voice.say(2, "{} {} in {:.3f} s, {}/s; engine {}: {}", n, what, bar.seconds(),
            with_unit(static_cast<double>(n) / bar.seconds()), how.engine, how.reason);
}

int explained(const plan& how) {
  fmt::print("{}", to_string(how));
  return all_well;
}

// The values that go with the keys; nothing where no file of them is named. Who only asks for a plan names no output.
std::optional<files::values_file> open_values(const sort_job& job) {
  if (job.values.empty() != job.values_output.empty() && (job.values.empty() || !job.explain))
    refuse("--values and --values-output go together");
  if (job.values.empty())
    return std::nullopt;
  return files::open_values(job.values, value_bytes(job.values_type), files::thread_count(job.arrays.threads),
                            job.arrays.as_it_is);
}

void write_array(const sort_job& job, const files::array_file& array, const std::optional<files::values_file>& values,
                 const options& opts) {
  files::output to(job.output, job.how_to_write(job.output));
  if (!values) {
    files::sort_array(array, to, opts);
    return to.commit();
  }
  files::output values_to(job.values_output, job.how_to_write(job.values_output));
  if (files::same_place(to, values_to))
    refuse("-o {} and --values-output {} lead to the same file, in which one result would be lost", job.output,
           job.values_output);
  files::sort_array_with_values(array, *values, to, values_to, opts);
  files::commit_both(to, values_to);
}

// An array of several axes, along one of them.
int sort_along(const sort_job& job, files::input source, file_format format, const talk& voice) {
  if (format != file_format::npy)
    refuse("{} goes with .npy files, which say the shape of their array", job.rows ? "--rows" : "--axis");
  if (job.rows && job.axis)
    refuse("--rows and --axis contradict each other; --rows is --axis -1");
  if (!(job.values + job.values_output + job.values_type).empty())
    refuse("--values does not go with --rows and --axis");
  const long axis = job.axis.value_or(-1);
  progress_bar bar(voice);
  options opts = job.arrays.for_library();
  const files::array_file array = files::open_npy(
      std::move(source), job.arrays.keys.empty() ? std::string() : job.arrays.keys.front(), files::npy_axes::any);
  const plan how = files::explain_array_along(array, axis, opts);
  if (job.explain)
    return explained(how);
  refuse_binary_to_terminal(job.output, job.force);
  need_output_name(job.output, format, array.layout.key, job.format);
  opts.progress = bar.callback();
  bar.phase("sort");
  files::output to(job.output, job.how_to_write(job.output));
  files::sort_array_along(array, axis, to, opts);
  to.commit();
  bar.phase({});
  say_done(voice, array.count, fmt::format("{} keys", name(array.layout.key)), bar, how);
  return all_well;
}

// "0.5,0.9" as numbers.
std::vector<double> probabilities_of(const std::string& text) {
  std::vector<double> list;
  for (std::string_view rest = text;;) {
    const std::string one(rest.substr(0, rest.find(',')));
    char* end = nullptr;
    const double p = std::strtod(one.c_str(), &end);
    if (one.empty() || *end != '\0' || !(p >= 0 && p <= 1))
      refuse("--quantiles {}: '{}' is no number from 0 to 1", text, one);
    list.push_back(p);
    if (one.size() == rest.size())
      return list;
    rest.remove_prefix(one.size() + 1);
  }
}

// A line for each: the probability, a tab, the quantile.
int print_quantiles(const sort_job& job, const files::array_file& array, const options& opts) {
  if (!job.top.empty() || !job.values.empty() || job.explain || job.output_named)
    refuse("--quantiles prints numbers: it does not go with --top, --values, --explain and -o");
  const std::vector<double> at = probabilities_of(job.quantiles);
  const std::vector<double> found = files::array_quantiles(array, at, opts);
  for (std::size_t i = 0; i < at.size(); ++i)
    fmt::print("{}\t{}\n", at[i], found[i]);
  return all_well;
}

// The first records alone.
int write_top(const sort_job& job, const files::array_file& array, file_format format, const talk& voice) {
  if (!job.values.empty())
    refuse("--top does not go with --values; records of a structured dtype bring their values");
  const auto k = static_cast<std::size_t>(parse_count(job.top, "--top"));
  options opts = job.arrays.for_library();
  const plan how = files::explain_array_top(array, k, opts);
  if (job.explain)
    return explained(how);
  refuse_binary_to_terminal(job.output, job.force);
  need_output_name(job.output, format, array.layout.key, job.format);
  progress_bar bar(voice);
  opts.progress = bar.callback();
  bar.phase("select");
  files::output to(job.output, job.how_to_write(job.output));
  files::write_array_top(array, k, to, opts);
  to.commit();
  bar.phase({});
  say_done(voice, array.count, fmt::format("{} keys", name(array.layout.key)), bar, how);
  return all_well;
}

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

// Records of one size, of which the library has no such keys, or several.
int sort_fixed_records(const sort_job& job, files::input source, file_format format, const talk& voice) {
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
          ? std::move(source)
          : files::append(std::move(source), std::span(job.inputs).subspan(1), {}, threads, job.arrays.as_it_is);
  if (format == file_format::npy && job.inputs.size() != 1)
    refuse("arrays are sorted one file at a time ({} are named); sortile merge joins sorted ones", job.inputs.size());
  const files::fixed_records file = open_fixed_records(std::move(all), format, job.arrays);
  return sort_records_to(job, file.records, file.header, file.order, {}, bar, voice);
}

int sort_one_array(const sort_job& job, files::input source, file_format format, const talk& voice) {
  const bool along = job.rows || job.axis;
  if (!along && is_ordered_as_records(source, format, job.arrays))
    return sort_fixed_records(job, std::move(source), format, voice);
  refuse_text_options(job.text);
  if (job.inputs.size() != 1)
    refuse("arrays are sorted one file at a time ({} are named); sortile merge joins sorted ones", job.inputs.size());
  if (along && !(job.top + job.quantiles).empty())
    refuse("--top and --quantiles go with arrays of one axis, not with --rows and --axis");
  if (along)
    return sort_along(job, std::move(source), format, voice);
  progress_bar bar(voice);
  options opts = job.arrays.for_library();
  const files::array_file array = open_array(std::move(source), job.inputs[0], format, job.arrays);
  if (!job.quantiles.empty())
    return print_quantiles(job, array, opts);
  if (!job.top.empty())
    return write_top(job, array, format, voice);
  const std::optional<files::values_file> values = open_values(job);
  const plan how = values ? files::explain_array_sort(array, *values, opts) : files::explain_array_sort(array, opts);
  if (job.explain)
    return explained(how);
  refuse_binary_to_terminal(job.output, job.force);
  if (values)
    refuse_binary_to_terminal(job.values_output, job.force);
  need_output_name(job.output, format, array.layout.key, job.format);
  opts.progress = bar.callback();
  bar.phase("sort");
  write_array(job, array, values, opts);
  bar.phase({});
  say_done(voice, array.count, fmt::format("{} keys", name(array.layout.key)), bar, how);
  return all_well;
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

int sort_table(const sort_job& job, files::input source, file_format format, const talk& voice) {
  refuse_array_options(job.arrays);
  const unsigned threads = files::thread_count(job.arrays.threads);
  progress_bar bar(voice);
  bar.phase("cut");
  files::csv_table table =
      open_tables(job, std::move(source), job.text.table_options(format == file_format::tsv), threads);
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

// Options that check and merge have no use for, and would ignore in silence.
void refuse_sort_only(const sort_job& job) {
  const char* name = job.explain                  ? "--explain"
                     : job.rows                   ? "--rows"
                     : job.axis                   ? "--axis"
                     : job.types                  ? "--types"
                     : !job.values.empty()        ? "--values"
                     : !job.values_output.empty() ? "--values-output"
                     : !job.values_type.empty()   ? "--values-type"
                     : !job.top.empty()           ? "--top"
                     : !job.quantiles.empty()     ? "--quantiles"
                                                  : nullptr;
  if (name != nullptr)
    refuse("{} does not go with {}", name, job.merge ? "-m" : "-c");
}

// Sorts one format; its first input is read before the format is decided, since its first bytes may tell.
int sort_inputs(const sort_job& job, const talk& voice) {
  files::input first(job.inputs[0], files::thread_count(job.arrays.threads), job.arrays.as_it_is);
  const file_format format = format_of(job.inputs[0], first.bytes(), job.format, job.arrays, job.text);
  for (std::size_t i = 1; i < job.inputs.size(); ++i)
    need_same_format(job.inputs[i], first_bytes(job.inputs[i], job.arrays.as_it_is), format, job.format, job.arrays,
                     job.text);
  if (!is_array(format) && !(job.values + job.values_output + job.values_type).empty())
    refuse("--values goes with arrays (.npy and raw)");
  if (!is_array(format) && !(job.top + job.quantiles).empty())
    refuse("--top and --quantiles go with arrays (.npy and raw); of lines, sort | head -n K writes the first");
  if (!is_array(format) && (job.rows || job.axis))
    refuse("{} goes with .npy files, which say the shape of their array", job.rows ? "--rows" : "--axis");
  if (is_array(format))
    return sort_one_array(job, std::move(first), format, voice);
  need_output_name(job.output, format, {}, job.format);
  if (job.debug && format != file_format::lines)
    refuse("--debug goes with lines (sort --explain tells of any format)");
  if (job.types && !is_table(format))
    refuse("--types goes with tables (sortile info FILE tells what any file holds)");
  return is_table(format) ? sort_table(job, std::move(first), format, voice) : sort_lines(job, std::move(first), voice);
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
      files::fail(list.name(), "file name {}: invalid zero-length file name", names.size() + 1);
    if (path == "-" && name == "-")
      refuse("when reading file names from stdin, no file name of '-' allowed");
    names.emplace_back(name);
  }
  if (names.empty())
    refuse("no input from '{}'", path);
  return names;
}

// SIZE[bkKMGTPEZY%], as sort(1) takes it.
void need_buffer_size(const std::string& text) {
  const std::size_t digits = std::min(text.find_first_not_of("0123456789"), text.size());
  const std::string_view unit = std::string_view(text).substr(digits);
  if (digits == 0 || unit.size() > 1 ||
      (unit.size() == 1 && std::string_view("bkKmMgGtTPEZY%").find(unit) == std::string_view::npos))
    refuse("invalid -S argument '{}' (allowed: a number, and one of the letters b, K, M, G, T, P, E, Z, Y, %)", text);
}

// What sort(1) demands of its options beyond their order.
void need_sense(sort_job& job) {
  if (!job.names_from.empty()) {
    if (!job.inputs.empty())
      refuse("extra operand '{}': file operands cannot be combined with --files0-from", job.inputs[0]);
    job.inputs = names_in(job.names_from);
  }
  if (job.inputs.empty())
    job.inputs.push_back("-");
  if (!job.buffer_size.empty())
    need_buffer_size(job.buffer_size);
  if (!job.batch_size.empty() && parse_count(job.batch_size, "invalid --batch-size argument") < 2)
    refuse("invalid --batch-size argument '{}': minimum --batch-size argument is '2'", job.batch_size);
  const char letter = job.check ? 'c' : 'C';
  if (job.debug && (job.check || job.check_quietly || job.output_named))
    refuse("options '-{} --debug' are incompatible", job.check || job.check_quietly ? letter : 'o');
  if (!job.check && !job.check_quietly)
    return;
  if (job.inputs.size() > 1)
    refuse("extra operand '{}' not allowed with -{}", job.inputs[1], letter);
  if (job.output != "-" || job.output_named)
    refuse("options '-{}o' are incompatible", letter);
}

int run_sort(sort_job& job, const talk& voice) {
  need_sense(job);
  if (job.debug)
    for (const std::string& warning : debug_warnings(job.text.for_debugging(job.arrays.descending())))
      voice.error(warning);
  if (job.check || job.check_quietly || job.merge)
    refuse_sort_only(job);
  if (job.check || job.check_quietly)
    return run_check({job.inputs, job.format, {}, job.arrays, job.text, job.check_quietly, true}, voice);
  if (job.merge)
    return run_merge({job.inputs, job.output, job.format, job.arrays, job.text, job.force, job.no_sync, true,
                      job.temporary_folders.empty() ? std::string() : job.temporary_folders.front(), job.debug,
                      job.batch_size.empty() ? 0 : parse_count(job.batch_size, "invalid --batch-size argument")},
                     voice);
  return sort_inputs(job, voice);
}

} // namespace

CLI::App* add_sort_command(command_line& line) {
  auto job = std::make_shared<sort_job>();
  CLI::App& command =
      *add_command(line, "sort", "Sorts text lines, tables (CSV, TSV), or arrays (.npy, raw).", examples, [job, &line] {
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
  command.add_flag("--force", job->force, "write arrays to a terminal too");
  command.add_flag("--no-sync", job->no_sync, no_sync_text);
  job->arrays.add_to(command);
  command.add_option("--values", job->values, "values that travel with the keys, in a file of their own")
      ->option_text("FILE")
      ->group("Arrays");
  command.add_option("--values-type", job->values_type, "type of raw values, or their bytes")
      ->option_text("TYPE")
      ->group("Arrays");
  command.add_option("--values-output", job->values_output, "where the values go")
      ->option_text("FILE")
      ->group("Arrays");
  command.add_flag("--rows", job->rows, "sort within each row of a .npy array of several axes: along the last axis")
      ->group("Arrays");
  command.add_option("--axis", job->axis, "sort along this axis: 0 is the first, -1 the last")
      ->option_text("N")
      ->group("Arrays");
  command.add_option("--top", job->top, "write the first K alone, in order: the smallest, with -r the largest")
      ->option_text("K")
      ->group("Arrays");
  command.add_option("--quantiles", job->quantiles, "print quantiles of the keys, a line each, instead of sorting")
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
  constexpr const char* nothing = "accepted, and without effect: sorts take place in memory";
  option("-S,--buffer-size", job->buffer_size, "SIZE", nothing);
  option("-T,--temporary-directory", job->temporary_folders, "DIR",
         "where temporary files go that do not lie beside the output: of merges in rounds, and of outputs whose folder "
         "takes no new file (default: TMPDIR, or /tmp)")
      ->expected(1)
      ->take_all()
      ->allow_extra_args(false);
  option("--batch-size", job->batch_size, "N", "merge at most N inputs at once, in several rounds (-m)");
  option("--compress-program", job->compress_program, "PROGRAM", nothing);
  return &command;
}

} // namespace sortile::cli
