// An open file that closes itself, and the loops that read and write all of a buffer.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <utility>

namespace sortile::files {

class file_descriptor {
 public:
  file_descriptor() = default;
  explicit file_descriptor(int fd) : fd_(fd) {}
  file_descriptor(file_descriptor&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  file_descriptor& operator=(file_descriptor&& other) noexcept {
    std::swap(fd_, other.fd_);
    return *this;
  }
  ~file_descriptor();

  int get() const { return fd_; }
  explicit operator bool() const { return fd_ >= 0; }

  /// Closes and reports what the system had put off until now (a full quota, a network file system).
  void close(std::string_view name);

 private:
  int fd_ = -1;
};

/// Reads until `size` bytes are there or the input ends; returns how many came.
std::size_t read_fully(int fd, char* to, std::size_t size, std::string_view name);
std::size_t read_fully_at(int fd, char* to, std::size_t size, std::uint64_t offset, std::string_view name);

void write_fully(int fd, std::string_view bytes, std::string_view name);
void write_fully_at(int fd, std::string_view bytes, std::uint64_t offset, std::string_view name);

} // namespace sortile::files
