// What the two optimisations of the laboratory sort do to memory: its variants counted by the executor, beside their
// times on a GPU.
//
// Question: the lab report's variants differ in padding and in coalescing. How many sectors do their loads and stores
// touch and how many wavefronts do their shared accesses take, with the window of bits that the report gives them; and
// does that explain who is ahead at a narrow span and at the full one?
#include "bench/classics/counting.hpp"
#include "bench/classics/lab.hpp"

#include <sortile/error.hpp>

namespace sortile::experiments {

namespace {

/// The narrowest and the widest: 4 passes and 16.
const lab::span_of_keys ends[] = {lab::spans.front(), lab::spans.back()};

std::string facet_of(const lab::span_of_keys& span) {
  return std::string("span ") + span.name;
}

count_request request_of(const lab::span_of_keys& span, const lab::variant& v, bool quick) {
  const classics::classic& c = classics::classic_named(lab::classic);
  return {&c, v.given, span.workload, counted_length(c, quick), span.window()};
}

points run(workbench& bench) {
  const classics::classic& c = classics::classic_named(lab::classic);
  points all;
  std::vector<count_request> requests;
  for (const lab::span_of_keys& span : ends) {
    std::vector<std::pair<const classics::classic*, parameters>> sorts;
    for (const lab::variant& v : lab::variants) {
      sorts.push_back({&c, v.given});
      requests.push_back(request_of(span, v, bench.quick()));
    }
    points some = timed(bench, span.workload, timed_length(bench, c), sorts, span.window());
    for (std::size_t k = 0; k < some.size(); ++k) {
      some[k].facet = facet_of(span);
      some[k].series = some[k].category = lab::variants[k].name;
      all.push_back(some[k]);
    }
  }
  bench.say("timed; counting");
  return counted(requests, std::move(all), bench.seed());
}

points recount(points kept, std::uint64_t seed) {
  std::vector<count_request> requests;
  for (const point& p : kept)
    for (const lab::span_of_keys& span : ends)
      for (const lab::variant& v : lab::variants)
        if (p.facet == facet_of(span) && p.category == v.name)
          requests.push_back(request_of(span, v, false));
  if (requests.size() != kept.size())
    throw invalid_argument("lab-counters: a point of another span or variant than there is");
  return counted(requests, std::move(kept), seed);
}

/// Of the lab sort's variants: counts and time, each as a multiple of the variant with both optimisations.
plot::chart lab_chart(const points& variants_shown, const std::string& facet, const testing::facts& environment) {
  const auto relative = [&](const char* name, const std::function<double(const point&)>& of) {
    plot::series line{name, {}};
    for (std::size_t k = 0; k < variants_shown.size(); ++k)
      if (of(variants_shown.front()) > 0)
        line.values.push_back({double(k), of(variants_shown[k]) / of(variants_shown.front())});
    return line;
  };
  plot::chart drawn{
      .name = std::string("classics-lab-counters-") + (facet == facet_of(lab::spans.back()) ? "full" : "256"),
      .title = "What the counters explain: radix-lab, " + facet,
      .subtitle = "1 = with padding and coalescing; counts by the executor, time: " + machine_text(environment),
      .x = {"variant", plot::scale::categories, categories_of(variants_shown)},
      .y = {"relative to both", plot::scale::linear},
      .lines = {},
      .bars = true};
  drawn.lines.push_back(relative("global sectors", [](const point& p) { return p.figure("sector bytes"); }));
  drawn.lines.push_back(relative("sectors a store", [](const point& p) { return p.figure("sectors a store"); }));
  drawn.lines.push_back(relative("shared wavefronts", [](const point& p) { return p.figure("shared wavefronts"); }));
  drawn.lines.push_back(relative("GPU time", nanoseconds_a_key));
  std::erase_if(drawn.lines, [](const plot::series& s) { return s.values.empty(); });
  return drawn;
}

std::vector<plot::chart> charts(const points& all, const testing::facts& environment) {
  std::vector<plot::chart> drawn;
  for (const std::string& facet : facets_of(all))
    drawn.push_back(lab_chart(of_facet(all, facet), facet, environment));
  return drawn;
}

std::string tables(const points& all, const testing::facts&) {
  return table_of_counts("radix-lab", all);
}

} // namespace

const experiment lab_counters{.name = "lab-counters",
                              .question = "the lab sort's variants, counted at the lab report's windows, beside the "
                                          "GPU time that the counts explain",
                              .counts_alone = true,
                              .run = run,
                              .charts = charts,
                              .tables = tables,
                              .recount = recount};

} // namespace sortile::experiments
