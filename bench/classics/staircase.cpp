// From the naive radix sort to the production one, a step a lesson.
//
// Question: what does each lesson (scan in one launch, coalesced writes, several bits a pass, several keys a thread)
// gain, and how near to the memory's rate does each version come?
// Achieved bandwidth is the sectors that the executor counted for each key, over the GPU's time: what the memory system
// was asked to do. The bytes that lanes asked for are less wherever sectors are moved in part.
#include "bench/classics/counting.hpp"

#include <sortile/error.hpp>

namespace sortile::experiments {

namespace {

struct step {
  const char* lesson;
  const char* classic; ///< null: not of the gallery
  parameters given{};
};

const step steps[] = {{"naive: 1 bit, three launches", "radix-1bit"},
                      {"one launch a bit", "radix-1bit-one-launch"},
                      {"coalesced: tiles sorted first", "radix-1bit-local"},
                      {"4 bits a pass", "radix-bits", {{"bits", 4}}},
                      {"8 bits a pass", "radix-bits", {{"bits", 8}}},
                      {"coarsened: 8 keys a thread, 4 bits", "radix-bits-coarsened", {{"bits", 4}, {"keys", 8}}},
                      {"coarsened: 32 keys a thread, 4 bits", "radix-bits-coarsened", {{"bits", 4}, {"keys", 32}}},
                      {"production", nullptr},
                      {"CUB", nullptr}};

// Of the sorts that the executor does not count at this n: what their documents say they move for a 32-bit key.
// Production: one look, two partitions, one local sort. CUB: a histogram and four onesweep passes.
constexpr double production_bytes = 28, cub_bytes = 36;

void add_documented_traffic(point& p) {
  p.figures["bytes"] = p.figures["sector bytes"] = p.series == "CUB" ? cub_bytes : production_bytes;
  p.note = "traffic as documented, not counted";
}

/// To the points of the steps that are of the gallery.
void add_counted_traffic(points& all, std::uint64_t n, std::uint64_t seed) {
  std::vector<count_request> requests;
  for (const step& s : steps)
    if (s.classic != nullptr)
      requests.push_back({&classics::classic_named(s.classic), s.given, "uniform", n});
  const std::vector<executor::counters> counts = count(requests, seed);
  for (std::size_t k = 0; k < counts.size(); ++k) // the gallery's steps come first
    add_figures(all[k], counts[k], n);
}

constexpr std::uint64_t counted_n = 1u << 17;

points recount(points kept, std::uint64_t seed) {
  add_counted_traffic(kept, counted_n, seed);
  return kept;
}

points run(workbench& bench) {
  contest on(bench, "uniform", bench.size(std::uint64_t{1} << 26));
  for (const step& s : steps) {
    if (!bench.on_gpu() && std::string_view(s.lesson) == "CUB")
      continue;
    device_work work = s.classic != nullptr                  ? on.work_of(classics::classic_named(s.classic), s.given)
                       : std::string_view(s.lesson) == "CUB" ? on.cub()
                                                             : on.production();
    work.name = s.lesson;
    on.add(work);
  }
  points all;
  for (const standing& standing : on.run()) {
    all.push_back(point_of(standing, on));
    all.back().category = all.back().series;
    if (all.back().series == "production" || all.back().series == "CUB")
      add_documented_traffic(all.back());
  }
  add_counted_traffic(all, bench.size(counted_n), bench.seed());
  return all;
}

double keys_per_second(const point& p) {
  return double(p.n) / p.median();
}

double copy_rate(const testing::facts& environment) {
  return environment.number("copy_bytes_per_second");
}

/// The points again, as one series of the chart.
points as_series(const points& all, const char* name) {
  points renamed = all;
  for (point& p : renamed)
    p.series = name;
  return renamed;
}

std::vector<plot::chart> charts(const points& all, const testing::facts& environment) {
  const std::vector<std::string> steps_shown = categories_of(all);
  const std::string n = all.empty() ? "" : power_text(double(all.front().n)) + " uniform u32; ";
  const auto lines = [&](const char* name, const reading& y) {
    return series_of(as_series(all, name), steps_shown, y).front();
  };
  const auto rate = [](const char* figure) {
    return [figure](const point& p) -> std::optional<double> {
      return p.seconds.empty() ? std::nullopt : std::optional(p.figure(figure) * keys_per_second(p) / 1e9);
    };
  };
  plot::chart speed{.name = "classics-staircase-speed",
                    .title = "The staircase: keys a second",
                    .subtitle = n + machine_text(environment),
                    .x = {"", plot::scale::categories, steps_shown},
                    .y = {"G keys/s", plot::scale::decades},
                    .lines = {lines("G keys/s",
                                    [](const point& p) -> std::optional<double> {
                                      return p.seconds.empty() ? std::nullopt : std::optional(keys_per_second(p) / 1e9);
                                    })},
                    .bars = true};
  plot::chart bandwidth{
      .name = "classics-staircase-bandwidth",
      .title = "The staircase: achieved bandwidth",
      .subtitle =
          n + machine_text(environment) + "; device copy " + figures_text(copy_rate(environment) / 1e9) + " GB/s",
      .x = {"", plot::scale::categories, steps_shown},
      .y = {"GB/s", plot::scale::linear},
      .lines = {lines("sectors moved", rate("sector bytes")), lines("bytes asked for", rate("bytes"))},
      .bars = true};
  return {speed, bandwidth};
}

std::string tables(const points& all, const testing::facts& environment) {
  std::vector<std::vector<std::string>> rows{{"step", "bytes a key", "sector bytes a key", "time", "G keys/s",
                                              "GB/s asked for", "GB/s of sectors", "of copy rate"}};
  for (const point& p : all) {
    if (p.seconds.empty()) {
      rows.push_back({p.series, "", "", p.note, "", "", "", ""});
      continue;
    }
    const double speed = keys_per_second(p) / 1e9, moved = p.figure("sector bytes") * speed,
                 copy = copy_rate(environment) / 1e9;
    rows.push_back({p.series, figures_text(p.figure("bytes")), figures_text(p.figure("sector bytes")),
                    duration_text(p.median()), figures_text(speed), figures_text(p.figure("bytes") * speed),
                    figures_text(moved), copy > 0 ? figures_text(100 * moved / copy) + " %" : ""});
  }
  return (all.empty() ? "" : power_text(double(all.front().n))) + " uniform u32\n\n" + markdown(rows);
}

} // namespace

const experiment staircase{.name = "staircase",
                           .question =
                               "naive, coalesced, several bits a pass, coarsened, production: speed and achieved "
                               "bandwidth of each step",
                           .run = run,
                           .charts = charts,
                           .tables = tables,
                           .recount = recount};

} // namespace sortile::experiments
