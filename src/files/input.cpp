// See input.hpp.
#include "files/input.hpp"

#include "files/failure.hpp"
#include "files/file_descriptor.hpp"

#include <cstdlib>
#include <utility>
#include <vector>

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

namespace sortile::files {

std::string display_name(const std::string& path) {
  return path == "-" ? "standard input" : path;
}

file_descriptor open_input(const std::string& path) {
  const int fd = path == "-" ? ::dup(STDIN_FILENO) : ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0)
    fail_system(display_name(path), "open for reading");
  return file_descriptor(fd);
}

void input::release::operator()(char* p) const {
  std::free(p);
}

input::input(const std::string& path) : name_(display_name(path)) {
  const file_descriptor file = open_input(path);
  struct stat status {};
  if (::fstat(file.get(), &status) != 0)
    fail_system(name_, "examine");
  if (S_ISDIR(status.st_mode))
    fail(name_, "is a directory (a file, a pipe or - is needed)");
  // Files of /proc say that they are empty and are not; reading finds out.
  const off_t position = S_ISREG(status.st_mode) && status.st_size > 0 ? ::lseek(file.get(), 0, SEEK_CUR) : -1;
  if (position >= 0)
    map(file.get(), static_cast<std::size_t>(status.st_size), static_cast<std::size_t>(position));
  else
    read_all(file.get());
}

void input::map(int fd, std::size_t size, std::size_t position) {
  mapping_ = ::mmap(nullptr, size, PROT_READ, MAP_PRIVATE, fd, 0);
  if (mapping_ == MAP_FAILED) {
    mapping_ = nullptr;
    return read_all(fd);
  }
  mapped_ = size;
  bytes_ = std::string_view(static_cast<const char*>(mapping_), size).substr(std::min(position, size));
}

void input::read_all(int fd) {
  std::size_t capacity = std::size_t{1} << 20;
  std::size_t size = 0;
  for (std::size_t got = 1; got != 0; size += got) {
    if (!owned_ || size == capacity) {
      capacity *= owned_ ? 2 : 1;
      char* grown = static_cast<char*>(std::realloc(owned_.get(), capacity));
      if (grown == nullptr)
        throw out_of_memory(fmt::format("{}: {} bytes of memory are not to be had for it", name_, capacity));
      static_cast<void>(owned_.release());
      owned_.reset(grown);
    }
    got = read_fully(fd, owned_.get() + size, capacity - size, name_);
  }
  bytes_ = {owned_.get(), size};
}

input input::of_text(std::string name, std::string text) {
  input result;
  result.name_ = std::move(name);
  result.text_ = std::make_unique<std::string>(std::move(text));
  result.bytes_ = *result.text_;
  return result;
}

input::input(input&& other) noexcept
    : name_(std::move(other.name_)), bytes_(std::exchange(other.bytes_, {})),
      mapping_(std::exchange(other.mapping_, nullptr)), mapped_(other.mapped_), owned_(std::move(other.owned_)),
      text_(std::move(other.text_)) {}

input& input::operator=(input&& other) noexcept {
  name_.swap(other.name_);
  std::swap(bytes_, other.bytes_);
  std::swap(mapping_, other.mapping_);
  std::swap(mapped_, other.mapped_);
  owned_.swap(other.owned_);
  text_.swap(other.text_);
  return *this;
}

input::~input() {
  if (mapping_ != nullptr)
    ::munmap(mapping_, mapped_);
}

input concatenate(std::span<const std::string> paths, char delimiter) {
  if (paths.size() == 1)
    return input(paths.front());
  std::vector<input> parts;
  std::size_t size = 0;
  for (const std::string& path : paths) {
    parts.emplace_back(path);
    size += parts.back().bytes().size() + 1;
  }
  std::string text;
  text.reserve(size);
  for (const input& part : parts) {
    text += part.bytes();
    if (!part.bytes().empty() && part.bytes().back() != delimiter)
      text += delimiter;
  }
  return input::of_text(fmt::format("{} files", paths.size()), std::move(text));
}

} // namespace sortile::files
