// Exercises, and how they are graded: a learner's file defines one classic, as a file of the gallery does. It has to be
// right on a grid of inputs, under all of the executor's checks, and within bounds of what it may cost.
#pragma once

#include "classics/runner.hpp"

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace sortile::exercises {

/// A bound on what the executor counts in one run.
struct bound {
  std::string_view what; ///< "sectors a store"
  double (*counted)(const executor::counters&) = nullptr;
  double most = 0;
  classics::request asked{};
  std::string_view hint{};
};

struct exercise {
  std::string_view name;     ///< the file's, with '-' for '_'
  std::string_view solution; ///< the classic of the gallery that solves it
  std::string_view task;     ///< one sentence
  std::string_view if_wrong; ///< hints, by what failed
  std::string_view if_unstable, if_racing, if_out_of_bounds, if_waiting;
  std::vector<bound> bounds{};
};

std::span<const exercise> all_exercises();
/// \throws invalid_argument listing the names
const exercise& exercise_named(std::string_view name);

/// A line of a grade.
struct mark {
  bool passed = false;
  std::string what;
  std::string hint{}; ///< of what failed
};

/// Right on few keys, right on the grid, right under checked schedules, within the bounds. Ends behind the first that
/// failed: the rest would say the same again.
std::vector<mark> grade(const classics::classic& attempt, const exercise& by);
bool passed(const std::vector<mark>& marks);
std::string to_text(const std::vector<mark>& marks);

} // namespace sortile::exercises
