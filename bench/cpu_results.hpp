// What the results of the CPU's bench say, measured just now or kept: tables, where sortile loses, a plot.
#pragma once

#include "bench/classics/plot/chart.hpp"
#include "testing/results.hpp"

#include <string>

namespace sortile::bench {

/// "Intel(R) Xeon(R) …, 2 CPUs, 2 threads, revision …, date".
std::string machine_line(const testing::results_file& all);

/// A table for each type of keys (and values), a row an input: nanoseconds a key of sortile's plain call and of the
/// best rivals, the fastest run of each, and the ratio. Markdown.
std::string cpu_tables(const testing::results_file& all);

/// One line on each input where some rival is faster; "nowhere" where none is.
std::string cpu_losses(const testing::results_file& all);

/// Nanoseconds a key against length, of uniform keys of a type, a line a contender. \throws invalid_argument where
/// fewer than two lengths were measured
plot::chart length_chart(const testing::results_file& all, const std::string& type);

} // namespace sortile::bench
