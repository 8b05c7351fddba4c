// What the options of sortile classics ask of the gallery: the classic, its keys, its parameters.
#pragma once

#include "jobs.hpp"

#include "classics/runner.hpp"

namespace sortile::cli {

/// The classic of a job: NAME, or the one that its example shows.
const classics::classic& chosen_of(const classics_job& job);

/// What is run, and which options were taken for granted, as one would type them: empty, or "--bits 0:3 --set tile=4".
struct asked_for {
  classics::request asked;
  std::string taken{};
};

/// The request of a job: the keys of --keys, --keys-file, --pairs, an example or a workload. A `show` without any of
/// them takes the classic's first example. A `show` of up to 64 other keys is for people to follow: what it is not told
/// of the parameters it takes from that example, or small tiles; and of numbers that have no sign the bits that are not
/// 0 in all of them.
asked_for request_of(const classics_job& job, const classics::classic& chosen);

/// The same with the parameters said that `show` would take for granted: as options it gives the same steps.
classics::request with_parameters_said(const classics::classic& c, classics::request asked);

} // namespace sortile::cli
