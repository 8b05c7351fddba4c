// One input from its first byte to its last: a regular file, a pipe, a device or standard input, unpacked on the way.
#pragma once

#include "files/byte_source.hpp"
#include "files/file_descriptor.hpp"
#include "files/output.hpp"
#include "files/packing.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace sortile::files {

/// "standard input" for "-", else the path itself.
std::string display_name(const std::string& path);

/// Opens for reading; "-" gives a duplicate of standard input. \throws io_failure
file_descriptor open_input(const std::string& path);

class input_stream final : public byte_source {
 public:
  /// \param as_it_is  a packed input is not unpacked
  /// \param threads   that read a large regular file side by side
  /// \throws io_failure where the input cannot be opened, or is a directory
  explicit input_stream(const std::string& path, bool as_it_is = false, unsigned threads = 1);

  /// \throws io_failure where reading fails, packed data is damaged, or a file ends before the size that it had
  std::size_t read(char* to, std::size_t room) override;

  /// The file's own pages, of a plain one.
  leased_pages pages() override;

  /// The first bytes, `size` of them unless there are fewer. They stay to be read.
  std::string_view peek(std::size_t size);
  /// The header of a .npy file, as far as it is there; of other files, some first bytes.
  std::string_view peek_npy_header();
  /// The next `size` bytes. \throws io_failure where there are fewer
  std::string take(std::size_t size);

  /// Bytes that a regular file still held when it was opened; 0 where that is not known. They may be packed ones.
  std::uint64_t promised() const override { return promised_; }
  std::uint64_t expected() override;
  /// How the input is packed; known once something was read.
  packing packed() const { return packed_how_; }
  /// Whether this is the file that an output is written straight into.
  bool is_written_by(const output& to) const;

 private:
  std::size_t read_plain(char* to, std::size_t room);
  std::size_t read_known(char* to, std::size_t room);
  std::size_t read_unpacked(char* to, std::size_t room);
  void look_at_beginning();
  void need_whole_file() const;

  file_descriptor file_;
  bool as_it_is_;
  unsigned threads_;
  packing packed_how_ = packing::none;
  bool begun_ = false;
  std::uint64_t promised_ = 0;
  std::uint64_t came_ = 0;
  std::string ahead_; ///< read from the file, and not handed out or unpacked yet, from taken_ on
  std::size_t taken_ = 0;
  std::string peeked_; ///< handed out by peek(), to be read again from peeked_taken_ on
  std::size_t peeked_taken_ = 0;
  std::optional<unpacker> unpacker_;
};

} // namespace sortile::files
