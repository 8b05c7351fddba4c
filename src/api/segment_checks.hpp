// What the front door asks of a sort within segments, before anything is planned and before anything is moved.
#pragma once

#include "api/array_checks.hpp"
#include "plan/engine.hpp"

namespace sortile::checks {

/// The arrays, and what can be said of the segments without reading their offsets. \throws invalid_argument
void segmented(const segmented_request& request, const options& opts);

/// What is asked of offsets without reading them. Forms other than offsets and ranges have none.
void offsets(const segments& where, memory lie_in);
/// What is asked of segments of any form in arrays of n elements, without reading offsets.
void places(const segments& where, std::size_t n, memory lie_in);
/// They lie apart from what is written.
void need_offsets_apart(const segments& where, std::initializer_list<named_array> written);

/// Reads the offsets of segments in host memory, by several threads. \throws invalid_argument where one decreases or
/// reaches beyond the arrays, or two segments overlap
segment_survey survey(const segmented_request& request, unsigned threads);

} // namespace sortile::checks
