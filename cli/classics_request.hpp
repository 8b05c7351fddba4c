// What the options of sortile classics ask of the gallery: the classic, its keys, its parameters.
#pragma once

#include "jobs.hpp"

#include "classics/runner.hpp"

namespace sortile::cli {

/// The classic of a job: NAME, or the one that its example shows.
const classics::classic& chosen_of(const classics_job& job);

/// Its request: the keys of --keys, --keys-file, --pairs, an example or a workload. A `show` without any of them takes
/// the classic's first example.
classics::request request_of(const classics_job& job, const classics::classic& chosen);

} // namespace sortile::cli
