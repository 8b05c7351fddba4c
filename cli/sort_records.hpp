// What sorts of lines, tables and records of one size have in common; see sort_records.cpp.
#pragma once

#include "sort_job.hpp"

#include "files/external/run_formats.hpp"
#include "files/external/run_reader.hpp"
#include "files/record_counts.hpp"
#include "files/record_order.hpp"
#include "files/record_table.hpp"

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>

namespace sortile::cli {

/// Records in memory, and what goes with them into the output.
struct records_to_sort {
  const files::record_table& records;
  const files::record_order& order;
  std::string header{};    ///< goes first
  std::string descr{};     ///< of .npy records of which some are left out: their header is made of it
  std::string_view last{}; ///< goes behind them
  files::counted_form count{};
  /// Gives back the memory of the text; called when all is written. That takes the system long, as does taking leave of
  /// the target's old contents, so one goes on beside the other.
  std::function<void()> release_text = [] {};
};
int sort_records_to(const sort_job& job, const records_to_sort& what, progress_bar& bar, const talk& voice);

/// What a run of so many records takes beside its text.
std::function<std::size_t(std::size_t)> memory_of_run(const sort_job& job, const files::record_order& order);

/// A sort in runs of which the reader has handed out the first. \param cut  as files::record_runs()
runs_to_sort runs_of(const sort_job& job, const files::run_reader& reader, std::string_view run,
                     const files::record_shape& shape, const files::record_order& order, files::record_cutter cut = {});

} // namespace sortile::cli
