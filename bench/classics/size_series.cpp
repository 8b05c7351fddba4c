// See size_series.hpp.
#include "bench/classics/size_series.hpp"

#include <set>

namespace sortile::experiments {

namespace {

class sizes_run {
 public:
  sizes_run(workbench& bench, const size_series& wanted) : bench_(bench), wanted_(wanted) {}

  points all() {
    for (unsigned log = wanted_.first_log; log <= wanted_.last_log; log += wanted_.log_step) {
      const std::uint64_t n = std::uint64_t{1} << log;
      if (bench_.size(n) != n)
        break;
      bench_.say("n = 2^" + std::to_string(log));
      one_size(n);
    }
    return std::move(points_);
  }

 private:
  void one_size(std::uint64_t n) {
    contest on(bench_, "uniform", n);
    std::vector<const classics::classic*> taking_part;
    for (const classics::classic* c : wanted_.members)
      if (takes_part(*c, n)) {
        taking_part.push_back(c);
        on.add(on.work_of(*c, {}));
      }
    on.add(on.production());
    if (bench_.on_gpu()) {
      on.add(on.cub());
      on.add(on.cub_scan());
      for (const thrust_form form :
           {thrust_form::sort, thrust_form::stable_sort_by_comparison, thrust_form::sort_by_key})
        on.add(on.thrust(form));
    }
    const std::vector<standing> standings =
        on.run({.run = 2 * wanted_.seconds_a_run, .all = 3 * wanted_.seconds_a_run});
    for (std::size_t k = 0; k < standings.size(); ++k) {
      const classics::classic* c = k < taking_part.size() ? taking_part[k] : nullptr;
      points_.push_back(point_of(standings[k], on));
      points_.back().facet = c != nullptr ? std::string(c->family) : references;
      points_.back().x = double(n);
      if (c != nullptr)
        note_progress(*c, points_.back());
    }
  }

  bool takes_part(const classics::classic& c, std::uint64_t n) const { return n <= c.largest_n && !over_.contains(&c); }

  /// No size is left out because of what a smaller one took: curves have steps that go both ways.
  void note_progress(const classics::classic& c, const point& p) {
    const bool failed_or_not_repeated = p.seconds.size() < 2;
    if (failed_or_not_repeated || p.median() > wanted_.seconds_a_run)
      over_.insert(&c);
  }

  workbench& bench_;
  const size_series& wanted_;
  std::set<const classics::classic*> over_; ///< those that have taken too long, or failed
  points points_;
};

} // namespace

points run_over_sizes(workbench& bench, const size_series& wanted) {
  return sizes_run(bench, wanted).all();
}

plot::chart chart_over_sizes(const points& all, const std::vector<std::string>& families, const std::string& name,
                             const std::string& title, const testing::facts& environment) {
  points shown;
  for (const std::string& family : families) {
    const points some = of_facet(all, family);
    shown.insert(shown.end(), some.begin(), some.end());
  }
  return {.name = name,
          .title = title,
          .subtitle = "uniform u32; " + machine_text(environment),
          .x = {"n", plot::scale::powers_of_two},
          .y = {"ms", plot::scale::decades},
          .lines = series_of(shown, {}, [](const point& p) -> std::optional<double> {
            return p.seconds.empty() ? std::nullopt : std::optional(p.median() * 1e3);
          })};
}

} // namespace sortile::experiments
