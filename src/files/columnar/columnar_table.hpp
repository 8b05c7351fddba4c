// Tables in Parquet and Arrow files, as far as a sort needs them: what columns there are, the cells of those that
// decide, and a file of the rows in another order.
//
// The files are read and written by PyArrow in a Python interpreter of its own, a process beside this one. So the
// command is built, linked and shipped without Arrow; it takes whatever version of PyArrow there is; and where a
// damaged file brings Arrow down, the command still lives to say so. What it costs: an interpreter's start, and a copy
// of the columns that decide, through memory that both processes see.
#pragma once

#include "files/external/child_program.hpp"
#include "files/file_descriptor.hpp"
#include "files/input_stream.hpp"
#include "files/output.hpp"

#include <sortile/types.hpp>

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace sortile::files {

/// `arrow` is the file of Arrow's IPC format, `arrows` its stream; feather the file, packed by lz4.
enum class columnar_format : std::uint8_t { parquet, arrow, arrows, feather };

/// What a file is by its first 12 bytes; nothing where they do not tell.
std::optional<columnar_format> columnar_format_of(std::string_view begin);

/// An input that the interpreter can open.
struct columnar_input {
  std::string name; ///< for messages
  columnar_format format = columnar_format::parquet;
  file_descriptor file; ///< that programs inherit

  /// Regular files are left where they are; all else is read, and unpacked, into memory. \throws io_failure
  columnar_input(const std::string& path, input_stream&& stream, columnar_format format);

  std::uint64_t bytes() const;
};

struct columnar_column {
  std::string name;
  std::string type; ///< as Arrow calls it
  std::uint64_t nulls = 0;
};

/// Rows of a column that follow each other in memory.
struct column_piece {
  std::size_t rows = 0;
  const char* valid = nullptr;           ///< a byte a row, 0 where it is null; null: no row is
  const char* values = nullptr;          ///< keys of the column's type, or text
  const std::int64_t* offsets = nullptr; ///< rows + 1 of text, counted from one that need not be 0
};

/// The cells of a column that has an order.
struct column_cells {
  std::size_t column = 0;
  std::uint64_t nulls = 0;
  std::optional<key_type> type{}; ///< nothing: text
  std::vector<column_piece> pieces{};
};

/// How rows that are written are ordered by a column: what Parquet files say of themselves.
struct written_order {
  std::size_t column = 0;
  bool descending = false;
  bool nulls_first = true;
};

/// What a table may use.
struct columnar_limits {
  unsigned threads = 1;
  std::size_t memory = 0;             ///< bytes; rows that take more are put on the disk; 0: all are held
  bool memory_is_named = false;       ///< what does not fit in any case is refused
  std::vector<std::string> folders{}; ///< of temporary files, one at least where `memory` is not 0
};

/// Inputs of the same columns, one behind the other, fewer than 2^32 rows.
class columnar_table {
 public:
  /// Reads them. \param keys  names of the columns whose cells are wanted, in that order; nothing: all that have an
  /// order \param written  whether write() may follow \throws io_failure where a file is damaged, a column is missing
  /// or has no order, PyArrow is not there
  columnar_table(std::vector<columnar_input> inputs, const std::optional<std::vector<std::string>>& keys,
                 const columnar_limits& limits, bool written = false);
  columnar_table(const columnar_table&) = delete;
  columnar_table& operator=(const columnar_table&) = delete;
  ~columnar_table();

  /// Of the first input.
  const std::string& name() const { return inputs_.front().name; }
  std::size_t rows() const { return rows_; }
  /// The rows of each input.
  const std::vector<std::size_t>& parts() const { return parts_; }
  const std::string& name_of_part(std::size_t part) const { return inputs_.at(part).name; }
  const std::vector<columnar_column>& columns() const { return columns_; }
  /// What else is known of the first file, in words.
  const std::vector<std::pair<std::string, std::string>>& facts() const { return facts_; }
  const std::vector<column_cells>& keys() const { return keys_; }

  /// Writes these rows, once; the cells of keys() are gone then. \param counts  goes behind them as the column `count`;
  /// nothing: none \param order  of the rows \throws io_failure
  void write(std::span<const std::uint32_t> ids, const std::optional<std::span<const std::uint64_t>>& counts,
             columnar_format format, std::span<const written_order> order, output& to);

 private:
  void start(const std::optional<std::vector<std::string>>& keys, const columnar_limits& limits, bool written);
  void need_memory(const columnar_limits& limits) const;
  void tell(const std::string& message);
  std::string answer();
  void take(const std::string& told);
  void let_go();
  [[noreturn]] void fail_as_told(int status);

  std::vector<columnar_input> inputs_;
  std::size_t rows_ = 0;
  std::vector<std::size_t> parts_;
  std::vector<columnar_column> columns_;
  std::vector<std::pair<std::string, std::string>> facts_;
  std::vector<column_cells> keys_;

  file_descriptor shared_; ///< a file in memory
  void* mapped_ = nullptr;
  std::size_t mapped_bytes_ = 0;
  std::string interpreter_;
  std::optional<child_program> program_; ///< ends when the pipes behind are closed
  file_descriptor to_program_;
  file_descriptor from_program_;
};

} // namespace sortile::files
