// Merges more sorted inputs than can be open, or held in memory, at once: groups of neighbours first.
#pragma once

#include "files/external/temporary_store.hpp"
#include "files/record_merge.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace sortile::files {

/// One sorted input that waits.
class merge_input {
 public:
  virtual ~merge_input() = default;
  /// To be called once. \param into  as record_reader has it
  /// \param buffer_bytes  that are read at once
  virtual std::unique_ptr<record_reader> open(const output* into, std::size_t buffer_bytes) = 0;
  /// About; 0 where it is not known.
  virtual std::uint64_t bytes() const = 0;
  /// Files that it has open while it waits, and those that open() opens.
  virtual std::size_t files_held() const = 0;
  virtual std::size_t files_to_open() const = 0;
};

/// An input that a user has named.
class named_input final : public merge_input {
 public:
  named_input(std::string path, char delimiter, bool as_it_is);
  std::unique_ptr<record_reader> open(const output* into, std::size_t buffer_bytes) override;
  std::uint64_t bytes() const override { return bytes_; }
  std::size_t files_held() const override { return 0; }
  std::size_t files_to_open() const override { return 1; }

 private:
  std::string path_;
  char delimiter_;
  bool as_it_is_;
  std::uint64_t bytes_ = 0;
};

/// Records in a temporary file.
class temporary_run final : public merge_input {
 public:
  temporary_run(temporary_file file, const record_shape& shape);
  std::unique_ptr<record_reader> open(const output* into, std::size_t buffer_bytes) override;
  std::uint64_t bytes() const override { return file_.bytes_on_disk(); }
  std::size_t files_held() const override { return 1; }
  std::size_t files_to_open() const override { return file_.files_to_open(); }

 private:
  temporary_file file_;
  record_shape shape_;
};

/// How temporary files are read and written on the way.
struct round_settings {
  std::size_t most = 2;  ///< inputs that are merged at once
  std::size_t files = 0; ///< that can be open at once, of inputs that wait and those that are merged
  record_shape shape{};
  std::size_t buffer_bytes = record_reader::usual_buffer_bytes;
};

/// Of the memory that a merge may take, half goes to the buffers of its inputs.
constexpr std::size_t smallest_input_buffer = std::size_t{1} << 15;
constexpr std::size_t largest_input_buffer = std::size_t{1} << 20;

/// Inputs that can have a buffer each.
constexpr std::size_t most_inputs_in(std::size_t memory) {
  return std::max<std::size_t>(2, memory / 2 / smallest_input_buffer);
}

/// Bytes of the buffer of each.
constexpr std::size_t input_buffer_bytes(std::size_t memory, std::size_t inputs) {
  return std::clamp(memory / 2 / std::max<std::size_t>(1, inputs), smallest_input_buffer, largest_input_buffer);
}

/// Merges neighbours into temporary files that take their place until at most `wanted` are left, always those of the
/// fewest bytes. Neighbours stay neighbours, so that equal records keep their order.
void merge_in_rounds(std::vector<std::unique_ptr<merge_input>>& inputs, const merge_rules& rules,
                     const round_settings& settings, std::size_t wanted, temporary_store& store);

/// \throws io_failure where the limit of the process allows less than `files` more than are open
void need_open_files(std::size_t files);

/// Inputs that can be open at once, beside standard streams, the output and what else a process has open. Raises the
/// process's own limit as far as the system lets everybody raise it.
std::size_t most_open_inputs();

} // namespace sortile::files
