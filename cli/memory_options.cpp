// See memory_options.hpp.
#include "memory_options.hpp"

#include "array_options.hpp"

#include "files/external/external_sort.hpp"
#include "files/failure.hpp"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <string_view>

#include <unistd.h>

namespace sortile::cli {

using files::refuse;

namespace {

std::uint64_t physical_memory() {
  return static_cast<std::uint64_t>(std::max(0L, ::sysconf(_SC_PHYS_PAGES))) *
         static_cast<std::uint64_t>(std::max(0L, ::sysconf(_SC_PAGESIZE)));
}

// SIZE[bkKMGTPEZY%], as sort(1) takes it: kibibytes where no letter says otherwise; what is too much for any machine is
// all that one could have.
std::uint64_t parse_size(const std::string& text) {
  constexpr std::string_view powers = "KMGTPEZY";
  std::uint64_t number = 0;
  const char* const end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, number);
  const std::string_view unit(rest, static_cast<std::size_t>(end - rest));
  const bool is_small = unit.size() == 1 && std::string_view("kmgt").find(unit[0]) != std::string_view::npos;
  const char letter = unit.empty() ? 'K' : is_small ? static_cast<char>(unit[0] - 'a' + 'A') : unit[0];
  const std::size_t power = powers.find(letter);
  if (rest == text.data() || unit.size() > 1 || (power == std::string_view::npos && letter != 'b' && letter != '%'))
    refuse("invalid -S argument '{}' (allowed: a number, and one of the letters b, K, M, G, T, P, E, Z, Y, %)", text);
  if (error == std::errc::result_out_of_range)
    return UINT64_MAX;
  if (letter == '%')
    return static_cast<std::uint64_t>(static_cast<double>(physical_memory()) / 100 *
                                      static_cast<double>(std::min<std::uint64_t>(number, 100000)));
  for (std::size_t i = 0; letter != 'b' && i <= power; ++i)
    if (__builtin_mul_overflow(number, std::uint64_t{1024}, &number))
      return UINT64_MAX;
  return number;
}

} // namespace

void memory_options::add_to(CLI::App& command, const char* group) {
  const auto option = [&](const char* names, auto& value, const char* text, const char* what) {
    return command.add_option(names, value, what)->option_text(text)->group(group);
  };
  option("-S,--buffer-size", buffer_size, "SIZE",
         "memory for the sort, in KiB, or with b, K, M, G, T, % of the machine's: what is larger is sorted in runs, "
         "which are merged from temporary files (default: what is available)");
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
  if (!batch_size.empty() && batch() < 2)
    refuse("invalid --batch-size argument '{}': minimum --batch-size argument is '2'", batch_size);
}

std::size_t memory_options::limit() const {
  if (buffer_size.empty())
    return files::usual_memory();
  return static_cast<std::size_t>(std::max<std::uint64_t>(parse_size(buffer_size), files::smallest_memory));
}

std::size_t memory_options::batch() const {
  return batch_size.empty() ? 0 : static_cast<std::size_t>(parse_count(batch_size, "invalid --batch-size argument"));
}

} // namespace sortile::cli
