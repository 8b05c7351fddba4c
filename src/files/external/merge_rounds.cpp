// See merge_rounds.hpp.
#include "files/external/merge_rounds.hpp"

#include "files/failure.hpp"

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <optional>
#include <utility>

#include <fcntl.h>
#include <sys/resource.h>

namespace sortile::files {

named_input::named_input(std::string path, char delimiter, bool as_it_is)
    : path_(std::move(path)), delimiter_(delimiter), as_it_is_(as_it_is) {
  std::error_code unknown;
  if (std::filesystem::is_regular_file(path_, unknown))
    bytes_ = std::filesystem::file_size(path_, unknown);
}

std::unique_ptr<record_reader> named_input::open(const output* into, std::size_t buffer_bytes) {
  return std::make_unique<record_reader>(path_, delimiter_, std::nullopt, into, as_it_is_, buffer_bytes);
}

temporary_run::temporary_run(temporary_file file, const record_shape& shape) : file_(std::move(file)), shape_(shape) {}

std::unique_ptr<record_reader> temporary_run::open(const output*, std::size_t buffer_bytes) {
  return std::make_unique<record_reader>(std::move(file_).read(), shape_, buffer_bytes);
}

namespace {

using waiting_inputs = std::vector<std::unique_ptr<merge_input>>;

// Neighbours that could be merged next.
struct neighbours {
  std::size_t begin = 0;
  std::size_t size = 0;
};

// What some neighbours come to; moves along the inputs.
struct window {
  std::uint64_t bytes = 0;
  std::size_t to_open = 0;

  void add(const merge_input& input) {
    bytes += input.bytes();
    to_open += input.files_to_open();
  }
  void remove(const merge_input& input) {
    bytes -= input.bytes();
    to_open -= input.files_to_open();
  }
};

// The `size` neighbours of the fewest bytes that may be opened together, or none.
std::optional<neighbours> smallest_neighbours(const waiting_inputs& inputs, std::size_t size, std::size_t to_open) {
  std::optional<neighbours> best;
  std::uint64_t fewest = 0;
  window here;
  for (std::size_t end = 0; end < inputs.size(); ++end) {
    here.add(*inputs[end]);
    if (end >= size)
      here.remove(*inputs[end - size]);
    if (end + 1 >= size && here.to_open <= to_open && (!best || here.bytes < fewest)) {
      best = neighbours{end + 1 - size, size};
      fewest = here.bytes;
    }
  }
  return best;
}

// Fewer at once where more cannot be open; two in any case.
neighbours next_neighbours(const waiting_inputs& inputs, std::size_t size, std::size_t files) {
  constexpr std::size_t of_the_result = 2;
  std::size_t open = of_the_result;
  for (const auto& input : inputs)
    open += input->files_held();
  for (; size > 2; size = (size + 1) / 2)
    if (const auto found = smallest_neighbours(inputs, size, files - std::min(files, open)))
      return *found;
  return smallest_neighbours(inputs, 2, files - std::min(files, open)).value_or(neighbours{0, 2});
}

} // namespace

void merge_in_rounds(waiting_inputs& inputs, const merge_rules& rules, const round_settings& settings,
                     std::size_t wanted, temporary_store& store) {
  while (inputs.size() > wanted) {
    const neighbours next =
        next_neighbours(inputs, std::min(settings.most, inputs.size() - wanted + 1), settings.files);
    const auto first = inputs.begin() + static_cast<std::ptrdiff_t>(next.begin);
    const auto last = first + static_cast<std::ptrdiff_t>(next.size);
    std::vector<std::unique_ptr<record_reader>> readers;
    std::transform(first, last, std::back_inserter(readers),
                   [&](auto& input) { return input->open(nullptr, settings.buffer_bytes); });
    temporary_file merged(store, [&](output& to) { merge_records(readers, rules, to); });
    *first = std::make_unique<temporary_run>(std::move(merged), settings.shape);
    inputs.erase(first + 1, last);
  }
}

void need_open_files(std::size_t files) {
  constexpr std::size_t looked_at = 64; // where more are allowed, they are enough
  struct rlimit limit {};
  if (::getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur > looked_at)
    return;
  std::size_t open = 0;
  for (int fd = 0; fd < static_cast<int>(limit.rlim_cur); ++fd) // those beyond take nobody's place
    open += ::fcntl(fd, F_GETFD) >= 0 ? 1 : 0;
  if (open + files > limit.rlim_cur)
    fail("temporary files",
         "a sort in runs takes {} open files, and {} are allowed (ulimit -n; or more memory with -S)", open + files,
         limit.rlim_cur);
}

std::size_t most_open_inputs() {
  constexpr std::size_t others = 16;
  struct rlimit limit {};
  if (::getrlimit(RLIMIT_NOFILE, &limit) != 0)
    return 2;
  if (limit.rlim_cur != limit.rlim_max) { // the system lets everybody raise the one to the other
    limit.rlim_cur = limit.rlim_max;
    if (::setrlimit(RLIMIT_NOFILE, &limit) != 0)
      ::getrlimit(RLIMIT_NOFILE, &limit);
  }
  const auto most = static_cast<std::size_t>(limit.rlim_cur);
  return most > others + 2 ? most - others : 2;
}

} // namespace sortile::files
