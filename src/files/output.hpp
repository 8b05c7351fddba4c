// Where bytes go: a new file that takes the target's place only when it is complete, or straight through to a pipe or
// device.
#pragma once

#include "files/file_descriptor.hpp"
#include "files/temporary_files.hpp"

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>

namespace sortile::files {

/// One output. Where the target is a regular file or does not exist yet, the bytes go to a temporary file in the same
/// directory, which commit() renames to the target: until then, and for good if anything fails, the target is as it
/// was. The mode (and, where permitted, the owner) of an existing target is kept; a symbolic link is followed, so that
/// the link stays and what it points to is replaced. Pipes, devices, sockets and "-" (standard output) are written
/// directly.
///
/// Not for use by several threads, except write_at().
class output {
 public:
  /// \throws io_failure naming the target
  explicit output(const std::string& path);
  output(const output&) = delete;
  output& operator=(const output&) = delete;
  ~output(); ///< without commit(): removes the temporary file

  const std::string& name() const { return name_; }

  /// Appends; small pieces are gathered.
  void write(std::string_view bytes);

  /// Whether bytes can be put at any place, by several threads at once. Then reserve() and write_at() may be used.
  bool has_positions() const { return !temporary_.empty(); }

  /// Claims the `size` bytes after all that was written or claimed so far and returns where they begin.
  std::uint64_t reserve(std::uint64_t size);
  void write_at(std::uint64_t offset, std::string_view bytes) const;

  /// Writes what is still gathered, closes, reports every error, and puts the file in the target's place.
  void commit();

 private:
  void open_target(const std::string& path);
  void open_temporary(const std::string& target);
  void create_temporary(const std::filesystem::path& target);
  void discard();
  void flush();
  std::uint64_t claim(std::uint64_t size);

  std::string name_;
  std::string target_;    ///< what commit() replaces, symbolic links resolved
  std::string temporary_; ///< empty: straight through
  std::unique_ptr<temporary_entry> entry_;
  file_descriptor file_;
  std::string gathered_;
  std::uint64_t position_ = 0;
};

/// Whether writing to this path ("-": standard output) would end on a terminal.
bool is_terminal_output(const std::string& path);

} // namespace sortile::files
