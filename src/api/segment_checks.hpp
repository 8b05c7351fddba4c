// What the front door asks of a sort within segments, before anything is planned and before anything is moved.
#pragma once

#include "plan/engine.hpp"

namespace sortile::checks {

/// The arrays, and what can be said of the segments without reading their offsets. \throws invalid_argument
void segmented(const segmented_request& request, const options& opts);

/// Reads the offsets of segments in host memory, by several threads. \throws invalid_argument where one decreases or
/// reaches beyond the arrays, or two segments overlap
segment_survey survey(const segmented_request& request, unsigned threads);

} // namespace sortile::checks
