// Cuts what may be larger than memory into pieces of whole records that fit.
#pragma once

#include "files/byte_buffer.hpp"
#include "files/input.hpp"
#include "files/input_stream.hpp"
#include "files/record_reader.hpp"
#include "files/record_table.hpp"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace sortile::files {

/// How much one piece may take.
struct run_limit {
  std::size_t memory = 0; ///< bytes, of the text and of what sorting it needs
  /// What sorting so many records needs beside their text.
  std::function<std::size_t(std::size_t records)> working_memory;
};

/// Where the records of an input begin in a piece.
struct input_begin {
  std::size_t input = 0; ///< its number
  std::size_t at = 0;    ///< bytes in front of it
};

/// Reads inputs one after the other, as append() (input.hpp) joins them: where records end in a delimiter, each input
/// is given one at its end. Memory: at most the limit's, and a sixteenth of it; more where a single record needs more.
class run_reader {
 public:
  /// \param shape  lines, or records of one size
  /// \param further  inputs behind the first; each is opened when its turn comes
  run_reader(std::unique_ptr<byte_source> first, std::vector<std::string> further, const record_shape& shape,
             run_limit limit, unsigned threads, bool as_it_is = false);

  /// Leaves out the first bytes, which are no records; before the first next(). \throws io_failure where there are
  /// fewer
  std::string_view skip_header(std::size_t size);

  /// What an input that ends without its delimiter lacks in front of it: "\r" in CRLF files. Holds for the input that
  /// is read, and for those behind it.
  void set_line_end(std::string before_delimiter) { line_end_ = std::move(before_delimiter); }

  /// Called with each further input and its number when its turn comes: takes from it what are no records.
  void set_begin_of_further(std::function<void(input_stream&, std::size_t)> begin) {
    begin_further_ = std::move(begin);
  }

  /// The next records, as many as fit, one at least; empty behind the last. Those before are gone. Of records of one
  /// size, the last piece may end within one.
  std::string_view next();
  /// Whether the piece handed out last is the last; so after the first next(): whether everything fits.
  bool at_end() const { return at_end_ && cut_ == text().size(); }

  /// Of the piece handed out last.
  std::size_t records() const { return records_; }
  /// Where some of its records end, the last among them; and further ones, where more was read.
  const std::vector<record_mark>& marks() const { return marks_; }
  /// The inputs whose records it may hold, in order: the first begins in front of the piece.
  std::vector<input_begin> inputs() const;

  /// Everything, where it fits: after the first next(), header first.
  input take_whole();

  /// Of the inputs together, as messages call them.
  std::string name() const;
  std::uint64_t bytes_read() const { return bytes_read_; }
  /// Bytes of all inputs; 0 where that is not known.
  std::uint64_t bytes_expected() const { return bytes_expected_; }
  /// Gives the memory back. After that, no more is read.
  void release() { buffer_ = {}; }

 private:
  // Of a piece of text that begins outside quotes [0], or within [1].
  struct piece_marks {
    record_mark outside_quotes[2];
    bool quotes_are_odd = false;
  };

  piece_marks marks_of(std::string_view piece, std::size_t begin) const;
  std::string_view text() const { return buffer_.bytes().substr(front_, buffer_.size() - front_ - unread_); }
  void take_pages();
  void drop_handed_out();
  void read_more();
  void end_input();
  void count(std::size_t from);
  void count_delimited(std::size_t from);
  bool is_full() const;
  std::size_t memory_at(const record_mark& at) const;
  std::size_t chunk() const;

  std::unique_ptr<byte_source> stream_;
  std::vector<std::string> further_;
  std::size_t next_input_ = 0;
  record_shape shape_;
  run_limit limit_;
  unsigned threads_;
  bool as_it_is_;
  std::string first_name_;
  byte_buffer buffer_;
  std::size_t front_ = 0;  // bytes of it in front of the piece: the header, and of a file's pages the pieces before
  std::size_t unread_ = 0; // at its end: of a file's pages, what counts as not read yet
  bool begun_ = false;
  std::vector<input_begin> begins_{{}};
  std::function<void(input_stream&, std::size_t)> begin_further_;
  bool input_has_bytes_ = false;
  std::size_t cut_ = 0; // end of what was handed out
  std::size_t records_ = 0;
  std::vector<record_mark> marks_;
  std::string line_end_;
  bool in_quotes_ = false; // whether what was counted ends within quotes
  bool at_end_ = false;
  std::uint64_t bytes_read_ = 0;
  std::uint64_t bytes_expected_ = 0;
};

} // namespace sortile::files
