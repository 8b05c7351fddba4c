// One number varied at a time: the radix's width and the keys a thread.
//
// Question: a wider digit means fewer passes but more local 1-bit splits a pass and shorter runs; more keys a thread
// mean larger tiles and longer runs but fewer threads. Where is the best, and how flat is it?
#include "bench/classics/experiment.hpp"

namespace sortile::experiments {

namespace {

constexpr const char* width = "radix width";
constexpr const char* coarsening = "coarsening";

struct line {
  const char* facet;
  const char* classic;
  const char* varied;
  parameters fixed;
};

const line lines[] = {{width, "radix-bits", "bits", {}},
                      {width, "radix-bits-coarsened", "bits", {{"keys", 8}}},
                      {width, "radix-bits-coarsened", "bits", {{"keys", 32}}},
                      {width, "radix-masks", "bits", {}},
                      {coarsening, "radix-1bit-coarsened", "keys", {}},
                      {coarsening, "radix-bits-coarsened", "keys", {{"bits", 2}}},
                      {coarsening, "radix-bits-coarsened", "keys", {{"bits", 4}}},
                      {coarsening, "radix-bits-coarsened", "keys", {{"bits", 8}}}};

points sweep(workbench& bench, const line& l, std::uint64_t n) {
  const classics::classic& c = classics::classic_named(l.classic);
  contest on(bench, "uniform", n);
  std::vector<unsigned> values;
  for (const classics::parameter& p : c.parameters)
    for (unsigned v = p.least; p.name == l.varied && v <= p.most; v = l.facet == width ? v + 1 : 2 * v)
      values.push_back(v);
  for (const unsigned v : values) {
    parameters given = l.fixed;
    given[l.varied] = v;
    on.add(on.work_of(c, given));
  }
  points all;
  const std::vector<standing> standings = on.run();
  for (std::size_t k = 0; k < standings.size(); ++k) {
    point p = point_of(standings[k], on);
    p.facet = l.facet;
    p.series = label(c, l.fixed);
    p.x = values[k];
    all.push_back(std::move(p));
  }
  return all;
}

points run(workbench& bench) {
  points all;
  for (const line& l : lines) {
    const points more = sweep(bench, l, bench.size(std::uint64_t{1} << 24));
    all.insert(all.end(), more.begin(), more.end());
  }
  return all;
}

std::vector<plot::chart> charts(const points& all, const testing::facts& environment) {
  std::vector<plot::chart> drawn;
  for (const std::string& facet : facets_of(all)) {
    const points shown = of_facet(all, facet);
    const bool bits = facet == width;
    drawn.push_back(
        {.name = bits ? "classics-sweep-width" : "classics-sweep-coarsening",
         .title = bits ? "Bits a pass" : "Keys a thread",
         .subtitle = power_text(double(shown.front().n)) + " uniform u32; " + machine_text(environment),
         .x = {bits ? "bits a pass" : "keys a thread", bits ? plot::scale::linear : plot::scale::powers_of_two},
         .y = {"G keys/s", plot::scale::linear},
         .lines = series_of(shown, {}, [](const point& p) -> std::optional<double> {
           return p.seconds.empty() ? std::nullopt : std::optional(double(p.n) / p.median() / 1e9);
         })});
  }
  return drawn;
}

std::string tables(const points& all, const testing::facts&) {
  std::string text;
  for (const std::string& facet : facets_of(all)) {
    const points shown = of_facet(all, facet);
    text += (text.empty() ? "" : "\n") +
            table_of("Time of " + power_text(double(shown.front().n)) + " uniform u32, by " +
                         (facet == width ? "bits a pass" : "keys a thread"),
                     shown, facet == width ? "bits" : "keys", power_text,
                     [](const point& p) { return p.seconds.empty() ? p.note : duration_text(p.median()); });
  }
  return text;
}

} // namespace

const experiment sweeps{.name = "sweeps",
                        .question = "radix width from 1 to 8 bits, coarsening from 1 to 32 keys a thread",
                        .run = run,
                        .charts = charts,
                        .tables = tables};

} // namespace sortile::experiments
