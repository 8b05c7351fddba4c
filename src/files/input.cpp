// See input.hpp.
#include "files/input.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

namespace sortile::files {

namespace {

constexpr std::size_t first_room = std::size_t{1} << 20;

// Behind what the buffer holds.
void read_to_end(input_stream& from, byte_buffer& to) {
  to.reserve(to.size() + from.promised() + 1, from.name()); // one more, so that the end is seen without growing
  for (std::size_t got = 1; got != 0; to.grow(got)) {
    if (to.room() == 0)
      to.reserve(std::max(first_room, 2 * to.size()), from.name());
    got = from.read(to.end(), to.room());
  }
}

void append_delimiter(byte_buffer& to, std::size_t begin, char delimiter, const std::string& name) {
  if (to.size() == begin || to.bytes().back() == delimiter)
    return;
  to.reserve(to.size() + 1, name);
  *to.end() = delimiter;
  to.grow(1);
}

} // namespace

input::input(input_stream&& stream) : name_(stream.name()) {
  read_to_end(stream, read_);
  bytes_ = read_.bytes();
  packed_ = stream.packed();
}

input::input(const std::string& path, unsigned threads, bool as_it_is) : input(input_stream(path, as_it_is, threads)) {}

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
    input_stream stream(path, as_it_is, threads);
    read_to_end(stream, first.read_);
    if (delimiter)
      append_delimiter(first.read_, begin, *delimiter, path);
  }
  first.name_ = fmt::format("{} files", paths.size() + 1);
  first.bytes_ = first.read_.bytes();
  return first;
}

} // namespace sortile::files
