// sortile sort -n against sort -n of coreutils: file to file.
#pragma once

#include "bench_contenders.hpp"

namespace sortile::cli {

/// Writes the keys as decimal lines into a temporary directory (TMPDIR, else /tmp) and sorts that file with both
/// commands as processes of their own. \throws error where their outputs differ, or sort(1) cannot be run
std::vector<testing::timing> race_line_sorts(const bench_data& data, const options& opts,
                                             const testing::race_options& how);

} // namespace sortile::cli
