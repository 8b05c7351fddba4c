// How even sample sort's buckets are, by the keys sampled for each splitter.
//
// Question: a sample of s keys a bucket costs more the larger s is, and makes the largest bucket smaller, for which all
// others may have to wait. How large is it? Counted of the classic's own steps; the time of a GPU has no part in it.
#include "bench/classics/experiment.hpp"

#include <sortile/error.hpp>

#include <algorithm>

namespace sortile::experiments {

namespace {

constexpr unsigned ways = 64, most_seeds = 15, samples[] = {1, 2, 4, 8, 16};
constexpr const char *inputs[] = {"uniform", "sorted", "normal"}, *typical = "largest bucket",
                     *worst = "largest of all";

/// The largest bucket of the first division, as a multiple of a fair share.
double largest_bucket(const std::string& workload, unsigned oversampling, std::uint64_t n, std::uint64_t seed) {
  classics::machine on(executor::device_options{.seed = seed});
  const classics::request asked{
      .n = n, .workload = workload, .seed = seed, .parameters = {{"ways", ways}, {"oversampling", oversampling}}};
  std::vector<classics::step> steps;
  const classics::outcome done =
      classics::run(classics::classic_named("sample-sort-launching"), asked, classics::engine::executor, on, 1, &steps);
  if (!done.verdict)
    throw error(status::internal_error, "wrong result on the executor: " + done.verdict.complaint);
  for (const classics::step& s : steps)
    for (const classics::row& r : s.rows)
      if (r.label == "size") {
        std::uint64_t largest = 0;
        for (const std::string& cell : r.cells)
          largest = std::max<std::uint64_t>(largest, std::stoull(cell));
        return double(largest) * ways / double(n);
      }
  throw error(status::internal_error, "oversampling: " + std::to_string(n) + " keys were not divided");
}

points run(workbench& bench) {
  points all;
  const std::uint64_t n = bench.quick() ? 4096 : std::uint64_t{1} << 15;
  const unsigned seeds = bench.quick() ? 3 : most_seeds;
  for (const char* workload : inputs)
    for (const unsigned s : samples) {
      std::vector<double> largest;
      for (std::uint64_t seed = 1; seed <= seeds; ++seed)
        largest.push_back(largest_bucket(workload, s, n, bench.seed() * 1000 + seed));
      std::sort(largest.begin(), largest.end());
      point p{.series = workload, .x = double(s), .n = n, .workload = workload};
      p.figures[typical] = largest[largest.size() / 2];
      p.figures[worst] = largest.back();
      p.note = "buckets are counted, of " + std::to_string(seeds) + " inputs";
      all.push_back(std::move(p));
    }
  return all;
}

std::vector<plot::chart> charts(const points& all, const testing::facts&) {
  return {{.name = "classics-oversampling",
           .title = "The largest of 64 buckets",
           .subtitle = power_text(double(all.front().n)) + " u32, median of the inputs",
           .x = {"sampled keys a bucket", plot::scale::powers_of_two},
           .y = {"fair shares", plot::scale::linear},
           .lines = series_of(all, {}, [](const point& p) { return std::optional(p.figure(typical)); })}};
}

std::string tables(const points& all, const testing::facts&) {
  return table_of("The largest of " + std::to_string(ways) + " buckets of " + power_text(double(all.front().n)) +
                      " u32, in fair shares: median (largest) of the inputs",
                  all, "sampled keys a bucket", power_text, [](const point& p) {
                    return figures_text(p.figure(typical)) + " (" + figures_text(p.figure(worst)) + ")";
                  });
}

} // namespace

const experiment oversampling{.name = "oversampling",
                              .question = "sampled keys a bucket, and the largest bucket of sample sort",
                              .counts_alone = true,
                              .run = run,
                              .charts = charts,
                              .tables = tables};

} // namespace sortile::experiments
