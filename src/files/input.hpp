// Where bytes come from: a regular file, a pipe or device, or standard input, called "-"; all of them read to their
// end.
#pragma once

#include "files/byte_buffer.hpp"
#include "files/input_stream.hpp"
#include "files/packing.hpp"

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace sortile::files {

/// The bytes of one input. The view stays valid, also through moves, as long as the input lives.
///
/// A file is read, not mapped: under a map, what another process (or our own output, or the program behind our pipe)
/// writes to the file would change the records in mid-sort, and a file cut short would end the process. So what was
/// read is what is sorted, whatever happens to the file afterwards. That costs a copy: about half a second a gigabyte
/// (docs/performance-log.md). A sort of one file does without it, where the system promises that nobody writes
/// (leased_pages.hpp).
class input {
 public:
  /// Reads a regular file on up to `threads` threads; a packed one is unpacked, unless it is taken `as_it_is`.
  /// \throws io_failure naming the file: it is missing, unreadable, a directory, became shorter while it was read,
  /// its packed data is damaged, …
  explicit input(const std::string& path, unsigned threads = 1, bool as_it_is = false);

  /// What is left of a stream.
  explicit input(input_stream&& stream);

  /// Bytes that are in memory already, under a name for messages.
  static input of_text(std::string name, std::string text);

  static input of_buffer(std::string name, byte_buffer bytes);

  input() = default; ///< no bytes, no name
  input(input&& other) noexcept;
  input& operator=(input&& other) noexcept;

  /// For messages: the path, or "standard input".
  const std::string& name() const { return name_; }
  std::string_view bytes() const { return bytes_; }
  /// How the file was packed.
  packing packed() const { return packed_; }

 private:
  friend input append(input first, std::span<const std::string> paths, std::optional<char> delimiter, unsigned threads,
                      bool as_it_is);

  std::string name_;
  std::string_view bytes_;
  byte_buffer read_;                  // what was read
  std::unique_ptr<std::string> text_; // what of_text() was given
  packing packed_ = packing::none;
};

/// All inputs one after the other, the first of which is read already. Each ends in `delimiter`, which is added where
/// its last record lacks it; nothing is added where there is no delimiter.
input append(input first, std::span<const std::string> paths, std::optional<char> delimiter, unsigned threads = 1,
             bool as_it_is = false);

} // namespace sortile::files
