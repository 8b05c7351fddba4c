// sortile gen: keys of a named workload, streamed to an array file or to lines.
#include "array_options.hpp"
#include "command_line.hpp"
#include "file_format.hpp"
#include "gen_records.hpp"
#include "key_lines.hpp"

#include "files/failure.hpp"
#include "files/npy.hpp"
#include "files/record_blocks.hpp"

#include "testing/workloads.hpp"

#include <cstring>
#include <memory>

namespace sortile::cli {

using files::refuse;

namespace {

std::string gen_examples() {
  return "Examples:\n"
         "  sortile gen uniform -n 100M --type u32 -o keys.npy\n"
         "  sortile gen zipf:1.2 -n 1e6 --type u64 --pairs u32 -o pairs.npy    fields key and value; value: the "
         "position\n"
         "  sortile gen uniform -n 2^20 --type f64 --seed 7 -o keys.f64        a raw array\n"
         "  sortile gen few:16 -n 1000 --type i32 --format lines               decimal lines\n"
         "  sortile gen sortbenchmark -n 1M -o records.dat                     records of 100 bytes, as gensort "
         "makes them\n"
         "\nWorkloads:\n" +
         testing::workload_list();
}

struct gen_job {
  std::string workload;
  std::string count;
  std::string type; ///< empty: what the output's name says, else u32
  std::string pairs;
  std::string output = "-";
  std::string format;
  std::uint64_t seed = 1;
  unsigned threads = 0;
  bool force = false;
  bool no_sync = false;
};

// What one record of the output is made of.
struct record_shape {
  testing::array_shape keys;
  std::size_t key_bytes = 0;
  std::size_t value_bytes = 0; ///< 0: keys alone

