// Where bytes go: a new file that takes the target's place only when it is complete, or straight through to a pipe or
// device.
#pragma once

#include "files/file_descriptor.hpp"
#include "files/packing.hpp"
#include "files/temporary_files.hpp"

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include <sys/stat.h>

namespace sortile::files {

/// Which file of which file system: two names of equal identity are one file.
struct file_identity {
  dev_t device = 0;
  ino_t number = 0;

  bool operator==(const file_identity&) const = default;
};

/// Nothing where there is no such file.
std::optional<file_identity> identity_of(const std::string& path);
std::optional<file_identity> identity_of(int fd);

/// How an output is written.
struct output_options {
  bool synced = true; ///< commit() waits until the file and its name are on the disk, so that the promise holds where
                      ///< the machine loses its power
  packing pack = packing::none; ///< of what is written
  std::string temporary_folder; ///< empty: TMPDIR, or /tmp
};

/// One output. Where the target is a regular file or does not exist yet, the bytes go to a temporary file in the same
/// directory, which commit() renames to the target: until then, and for good if anything fails, the target is as it
/// was. The mode (and, where permitted, the owner) of an existing target is kept; a symbolic link is followed, so that
/// the link stays and what it points to is replaced. Pipes, devices, sockets and "-" (standard output) are written
/// directly. Where the target exists and its folder takes no new file, the temporary file is made in a folder for such,
/// and commit() copies it into the target: a loss of power in that moment may leave the target incomplete.
///
/// Not for use by several threads, except write_at().
class output {
 public:
  /// \throws io_failure naming the target
  explicit output(const std::string& path, const output_options& options = {});

  /// Straight into an open file. \param has_positions  whether it is a regular one, written from its beginning
  output(std::string name, file_descriptor file, bool has_positions);
  output(const output&) = delete;
  output& operator=(const output&) = delete;
  ~output(); ///< without commit(): removes the temporary file

  const std::string& name() const { return name_; }

  /// Appends; small pieces are gathered.
  void write(std::string_view bytes);

  /// Bytes so far, before they are packed.
  std::uint64_t written() const { return written_; }

  /// Whether bytes can be put at any place, by several threads at once. Then reserve() and write_at() may be used.
  bool has_positions() const { return positions_ && !packer_; }

  /// Claims the `size` bytes after all that was written or claimed so far and returns where they begin.
  std::uint64_t reserve(std::uint64_t size);
  void write_at(std::uint64_t offset, std::string_view bytes) const;

  /// Writes what is still gathered, closes, reports every error, and puts the file in the target's place.
  void commit();

  /// Writes what is still gathered and gives an open file back that was written straight into.
  file_descriptor release();

  /// Whether what is written goes straight into this file.
  bool writes_into(const file_identity& file) const;

 private:
  friend bool same_place(const output& a, const output& b);
  friend void commit_both(output& a, output& b);

  void open_target(const std::string& path);
  void open_temporary(const std::filesystem::path& target);
  bool create_temporary(const std::filesystem::path& folder);
  void discard();
  void flush();
  void write_packed(std::string_view bytes, bool last);
  std::uint64_t claim(std::uint64_t size);
  void finish();
  void take_place();
  void copy_into_target();
  void exchange_places();
  bool go_back();
  void sync_folder() const;
  std::filesystem::path folder() const;

  std::string name_;
  std::filesystem::path target_; ///< what commit() replaces, symbolic links resolved
  std::string temporary_;        ///< empty: straight through, or renamed
  std::unique_ptr<temporary_entry> entry_;
  file_descriptor file_;
  file_descriptor in_place_; ///< the target, where it is to be overwritten
  std::string temporary_folder_;
  std::string gathered_;
  std::optional<packer> packer_;
  std::uint64_t position_ = 0;
  std::uint64_t written_ = 0;
  bool positions_ = false;
  bool synced_ = true;
  enum class place : std::uint8_t { target_is_old, exchanged, created, overwritten } place_ = place::target_is_old;
};

/// Whether two outputs would end in one file or pipe, so that one of them would be lost or both be mixed.
bool same_place(const output& a, const output& b);

/// commit() of two outputs that belong together: nothing is renamed before both are complete and on the disk. Where the
/// second cannot be put in place, the first target gets its old contents back; where the file system does not let it,
/// the error says that it is new. No signal but SIGKILL comes in between.
void commit_both(output& a, output& b);

/// Whether writing to this path ("-": standard output) would end on a terminal.
bool is_terminal_output(const std::string& path);

} // namespace sortile::files
