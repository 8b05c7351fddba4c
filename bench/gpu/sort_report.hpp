// What the results of the GPU benchmark say: verdicts against the targets, tables, a plot.
#pragma once

#include "bench/classics/plot/chart.hpp"
#include "bench/gpu/sort_results.hpp"
#include "bench/gpu/targets.hpp"

#include <string>
#include <vector>

namespace sortile::bench {

enum class verdict {
  met,
  missed,     ///< ahead of CUB, or level within the noise, but not as far as asked for
  loses,      ///< slower than CUB by more than the noise, or by more than 2 %
  wrong,      ///< sortile gave a wrong result, or none
  not_judged, ///< nothing to compare with: no time of the rival's, or a clock other than the target's
};

/// sortile against its rival and the target in one row.
struct judgement {
  verdict outcome = verdict::not_judged;
  double ratio = 0; ///< the rival's time over sortile's; 0 where one is missing
  double noise = 0; ///< of the ratio: those of both times together
};

/// A ratio is never slower than CUB where it falls short of 1 by no more than the noise, and by 2 % at most. All other
/// targets have no such allowance. Against a pinned copy the ratio is the share of its rate, and never loses.
judgement judge(const sort_result& measured, const target& wanted, bool single_calls);

/// Bytes of workspace that sortile may take where CUB takes `cubs`: as many; below 2^20 elements 1 MB where that is
/// more. The place that a caller of CUB gives for keys which sortile does not write counts as CUB's.
double workspace_allowed(const sort_row& row, std::size_t cubs);

/// "NVIDIA H100 80GB HBM3, CUDA 13.0, CUB 3.0.1, copy 3.00 TB/s, revision …, date".
std::string machine_line(const sort_results& all);

/// One table of the group's rows, measured or not; of "others": the rows that are in no group. Markdown. Rows of host
/// memory have columns of their own, and are all in one group.
std::string table_of_group(const sort_results& all, std::string_view group);
/// All groups of which a row was measured, each under a heading, and "others".
std::string tables(const sort_results& all);
/// "41 rows with a target: 20 met, …".
std::string tally(const sort_results& all);

/// Bytes moved against time for the uniform rows of 2^28, with the line of the copy rate. Without floats: they move
/// what integers of their width do. \throws invalid_argument where no such row was measured
plot::chart traffic_chart(const sort_results& all);

} // namespace sortile::bench
