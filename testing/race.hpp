// Timing for benches: contenders take turns on the same input, so that whatever slows the machine for a while slows all
// of them.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <vector>

namespace sortile::testing {

/// One way to do the work. `prepare` runs before every timed `run` and is not timed: it restores the input.
struct contender {
  std::string name;
  std::function<void()> prepare;
  std::function<void()> run;
  std::function<double()> timed = nullptr; ///< where set, called in place of `run`: seconds by a clock of its own
  std::function<void()> check = nullptr;   ///< where set, called after every run, untimed; throws where it was wrong
};

struct race_options {
  unsigned repetitions = 5;       ///< timed runs of each contender, at least 1
  unsigned least_repetitions = 1; ///< however long they take
  unsigned warmups = 1;           ///< untimed runs of each before
  double budget_seconds = 0;      ///< a contender whose timed runs took this long sits out the rest; 0: none does
};

/// The timed runs of one contender, in seconds.
struct timing {
  std::string name;
  std::vector<double> seconds; ///< in the order in which they were run

  double median() const;
  double fastest() const;
  /// The median distance from the median, as a share of the median: 0.01 says that half of the runs lie within 1 %.
  double noise() const;
};

/// Runs each contender in turn, round after round, beginning each round with the next one; slow ones may sit out later
/// rounds.
std::vector<timing> race(std::span<const contender> contenders, const race_options& how);

} // namespace sortile::testing
