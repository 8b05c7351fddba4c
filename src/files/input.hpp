// Where bytes come from: a regular file (mapped), a pipe or device (read to its end), or standard input, called "-".
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <string_view>

namespace sortile::files {

/// The bytes of one input. The view stays valid, also through moves, as long as the input lives.
///
/// A regular file is mapped, not copied. If another process makes the file shorter meanwhile, reading the lost part
/// raises SIGBUS; the command line turns that into an error.
class input {
 public:
  /// \throws io_failure naming the file: it is missing, unreadable, a directory, …
  explicit input(const std::string& path);

  /// Bytes that are in memory already, under a name for messages.
  static input of_text(std::string name, std::string text);

  input(input&& other) noexcept;
  input& operator=(input&& other) noexcept;
  ~input();

  /// For messages: the path, or "standard input".
  const std::string& name() const { return name_; }
  std::string_view bytes() const { return bytes_; }

 private:
  input() = default;
  void map(int fd, std::size_t size, std::size_t position);
  void read_all(int fd);

  struct release {
    void operator()(char* p) const;
  };
  std::string name_;
  std::string_view bytes_;
  void* mapping_ = nullptr;
  std::size_t mapped_ = 0;
  std::unique_ptr<char, release> owned_; // what came through a pipe
  std::unique_ptr<std::string> text_;    // what of_text() was given
};

/// "standard input" for "-", else the path itself.
std::string display_name(const std::string& path);

/// Opens for reading; "-" gives a duplicate of standard input. \throws io_failure
class file_descriptor open_input(const std::string& path);

/// All inputs one after the other, each ending in `delimiter` (added where the last record of an input lacks it).
input concatenate(std::span<const std::string> paths, char delimiter);

} // namespace sortile::files
