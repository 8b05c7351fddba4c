// Sorts what is larger than memory: pieces that fit are sorted as they are in memory, each becomes a sorted run in a
// temporary file, and the runs are merged.
#pragma once

#include "files/external/run_reader.hpp"
#include "files/external/temporary_store.hpp"
#include "files/output.hpp"
#include "files/record_merge.hpp"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

namespace sortile::files {

/// What an external sort has to know of a format.
struct run_format {
  record_shape shape;   ///< of runs: where their records end
  std::string header{}; ///< goes in front of all records
  /// Puts the records of one piece into an output, in order; stable.
  std::function<void(std::string_view records, output& to)> sort;
  /// The same order, record by record.
  merge_rules rules;
};

/// What the last merge does with the records, beyond what all merges do.
struct last_merge {
  std::uint64_t most = UINT64_MAX; ///< records that are written
  /// As merge_rules have them. write_counted: of equal records, which runs hold all, only the first.
  std::function<void(std::string_view, output&)> write{};
  std::function<void(std::string_view, std::uint64_t, output&)> write_counted{};
  /// A header that says how many records follow, so that all are merged before it is written.
  std::function<std::string(std::uint64_t records)> header{};
};

/// What it may use.
struct external_options {
  std::size_t memory = 0;         ///< bytes; smallest_memory at least
  temporary_store* temporaries{}; ///< of the runs
  std::size_t batch = 0;          ///< runs that are merged at once; 0: as many as memory and open files allow
  last_merge last{};
  std::function<void(std::string)> phase{}; ///< called with the name of a phase that begins
  std::function<void(double)> progress{};   ///< how much of it is done, where that is known
};

struct external_summary {
  std::uint64_t bytes = 0; ///< of all records
  std::size_t runs = 0;    ///< that were sorted
};

/// The least memory that an external sort is content with.
inline constexpr std::size_t smallest_memory = std::size_t{1} << 20;

/// Writes all records in order: of the piece that reader.next() has handed out, and of those behind it. Stable. Nothing
/// is written before all is read. Memory: options.memory and what single records, output and readers need. Disk: what
/// the input takes; while a round of merges goes on, more only where the file system cannot give back parts of files.
/// \throws io_failure
external_summary sort_externally(run_reader& reader, std::string_view first, const run_format& format,
                                 const external_options& options, output& to);

/// Memory for sorts on this machine, as sort(1) chooses it: what is available, three quarters of all at most, less
/// where limits of the process or of its group say less.
std::size_t usual_memory();

} // namespace sortile::files
