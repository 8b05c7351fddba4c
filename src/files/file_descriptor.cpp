// See file_descriptor.hpp.
#include "files/file_descriptor.hpp"

#include "files/failure.hpp"

#include <unistd.h>

namespace sortile::files {

namespace {

// Linux moves at most 0x7ffff000 bytes a call; staying below keeps the arithmetic the same everywhere.
constexpr std::size_t most_per_call = std::size_t{1} << 30;

} // namespace

file_descriptor::~file_descriptor() {
  if (fd_ >= 0)
    ::close(fd_);
}

void file_descriptor::close(std::string_view name) {
  const int fd = std::exchange(fd_, -1);
  if (fd >= 0 && ::close(fd) != 0 && errno != EINTR)
    fail_system(name, "finish writing");
}

std::size_t read_fully(int fd, char* to, std::size_t size, std::string_view name) {
  std::size_t done = 0;
  while (done < size) {
    const ssize_t got = ::read(fd, to + done, std::min(size - done, most_per_call));
    if (got == 0)
      break;
    if (got > 0)
      done += static_cast<std::size_t>(got);
    else if (errno != EINTR)
      fail_system(name, "read");
  }
  return done;
}

std::size_t read_fully_at(int fd, char* to, std::size_t size, std::uint64_t offset, std::string_view name) {
  std::size_t done = 0;
  while (done < size) {
    const ssize_t got = ::pread(fd, to + done, std::min(size - done, most_per_call), static_cast<off_t>(offset + done));
    if (got == 0)
      break;
    if (got > 0)
      done += static_cast<std::size_t>(got);
    else if (errno != EINTR)
      fail_system(name, "read");
  }
  return done;
}

void write_fully(int fd, std::string_view bytes, std::string_view name) {
  while (!bytes.empty()) {
    const ssize_t put = ::write(fd, bytes.data(), std::min(bytes.size(), most_per_call));
    if (put >= 0)
      bytes.remove_prefix(static_cast<std::size_t>(put));
    else if (errno != EINTR)
      fail_system(name, "write");
  }
}

void write_fully_at(int fd, std::string_view bytes, std::uint64_t offset, std::string_view name) {
  while (!bytes.empty()) {
    const ssize_t put = ::pwrite(fd, bytes.data(), std::min(bytes.size(), most_per_call), static_cast<off_t>(offset));
    if (put >= 0) {
      bytes.remove_prefix(static_cast<std::size_t>(put));
      offset += static_cast<std::uint64_t>(put);
    } else if (errno != EINTR) {
      fail_system(name, "write");
    }
  }
}

} // namespace sortile::files
