// How even sample sort's buckets are, by the keys sampled for each splitter.
//
// Question: a sample of s keys a bucket costs more the larger s is, and makes the largest bucket smaller, for which all
// others may have to wait. How large is it, and what does a small one gain? Buckets are counted of the classic's own
// steps, on the executor; where there is a GPU, the whole sort is timed too.
#include "bench/classics/experiment.hpp"

#include <sortile/error.hpp>

#include <algorithm>

namespace sortile::experiments {

namespace {

constexpr unsigned ways = 64, most_seeds = 15, samples[] = {1, 2, 4, 8, 16};
constexpr const char *inputs[] = {"uniform", "sorted", "normal"}, *typical = "largest bucket",
                     *worst = "largest of all", *classic = "sample-sort-launching";
constexpr const char *buckets = "", *times = "time"; // facets

parameters dividing(unsigned oversampling) {
  return {{"ways", ways}, {"oversampling", oversampling}};
}

/// The largest bucket of the first division, as a multiple of a fair share.
double largest_bucket(const std::string& workload, unsigned oversampling, std::uint64_t n, std::uint64_t seed) {
  classics::machine on(executor::device_options{.seed = seed});
  const classics::request asked{.n = n, .workload = workload, .seed = seed, .parameters = dividing(oversampling)};
  std::vector<classics::step> steps;
  const classics::outcome done =
      classics::run(classics::classic_named(classic), asked, classics::engine::executor, on, 1, &steps);
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

void count_buckets(workbench& bench, points& all) {
  const std::uint64_t n = bench.quick() ? 4096 : std::uint64_t{1} << 15;
  const unsigned seeds = bench.quick() ? 3 : most_seeds;
  for (const char* workload : inputs)
    for (const unsigned s : samples) {
      std::vector<double> largest;
      for (std::uint64_t seed = 1; seed <= seeds; ++seed)
        largest.push_back(largest_bucket(workload, s, n, bench.seed() * 1000 + seed));
      std::sort(largest.begin(), largest.end());
      point p{.facet = buckets, .series = workload, .x = double(s), .n = n, .workload = workload};
      p.figures[typical] = largest[largest.size() / 2];
      p.figures[worst] = largest.back();
      p.note = "buckets are counted, of " + std::to_string(seeds) + " inputs";
      all.push_back(std::move(p));
    }
}

/// The whole sort, all of whose samples are as large.
void take_times(workbench& bench, points& all) {
  for (const char* workload : inputs) {
    bench.say(workload);
    contest on(bench, workload, bench.size(std::uint64_t{1} << 20));
    for (const unsigned s : samples)
      on.add(on.work_of(classics::classic_named(classic), dividing(s)));
    const std::vector<standing> found = on.run();
    for (std::size_t k = 0; k < found.size(); ++k) {
      point p = point_of(found[k], on);
      p.facet = times;
      p.series = workload;
      p.x = double(samples[k]);
      all.push_back(std::move(p));
    }
  }
}

points run(workbench& bench) {
  points all;
  count_buckets(bench, all);
  if (bench.on_gpu())
    take_times(bench, all);
  return all;
}

std::vector<plot::chart> charts(const points& all, const testing::facts& environment) {
  const points counted = of_facet(all, buckets), timed = of_facet(all, times);
  const plot::axis sampled{"sampled keys a bucket", plot::scale::powers_of_two};
  std::vector<plot::chart> drawn;
  drawn.push_back({.name = "classics-oversampling",
                   .title = "The largest of 64 buckets",
                   .subtitle = power_text(double(counted.front().n)) + " u32, median of the inputs",
                   .x = sampled,
                   .y = {"fair shares", plot::scale::linear},
                   .lines = series_of(counted, {}, [](const point& p) { return std::optional(p.figure(typical)); })});
  if (!timed.empty())
    drawn.push_back({.name = "classics-oversampling-time",
                     .title = "Sample sort by the size of its samples",
                     .subtitle = power_text(double(timed.front().n)) + " u32; " + machine_text(environment),
                     .x = sampled,
                     .y = {"ms", plot::scale::linear},
                     .lines = series_of(timed, {}, [](const point& p) -> std::optional<double> {
                       return p.seconds.empty() ? std::nullopt : std::optional(1e3 * p.median());
                     })});
  return drawn;
}

std::string tables(const points& all, const testing::facts&) {
  const points counted = of_facet(all, buckets), timed = of_facet(all, times);
  std::string text =
      table_of("The largest of " + std::to_string(ways) + " buckets of " + power_text(double(counted.front().n)) +
                   " u32, in fair shares: median (largest) of the inputs",
               counted, "sampled keys a bucket", power_text, [](const point& p) {
                 return figures_text(p.figure(typical)) + " (" + figures_text(p.figure(worst)) + ")";
               });
  if (!timed.empty())
    text += "\n" + table_of("Time of " + std::string(classic) + ", " + power_text(double(timed.front().n)) + " u32",
                            timed, "sampled keys a bucket", power_text,
                            [](const point& p) { return p.seconds.empty() ? p.note : duration_text(p.median()); });
  return text;
}

} // namespace

const experiment oversampling{.name = "oversampling",
                              .question = "sampled keys a bucket, and the largest bucket of sample sort",
                              .counts_alone = true,
                              .run = run,
                              .charts = charts,
                              .tables = tables};

} // namespace sortile::experiments
