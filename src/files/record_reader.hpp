// Text records one after the other, from anything that can be read, in memory that does not grow with the file.
#pragma once

#include "files/csv.hpp"
#include "files/file_descriptor.hpp"
#include "files/output.hpp"
#include "files/packing.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace sortile::files {

/// Reads lines (or CSV records, where a dialect with quotes is given) up to `delimiter`.
class record_reader {
 public:
  static constexpr std::string_view unit = "line"; ///< what messages call a record
  static constexpr bool delimited = true;

  /// \param into  where the records go: an input into which it writes straight is read to its end first
  /// \param as_it_is  a packed input is not unpacked
  /// \throws io_failure where the input cannot be opened
  record_reader(const std::string& path, char delimiter, std::optional<csv_dialect> csv = {},
                const output* into = nullptr, bool as_it_is = false);

  /// Moves to the next record; false at the end. The record before it is gone.
  /// \throws io_failure where reading fails, the input ends within quotes, or a file ends before the size that it had
  bool next();

  /// The first bytes, up to `size`; before next() is called for the first time.
  std::string_view first_bytes(std::size_t size);

  std::string_view record() const { return record_; }
  const std::string& name() const { return name_; }
  std::uint64_t line() const { return line_; } ///< on which the record begins, counted from 1; without CSV: its number

 private:
  std::size_t find_end(bool& in_quotes) const; ///< length of the next record; npos where its end has not been read yet
  bool refill();
  std::size_t read_more(char* to, std::size_t room);
  std::size_t unpack_more(char* to, std::size_t room);
  void read_all();
  void need_whole_file() const;

  std::string name_;
  file_descriptor file_;
  char delimiter_;
  std::optional<csv_dialect> csv_;
  std::vector<char> buffer_;
  std::size_t begin_ = 0; ///< of what has not been handed out yet
  std::size_t end_ = 0;
  bool at_end_ = false;
  bool as_it_is_ = false;
  std::optional<unpacker> unpacker_;
  std::vector<char> packed_;
  std::size_t packed_begin_ = 0; ///< of what has not been unpacked yet
  std::size_t packed_end_ = 0;
  std::uint64_t promised_ = 0; ///< bytes that the file held when it was opened
  std::uint64_t came_ = 0;
  std::string_view record_;
  std::uint64_t line_ = 0;
  std::uint64_t next_line_ = 1;
};

} // namespace sortile::files
