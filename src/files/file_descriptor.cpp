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

namespace {

/// Calls ::read or ::pread as `read(to, size, done so far)` until all is there or the file ends.
template <class Read>
std::size_t read_all(char* to, std::size_t size, std::string_view name, Read read) {
  std::size_t done = 0;
  while (done < size) {
    const ssize_t got = read(to + done, std::min(size - done, most_per_call), done);
    if (got == 0)
      break;
    if (got > 0)
      done += static_cast<std::size_t>(got);
    else if (errno != EINTR)
      fail_system(name, "read");
  }
  return done;
}

/// Calls ::write or ::pwrite as `write(from, size, done so far)` until all is written.
template <class Write>
void write_all(std::string_view bytes, std::string_view name, Write write) {
  std::size_t done = 0;
  while (done < bytes.size()) {
    const ssize_t put = write(bytes.data() + done, std::min(bytes.size() - done, most_per_call), done);
    if (put >= 0)
      done += static_cast<std::size_t>(put);
    else if (errno != EINTR)
      throw write_failure(name, bytes.size(), errno);
  }
}

} // namespace

std::size_t read_fully(int fd, char* to, std::size_t size, std::string_view name) {
  return read_all(to, size, name, [&](char* at, std::size_t n, std::size_t) { return ::read(fd, at, n); });
}

std::size_t read_fully_at(int fd, char* to, std::size_t size, std::uint64_t offset, std::string_view name) {
  return read_all(to, size, name, [&](char* at, std::size_t n, std::size_t done) {
    return ::pread(fd, at, n, static_cast<off_t>(offset + done));
  });
}

void write_fully(int fd, std::string_view bytes, std::string_view name) {
  write_all(bytes, name, [&](const char* from, std::size_t n, std::size_t) { return ::write(fd, from, n); });
}

void write_fully_at(int fd, std::string_view bytes, std::uint64_t offset, std::string_view name) {
  write_all(bytes, name, [&](const char* from, std::size_t n, std::size_t done) {
    return ::pwrite(fd, from, n, static_cast<off_t>(offset + done));
  });
}

} // namespace sortile::files
