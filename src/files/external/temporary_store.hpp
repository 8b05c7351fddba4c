// Bytes that wait on the disk: files without names, so that nothing is left of them however the process ends.
#pragma once

#include "files/byte_source.hpp"
#include "files/file_descriptor.hpp"
#include "files/output.hpp"

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace sortile::files {

/// Where temporary files go, and what they go through.
class temporary_store {
 public:
  /// \param folders  take files in turn; none: TMPDIR, or /tmp
  /// \param program  compresses its input to its output and, called with -d, does the reverse; empty: none
  explicit temporary_store(std::vector<std::string> folders = {}, std::string program = {});

  const std::string& program() const { return program_; }
  /// One at least.
  const std::vector<std::string>& folders();

 private:
  friend class temporary_file;
  friend class temporary_text;
  const std::string& next_folder();

  std::vector<std::string> folders_;
  std::string program_;
  std::size_t next_ = 0;
};

/// Bytes that are written once and read once.
class temporary_file {
 public:
  /// Holds what `write` puts into the output that it is given.
  /// \throws io_failure where a folder takes no file or no more bytes, or the program fails; what `write` throws
  temporary_file(temporary_store& store, const std::function<void(output&)>& write);

  /// The bytes from the first on, to be read once. As they are read, the disk gets back the room that they took, where
  /// the file system can do so. \throws io_failure
  std::unique_ptr<byte_source> read() &&;
  /// Appends all of them. \throws io_failure
  void write_to(output& to) &&;

  /// What the file takes on the disk.
  std::uint64_t bytes_on_disk() const { return bytes_on_disk_; }
  /// Files that read() opens beside the one that is open.
  std::size_t files_to_open() const { return program_.empty() ? 0 : 1; }
  /// Files that two of them take that are merged into a third. \param program  whether they go through one
  static constexpr std::size_t of_a_merge(bool program) { return program ? 7 : 3; }

 private:
  void write_through(const std::string& program, const std::function<void(output&)>& write);

  std::string name_;
  std::string program_;
  file_descriptor file_;
  std::uint64_t bytes_ = 0;
  std::uint64_t bytes_on_disk_ = 0;
};

/// Bytes that come one after the other while others are sorted, and are read once. The disk holds them.
class temporary_text {
 public:
  explicit temporary_text(temporary_store& store) : store_(store) {}

  /// \throws io_failure
  void append(std::string_view bytes);
  /// Appends all of them. \throws io_failure
  void write_to(output& to) &&;

 private:
  temporary_store& store_;
  std::string name_;
  std::unique_ptr<output> out_; ///< from the first byte on
};

} // namespace sortile::files
