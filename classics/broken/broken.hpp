// The broken zoo: kernels as they circulate, in books' margins, courses and answers on the web, each with its bug.
// `sortile classics break NAME` runs one under the executor's checks, and says what was found. Whoever repairs the file
// named there, and builds again (make tools), hears from the same command that it agrees.
//
// The files are small: unsigned 32-bit keys alone, one way to launch (kernels.hpp).
#pragma once

#include "classics/classic.hpp"

#include <span>
#include <string>
#include <string_view>

namespace sortile::classics {

struct specimen {
  std::string_view name;
  std::string_view symptom;  ///< what a learner sees on a GPU, if anything
  std::string_view found_as; ///< the executor's name for it, or "wrong result"
  std::string_view look;     ///< where to look, without the answer
};

/// What is known of each broken classic.
std::span<const specimen> all_specimens();
/// \throws invalid_argument listing the names
const specimen& specimen_named(std::string_view name);
/// The classics themselves, in the order of all_specimens().
std::span<const classic> all_broken();

/// What a run of a specimen under the executor's checks came to.
struct autopsy {
  std::string_view found_as; ///< the executor's name for a fault, "wrong result", or empty: nothing was found
  std::string report;        ///< what it said
  unsigned runs = 0;
};
/// Runs of several lengths under `schedules` seeds each, up to the first that fails.
autopsy examine(const classic& broken, unsigned schedules = 16);

/// A line each.
std::string list_of_specimens();

} // namespace sortile::classics
