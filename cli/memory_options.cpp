// See memory_options.hpp.
#include "memory_options.hpp"

#include "files/external/external_sort.hpp"
#include "files/failure.hpp"
#include "files/refused_by_sort.hpp"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <string_view>

#include <sys/resource.h>
#include <unistd.h>

namespace sortile::cli {

namespace {

std::uint64_t physical_memory() {
  return static_cast<std::uint64_t>(std::max(0L, ::sysconf(_SC_PHYS_PAGES))) *
         static_cast<std::uint64_t>(std::max(0L, ::sysconf(_SC_PAGESIZE)));
}

// What strtoumax() reads.
struct number_read {
  std::uint64_t value = 0;
  bool too_large = false;
  bool any = false; // digits
  std::string_view rest;
};

number_read read_number(std::string_view text) {
  const std::size_t blanks = std::min(text.find_first_not_of(" \t\n\v\f\r"), text.size());
  const std::string_view digits = text.substr(text.substr(blanks).starts_with('+') ? blanks + 1 : blanks);
  number_read read;
  const auto [rest, error] = std::from_chars(digits.data(), digits.data() + digits.size(), read.value);
  read.too_large = error == std::errc::result_out_of_range;
  read.any = rest != digits.data();
  read.rest = digits.substr(static_cast<std::size_t>(rest - digits.data()));
  if (!read.any)
    read.rest = text;
  return read;
}

[[noreturn]] void refuse_number(std::string_view what, std::string_view option, std::string_view text,
                                std::string_view allowed) {
  throw files::refused_by_sort(fmt::format("{} {} argument {}", what, option, files::quoted_by_sort(text)), allowed);
}

[[noreturn]] void refuse_large(std::string_view option, std::string_view text, std::string_view allowed,
                               std::string_view further = {}) {
  throw files::refused_by_sort(fmt::format("{} argument {} too large", option, files::quoted_by_sort(text)), allowed,
                               further);
}

// SIZE[bkKMGTPEZY%], as sort(1) takes it: kibibytes where no letter says otherwise; a letter alone is one of them.
std::uint64_t parse_size(const std::string& text, const char* option = "-S") {
  constexpr std::string_view powers = "KMGTPEZY";
  constexpr const char* allowed = "allowed: a number, and one of the letters b, K, M, G, T, P, E, Z, Y, %";
  number_read read = read_number(text);
  const std::string_view unit = read.rest;
  const bool is_small = !unit.empty() && std::string_view("kmgt").find(unit[0]) != std::string_view::npos;
  const char letter = unit.empty() ? 'K' : is_small ? static_cast<char>(unit[0] - 'a' + 'A') : unit[0];
  const std::size_t power = powers.find(letter);
  if (!read.any && (unit.empty() || power == std::string_view::npos))
    refuse_number("invalid", option, text, allowed);
  if (unit.size() > 1 || (power == std::string_view::npos && letter != 'b' && letter != '%'))
    refuse_number("invalid suffix in", option, text, allowed);
  std::uint64_t number = read.any ? read.value : 1;
  if (letter == '%' && !read.too_large) {
    const double bytes = static_cast<double>(physical_memory()) / 100 * static_cast<double>(number);
    if (bytes < 0x1p64)
      return static_cast<std::uint64_t>(bytes);
    read.too_large = true;
  }
  for (std::size_t i = 0; letter != 'b' && letter != '%' && i <= power; ++i)
    read.too_large |= __builtin_mul_overflow(number, std::uint64_t{1024}, &number);
  if (read.too_large)
    refuse_large(option, text, "allowed: less than 2^64 bytes");
  return number;
}

// The most files that the process may hold open, less the three that it has: what GNU sort takes of --batch-size.
std::uint64_t most_files() {
  struct rlimit limit {};
  return ::getrlimit(RLIMIT_NOFILE, &limit) == 0 && limit.rlim_max > 5 ? limit.rlim_max - 3 : 2;
}

} // namespace

void memory_options::add_to(CLI::App& command, const char* group) {
  command
      .add_option("-S,--buffer-size", buffer_size,
                  "memory for the sort, in KiB, or with b, K, M, G, T, % of the machine's: what is larger is sorted in "
                  "runs, which are merged from temporary files (default: what is available)")
      ->option_text("SIZE")
      ->group(group);
  add_for_merges(command, group);
}

void memory_options::add_for_merges(CLI::App& command, const char* group) {
  const auto option = [&](const char* names, auto& value, const char* text, const char* what) {
    return command.add_option(names, value, what)->option_text(text)->group(group);
  };
  option("-T,--temporary-directory", temporary_folders, "DIR",
         "where temporary files go that do not lie beside the output: sorted runs, merges in rounds, and outputs whose "
         "folder takes no new file; may be repeated (default: TMPDIR, or /tmp)")
      ->expected(1)
      ->take_all()
      ->allow_extra_args(false);
  option("--batch-size", batch_size, "N", "merge at most N inputs or runs at once, in several rounds");
  option("--compress-program", compress_program, "PROGRAM",
         "temporary files go through PROGRAM, and are read through PROGRAM -d");
}

void memory_options::check() const {
  if (!buffer_size.empty())
    parse_size(buffer_size);
  if (!batch_size.empty())
    parse_batch_size(batch_size);
}

std::size_t memory_options::limit() const {
  if (buffer_size.empty())
    return files::usual_memory();
  return static_cast<std::size_t>(std::max<std::uint64_t>(parse_size(buffer_size), files::smallest_memory));
}

std::size_t memory_options::batch() const {
  return batch_size.empty() ? 0 : static_cast<std::size_t>(parse_batch_size(batch_size));
}

std::uint64_t number_of_option(std::string_view text, std::string_view option, bool any) {
  constexpr const char* allowed = "allowed: a whole number";
  const number_read read = read_number(text);
  if (!read.any)
    refuse_number("invalid", option, text, allowed);
  if (!read.rest.empty())
    refuse_number("invalid suffix in", option, text, allowed);
  if (read.too_large && !any)
    refuse_large(option, text, allowed);
  return read.too_large ? UINT64_MAX : read.value;
}

void check_buffer_size(const std::string& text, const char* option) {
  parse_size(text, option);
}

std::string larger_buffer_size(const std::string& a, const std::string& b) {
  return parse_size(a) < parse_size(b) ? b : a;
}

std::uint64_t parse_batch_size(const std::string& text) {
  constexpr const char* option = "--batch-size";
  const std::uint64_t most = most_files();
  const std::uint64_t batch = number_of_option(text, option, true);
  if (batch > most)
    refuse_large(option, text, fmt::format("at most {} files may be open", most),
                 fmt::format("\nsort: maximum --batch-size argument with current rlimit is {}", most));
  if (batch < 2)
    throw files::refused_by_sort(fmt::format("invalid {} argument {}", option, files::quoted_by_sort(text)),
                                 "minimum --batch-size argument is '2'",
                                 "\nsort: minimum --batch-size argument is '2'");
  return batch;
}

} // namespace sortile::cli
