// See size_series.hpp.
#include "bench/classics/size_series.hpp"

#include <algorithm>
#include <map>

namespace sortile::experiments {

namespace {

/// How far a classic has come.
struct progress {
  double last = 0, before = 0; ///< median seconds of the last two sizes
  bool over = false;

  /// Seconds foreseen for the next size: it grows at least as the size does, and as it did before.
  double foreseen(double growth_of_n) const {
    return last * std::max(growth_of_n, before > 0 ? last / before : growth_of_n);
  }
};

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

  bool takes_part(const classics::classic& c, std::uint64_t n) {
    progress& p = progress_[&c];
    if (n > c.largest_n || p.over)
      return false;
    p.over = p.foreseen(double(1u << wanted_.log_step)) > wanted_.seconds_a_run;
    return !p.over;
  }

  void note_progress(const classics::classic& c, const point& p) {
    progress& made = progress_[&c];
    made.before = made.last;
    made.last = p.median();
    made.over = p.seconds.size() < 2; // failed, or too slow to be repeated
  }

  workbench& bench_;
  const size_series& wanted_;
  std::map<const classics::classic*, progress> progress_;
  points points_;
};

} // namespace

points run_over_sizes(workbench& bench, const size_series& wanted) {
  return sizes_run(bench, wanted).all();
}

plot::chart chart_over_sizes(const points& all, const std::vector<std::string>& families, const std::string& name,
                             const std::string& title, const json_value& environment) {
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
