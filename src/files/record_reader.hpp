// Text records one after the other, from anything that can be read, in memory that does not grow with the file.
#pragma once

#include "files/csv.hpp"
#include "files/input_stream.hpp"
#include "files/output.hpp"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace sortile::files {

/// Where records end.
struct record_shape {
  char delimiter = '\n';
  std::optional<csv_dialect> csv{}; ///< delimiters within quotes end no record
  std::size_t record_bytes = 0;     ///< of records of one size, without anything between them; 0: up to `delimiter`
};

/// Reads lines, CSV records, or records of one size.
class record_reader {
 public:
  static constexpr std::string_view unit = "line"; ///< what messages call a record
  static constexpr std::size_t usual_buffer_bytes = std::size_t{1} << 18;

  /// \param into  where the records go: an input into which it writes straight is read to its end first
  /// \param as_it_is  a packed input is not unpacked
  /// \param buffer_bytes  that are read at once, as below
  /// \throws io_failure where the input cannot be opened
  record_reader(const std::string& path, char delimiter, std::optional<csv_dialect> csv = {},
                const output* into = nullptr, bool as_it_is = false, std::size_t buffer_bytes = usual_buffer_bytes);

  /// \param buffer_bytes  that are read at once at most: the buffer doubles from a page or so as long as reads fill it,
  /// so that thousands of short inputs take little memory; a longer record makes it grow further
  record_reader(std::unique_ptr<byte_source> source, const record_shape& shape,
                std::size_t buffer_bytes = usual_buffer_bytes);

  /// Moves to the next record; false at the end. The record before it is gone.
  /// \throws io_failure where reading fails, the input ends within quotes, or a file ends before the size that it had
  bool next();

  /// The first bytes, up to `size`; before next() is called for the first time.
  std::string_view first_bytes(std::size_t size);

  std::string_view record() const { return record_; }
  bool was_ended() const { return was_ended_; } ///< whether its end stood in the input: of the last one it may not
  bool delimited() const { return shape_.record_bytes == 0; }
  const std::string& name() const { return source_->name(); }
  std::uint64_t line() const { return line_; } ///< on which the record begins, counted from 1; without CSV: its number

 private:
  std::size_t find_end(bool& in_quotes) const; ///< length of the next record; npos where its end has not been read yet
  bool refill();

  std::unique_ptr<byte_source> source_;
  record_shape shape_;
  std::size_t most_at_once_;
  std::vector<char> buffer_;
  std::size_t begin_ = 0; ///< of what has not been handed out yet
  std::size_t end_ = 0;
  bool at_end_ = false;
  bool was_filled_ = false; ///< the last read left no room
  std::string_view record_;
  bool was_ended_ = false;
  std::uint64_t line_ = 0;
  std::uint64_t next_line_ = 1;
};

} // namespace sortile::files
