// See input.hpp.
#include "files/input.hpp"

#include "files/failure.hpp"
#include "files/file_descriptor.hpp"
#include "files/parallel.hpp"

#include <atomic>
#include <utility>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace sortile::files {

namespace {

constexpr std::size_t slice_bytes = std::size_t{1} << 22;
constexpr std::size_t first_room = std::size_t{1} << 20;

// The bytes that a regular file still holds behind its position; nothing for pipes, devices, and files of /proc, which
// say that they are empty and are not.
std::size_t known_rest(int fd, const struct stat& status, off_t& position) {
  position = S_ISREG(status.st_mode) && status.st_size > 0 ? ::lseek(fd, 0, SEEK_CUR) : -1;
  return position >= 0 && position < status.st_size ? static_cast<std::size_t>(status.st_size - position) : 0;
}

// Reads `rest` bytes at `position` on several threads.
void read_known(int fd, off_t position, std::size_t rest, const std::string& name, unsigned threads, byte_buffer& to) {
  to.reserve(to.size() + rest + 1, name); // one more, so that the end is seen without growing
  char* const begin = to.end();
  std::atomic<bool> shorter{false};
  parallel_for(threads, (rest + slice_bytes - 1) / slice_bytes, [&](std::size_t slice) {
    const std::size_t from = slice * slice_bytes;
    const std::size_t size = std::min(slice_bytes, rest - from);
    if (read_fully_at(fd, begin + from, size, static_cast<std::uint64_t>(position) + from, name) != size)
      shorter = true;
  });
  if (shorter)
    fail(name, "became shorter while it was read");
  to.grow(rest);
  if (::lseek(fd, position + static_cast<off_t>(rest), SEEK_SET) < 0)
    fail_system(name, "read");
}

void append_delimiter(byte_buffer& to, std::size_t begin, char delimiter, const std::string& name) {
  if (to.size() == begin || to.bytes().back() == delimiter)
    return;
  to.reserve(to.size() + 1, name);
  *to.end() = delimiter;
  to.grow(1);
}

// Returns how the input was packed.
packing append_input(const std::string& path, unsigned threads, bool as_it_is, byte_buffer& to) {
  const std::string name = display_name(path);
  const std::size_t begin = to.size();
  read_to_end(open_input(path), name, threads, to);
  const std::string_view bytes = to.bytes().substr(begin);
  const packing how = as_it_is ? packing::none : packing_of(bytes);
  if (how == packing::none)
    return how;
  byte_buffer packed;
  packed.reserve(bytes.size(), name);
  std::copy(bytes.begin(), bytes.end(), packed.end());
  packed.grow(bytes.size());
  to.shrink(begin);
  unpack(packed.bytes(), how, name, to);
  return how;
}

} // namespace

std::string display_name(const std::string& path) {
  return path == "-" ? "standard input" : path;
}

file_descriptor open_input(const std::string& path) {
  const int fd = path == "-" ? ::dup(STDIN_FILENO) : ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0)
    fail_system(display_name(path), "open for reading");
  return file_descriptor(fd);
}

void read_to_end(const file_descriptor& file, const std::string& name, unsigned threads, byte_buffer& to) {
  struct stat status {};
  if (::fstat(file.get(), &status) != 0)
    fail_system(name, "examine");
  if (S_ISDIR(status.st_mode))
    fail(name, "is a directory (a file, a pipe or - is needed)");
  off_t position = 0;
  if (const std::size_t rest = known_rest(file.get(), status, position))
    read_known(file.get(), position, rest, name, threads, to);
  // Pipes and devices; and what a growing file has gained meanwhile.
  for (std::size_t got = 1; got != 0; to.grow(got)) {
    if (to.room() == 0)
      to.reserve(std::max(first_room, 2 * to.size()), name);
    got = read_fully(file.get(), to.end(), to.room(), name);
  }
}

input::input(const std::string& path, unsigned threads, bool as_it_is) : name_(display_name(path)) {
  packed_ = append_input(path, threads, as_it_is, read_);
  bytes_ = read_.bytes();
}

input input::of_text(std::string name, std::string text) {
  input result;
  result.name_ = std::move(name);
  result.text_ = std::make_unique<std::string>(std::move(text));
  result.bytes_ = *result.text_;
  return result;
}

input input::of_buffer(std::string name, byte_buffer bytes) {
  input result;
  result.name_ = std::move(name);
  result.read_ = std::move(bytes);
  result.bytes_ = result.read_.bytes();
  return result;
}

input::input(input&& other) noexcept
    : name_(std::move(other.name_)), bytes_(std::exchange(other.bytes_, {})), read_(std::move(other.read_)),
      text_(std::move(other.text_)), packed_(other.packed_) {}

input& input::operator=(input&& other) noexcept {
  name_.swap(other.name_);
  std::swap(bytes_, other.bytes_);
  read_ = std::move(other.read_);
  text_.swap(other.text_);
  packed_ = other.packed_;
  return *this;
}

input append(input first, std::span<const std::string> paths, std::optional<char> delimiter, unsigned threads,
             bool as_it_is) {
  if (paths.empty())
    return first;
  if (delimiter)
    append_delimiter(first.read_, 0, *delimiter, first.name_);
  for (const std::string& path : paths) {
    const std::size_t begin = first.read_.size();
    append_input(path, threads, as_it_is, first.read_);
    if (delimiter)
      append_delimiter(first.read_, begin, *delimiter, path);
  }
  first.name_ = fmt::format("{} files", paths.size() + 1);
  first.bytes_ = first.read_.bytes();
  return first;
}

} // namespace sortile::files