  std::size_t bytes() const { return key_bytes + value_bytes; }
};

key_type value_type(const std::string& text, std::uint64_t n) {
  const key_type type = key_type_named(text);
  if (type != key_type::u32 && type != key_type::u64)
    refuse("--pairs {}: the values are positions (allowed: u32, u64)", text);
  if (type == key_type::u32 && n > std::uint64_t{1} << 32)
    refuse("--pairs u32: {} positions need u64", n);
  return type;
}

// Records [begin, end): keys as the workload has them, values their positions.
void fill_records(const testing::workload& keys_of, const record_shape& shape, std::uint64_t begin, std::uint64_t end,
                  char* to) {
  thread_local files::block_buffer scratch;
  char* keys = shape.value_bytes == 0 ? to : scratch.room((end - begin) * shape.key_bytes);
  keys_of.fill(shape.keys, begin, end, keys);
  if (shape.value_bytes == 0)
    return;
  for (std::uint64_t i = begin; i < end; ++i, keys += shape.key_bytes, to += shape.bytes()) {
    std::memcpy(to, keys, shape.key_bytes);
    std::memcpy(to + shape.key_bytes, &i, shape.value_bytes); // little-endian: the lower bytes come first
  }
}

void gen_array(const testing::workload& keys_of, const record_shape& shape, file_format format,
               const std::string& pairs, files::output& to, unsigned threads, progress_bar& bar) {
  if (format == file_format::npy) {
    const std::string key = files::npy_descr(shape.keys.type);
    const std::string descr =
        pairs.empty() ? key : fmt::format("[('key', {}), ('value', {})]", key, files::npy_descr(key_type_named(pairs)));
    to.write(files::make_npy_header(descr, shape.keys.n));
  } else if (!pairs.empty()) {
    refuse("--pairs goes with .npy (a raw array has no fields)");
  }
  files::write_fixed_records(
      to, threads, shape.keys.n, shape.bytes(),
      [&](std::size_t begin, std::size_t end, char* records) { fill_records(keys_of, shape, begin, end, records); },
      bar.sink());
}

void gen_lines(const testing::workload& keys_of, const record_shape& shape, files::output& to, unsigned threads,
               progress_bar& bar) {
  constexpr std::size_t per_block = std::size_t{1} << 14;
  files::write_blocks(
      to, threads, (shape.keys.n + per_block - 1) / per_block,
      [&](std::size_t block, files::block_buffer&) {
        thread_local std::string text;
        thread_local files::block_buffer keys;
        const std::uint64_t begin = block * per_block;
        const std::uint64_t end = std::min<std::uint64_t>(shape.keys.n, begin + per_block);
        char* made = keys.room((end - begin) * shape.key_bytes);
        keys_of.fill(shape.keys, begin, end, made);
        text.clear();
        append_lines(shape.keys.type, made, end - begin, text);
        return std::string_view(text);
      },
      bar.sink());
}

int gen_benchmark(const gen_job& job, const talk& voice) {
  if (!job.type.empty() || !job.pairs.empty() || job.seed != 1)
    refuse("sortbenchmark has records of its own: no --type, --pairs or --seed goes with it");
  const bool as_text =
      job.format == "lines" || (job.format.empty() && format_by_name(job.output) == file_format::lines);
  if (job.format == "npy" || (job.format.empty() && format_by_name(job.output) == file_format::npy))
    refuse("sortbenchmark makes records (allowed: --format raw for binary ones, lines for printable ones)");
  if (!as_text)
    refuse_binary_to_terminal(job.output, job.force);
  const std::uint64_t n = parse_count(job.count, "-n");
  progress_bar bar(voice);
  bar.phase("gen");
  files::output to(job.output,
                   {.synced = !job.no_sync, .pack = files::packing_to_write(job.output), .temporary_folder = {}});
  gen_benchmark_records(n, as_text, to, files::thread_count(job.threads), bar);
  to.commit();
  bar.phase({});
  voice.say(2, "{} records in {:.3f} s", n, bar.seconds());
  return all_well;
}

int run_gen(const gen_job& job, const talk& voice) {
  if (job.workload == "sortbenchmark")
    return gen_benchmark(job, voice);
  const testing::workload keys_of = testing::workload_named(job.workload);
  const std::uint64_t n = parse_count(job.count, "-n");
  const key_type type = job.type.empty() ? type_by_name(job.output).value_or(key_type::u32) : key_type_named(job.type);
  record_shape shape{.keys = {type, n, job.seed}, .key_bytes = key_bytes(type)};
  if (!keys_of.suits(type))
    refuse("the workload {} needs a float type (allowed: f16, bf16, f32, f64), not {}", keys_of.spec(), name(type));
  if (!job.pairs.empty())
    shape.value_bytes = key_bytes(value_type(job.pairs, n));
  const file_format format = job.format.empty() ? format_by_name(job.output).value_or(file_format::raw)
                                                : format_of(job.output, {}, job.format, {}, {});
  if (is_table(format))
    refuse("tables are not generated (allowed: --format npy, raw, lines)");
  if (is_array(format))
    refuse_binary_to_terminal(job.output, job.force);
  if (!is_array(format) && !job.pairs.empty())
    refuse("--pairs goes with .npy (lines hold keys only)");
  need_output_name(job.output, format, type, job.format);
  progress_bar bar(voice);
  bar.phase("gen");
  files::output to(job.output,
                   {.synced = !job.no_sync, .pack = files::packing_to_write(job.output), .temporary_folder = {}});
  if (is_array(format))
    gen_array(keys_of, shape, format, job.pairs, to, files::thread_count(job.threads), bar);
  else
    gen_lines(keys_of, shape, to, files::thread_count(job.threads), bar);
  to.commit();
  bar.phase({});
  voice.say(2, "{} {} keys of {} in {:.3f} s", n, name(type), keys_of.spec(), bar.seconds());
  return all_well;
}

} // namespace

void add_gen_command(command_line& line) {
  auto job = std::make_shared<gen_job>();
  CLI::App& command =
      *add_command(line, "gen", "Generates keys of a named workload; the same seed gives the same keys.",
                   gen_examples(), [job, &line] { return run_gen(*job, line.voice); });
  command.add_option("WORKLOAD", job->workload, "its name, with parameters after colons: uniform, zipf:1.2, …")
      ->option_text(" ")
      ->required();
  command.add_option("-n,--count", job->count, "how many keys: 1000, 64k, 100M, 1e8, 2^28")
      ->option_text("N")
      ->required();
  command.add_option("--type", job->type, "key type (default: what the output's name says, else u32)")
      ->option_text("TYPE");
  command.add_option("--seed", job->seed, "seed (default: 1)")->option_text("S")->check(whole_number());
  command.add_option("--pairs", job->pairs, "records of a key and its position, as u32 or u64 (.npy only)")
      ->option_text("TYPE");
  command.add_option("-o,--output", job->output, "the output (default: standard output)")->option_text("FILE");
  command.add_option("--format", job->format, "npy, raw or lines (default: by the output's name, else raw)")
      ->option_text("FORMAT")
      ->check(CLI::IsMember({"npy", "raw", "lines"}));
  command.add_option("--threads", job->threads, "CPU threads at most (default: all)")
      ->option_text("N")
      ->check(CLI::Range(1u, 65536u));
  command.add_flag("-f,--force", job->force, "write arrays to a terminal too");
  command.add_flag("--no-sync", job->no_sync, no_sync_text);
}

} // namespace sortile::cli
