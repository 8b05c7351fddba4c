// What an experiment is: a question, a run that gives points, and how these become tables and charts. Tables and charts
// follow from the points and the environment alone, so committed results give them again without a GPU.
#pragma once

#include "bench/classics/plot/chart.hpp"
#include "bench/classics/workbench.hpp"

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace sortile::experiments {

using points = std::vector<point>;

struct experiment {
  std::string_view name, question;
  bool counts_alone = false; ///< has something to say without a GPU
  points (*run)(workbench&) = nullptr;
  std::vector<plot::chart> (*charts)(const points&, const testing::facts& environment) = nullptr;
  std::string (*tables)(const points&, const testing::facts& environment) = nullptr; ///< Markdown
  /// Counts anew by the executor what kept points say of counts, and leaves their times; null where there are no
  /// counts.
  points (*recount)(points kept, std::uint64_t seed) = nullptr;
};

std::span<const experiment> all_experiments();
/// \throws invalid_argument listing the names where there is none of this one
const experiment& experiment_named(std::string_view name);

// The experiments, a file each.
extern const experiment lab_report, lab_counters, staircase, sweeps, scan_share, crossings, quicksorts, inputs_compared,
    oversampling, contention, sequential, recursion, against_cub, counters;

// --- from points to tables and charts

/// The points of one facet.
points of_facet(const points& all, std::string_view facet);
/// The facets in the order in which they first appear.
std::vector<std::string> facets_of(const points& all);
/// The first point of a series (and category, or x); null where there is none.
const point* find(const points& all, std::string_view series, std::string_view category = {});

/// A number that a point gives, or nothing.
using reading = std::function<std::optional<double>(const point&)>;

/// The series of a chart: x is the point's x, or its category's place among `categories`.
std::vector<plot::series> series_of(const points& all, const std::vector<std::string>& categories, const reading& y);
/// The categories in the order in which they first appear.
std::vector<std::string> categories_of(const points& all);

/// A Markdown table, a row a series and a column a category or x, after a header line `title`. `cell` gives its text.
std::string table_of(const std::string& title, const points& all, const std::string& corner,
                     const std::function<std::string(double)>& column_name,
                     const std::function<std::string(const point&)>& cell);
/// Any table, cells padded so that it reads as plain text too.
std::string markdown(const std::vector<std::vector<std::string>>& rows);

/// "1.23 ms", "45.1 µs": three figures.
std::string duration_text(double seconds);
/// A point's median and, in per cent, how far its runs lie from it: "15.6 µs ±14 %".
std::string duration_with_noise(const point& p);
/// Three figures.
std::string figures_text(double number);
/// "2^20", or the number where it is no power of two.
std::string power_text(double number);

/// "NVIDIA H100 80GB HBM3, CUDA 13.0, CUB 3.0.1": for subtitles.
std::string machine_text(const testing::facts& environment);

} // namespace sortile::experiments
