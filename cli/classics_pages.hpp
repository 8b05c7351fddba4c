// What sortile classics writes for other programs: a page for a browser, and the trace of a run.
#pragma once

#include "jobs.hpp"

#include "classics/runner.hpp"

#include <string>

namespace sortile::cli {

/// `--html FILE`, and `--beside OTHER` with it: the page of a run, or of two on the same keys.
void write_page(const classics_job& job, const classics::classic& chosen, const classics::request& asked);

/// `--trace FILE`: runs the classic under a recorder and writes what it saw.
void write_trace(const classics_job& job, const classics::classic& chosen, const classics::request& asked);

} // namespace sortile::cli
