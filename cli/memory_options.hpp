// Options that say how much memory a sort may take, and where it keeps what does not fit: -S, -T, --batch-size and
// --compress-program of sort(1).
#pragma once

#include "files/external/temporary_store.hpp"

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <CLI/CLI.hpp>

namespace sortile::cli {

struct memory_options {
  std::string buffer_size;
  std::string batch_size;
  std::string compress_program;
  std::vector<std::string> temporary_folders;

  void add_to(CLI::App& command, const char* group);
  /// For merges, which need no more memory than a buffer for each input: without -S.
  void add_for_merges(CLI::App& command, const char* group);
  /// \throws invalid_argument where one is malformed
  void check() const;

  /// Bytes for a sort: what -S says, else what suits the machine.
  std::size_t limit() const;
  /// Inputs that are merged at once; 0: as many as possible.
  std::size_t batch() const;
  files::temporary_store store() const { return files::temporary_store(temporary_folders, compress_program); }
  /// For outputs whose folder takes no new file; empty: TMPDIR, or /tmp.
  std::string folder() const { return temporary_folders.empty() ? std::string() : temporary_folders.front(); }
};

/// A number as sort(1) takes it: blanks and a '+' in front, decimal digits and nothing behind. \param option  that it
/// is the argument of, for the message \param any  numbers beyond 64 bits stand for the largest \throws
/// files::refused_by_sort
std::uint64_t number_of_option(std::string_view text, std::string_view option, bool any);
/// \throws files::refused_by_sort where -S would refuse it
/// \param option  as it was written
void check_buffer_size(const std::string& text, const char* option);
/// Of two -S the one that says more.
std::string larger_buffer_size(const std::string& a, const std::string& b);
std::uint64_t parse_batch_size(const std::string& text);

} // namespace sortile::cli
