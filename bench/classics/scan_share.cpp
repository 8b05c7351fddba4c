// How much of a radix sort its scans are.
//
// Question: a pass of b bits scans a table of 2^b sizes a tile. Wider digits make fewer passes and longer tables. Which
// share of the sort's time are the scans, and do larger tiles make them vanish?
#include "bench/classics/experiment.hpp"

namespace sortile::experiments {

namespace {

constexpr const char *one_scan = "seconds of a scan", *share = "share of the scans", *table = "numbers in the table";

struct tiling {
  const char* classic;
  parameters given;
  std::uint64_t tile; ///< keys
};
const tiling tilings[] = {{"radix-bits", {}, 256},
                          {"radix-bits-coarsened", {{"keys", 8}}, 2048},
                          {"radix-bits-coarsened", {{"keys", 32}}, 8192}};

/// The median of one scan of n numbers, from an idle GPU: about a launch more than it takes among others.
double seconds_of_scan(workbench& bench, std::uint64_t n) {
  contest on(bench, "range:2", n);
  on.add(on.work_of(classics::classic_named("scan-single-pass"), {}));
  const standing found = on.run().front();
  return testing::timing{found.name, found.seconds}.median();
}

points run(workbench& bench) {
  points all;
  const std::uint64_t n = bench.size(std::uint64_t{1} << 22);
  for (const tiling& how : tilings) {
    const classics::classic& c = classics::classic_named(how.classic);
    contest on(bench, "uniform", n);
    for (unsigned bits = 1; bits <= 8; ++bits) {
      parameters given = how.given;
      given["bits"] = bits;
      on.add(on.work_of(c, given));
    }
    const std::vector<standing> standings = on.run();
    for (unsigned bits = 1; bits <= 8; ++bits) {
      point p = point_of(standings[bits - 1], on);
      p.series = label(c, how.given);
      p.x = bits;
      p.figures[table] = double(((n + how.tile - 1) / how.tile) << bits);
      p.figures[one_scan] = seconds_of_scan(bench, std::uint64_t(p.figures[table]));
      if (!p.seconds.empty())
        p.figures[share] = (32 + bits - 1) / bits * p.figures[one_scan] / p.median();
      all.push_back(std::move(p));
    }
    bench.say(how.classic);
  }
  return all;
}

std::vector<plot::chart> charts(const points& all, const testing::facts& environment) {
  return {{.name = "classics-scan-share",
           .title = "The scans of a radix sort",
           .subtitle = power_text(double(all.front().n)) + " uniform u32; " + machine_text(environment),
           .x = {"bits a pass", plot::scale::linear},
           .y = {"per cent of the sort's time, at most", plot::scale::linear},
           .lines = series_of(all, {}, [](const point& p) -> std::optional<double> {
             return p.seconds.empty() ? std::nullopt : std::optional(100 * p.figure(share));
           })}};
}

std::string tables(const points& all, const testing::facts&) {
  return table_of("Time of " + power_text(double(all.front().n)) + " uniform u32 (the scans, at most), by bits a pass",
                  all, "bits", power_text, [](const point& p) {
                    return p.seconds.empty()
                               ? p.note
                               : duration_text(p.median()) + " (" + figures_text(100 * p.figure(share)) + " %)";
                  });
}

} // namespace

const experiment scan_share{.name = "scan-share",
                            .question = "the scans' share of a radix sort's time, by bits a pass and by tile",
                            .run = run,
                            .charts = charts,
                            .tables = tables};

} // namespace sortile::experiments
