// Partial sorts, nth_element, ranks and quantiles of each segment of arrays in host memory. The requests are checked
// already, offsets too.
#pragma once

#include "plan/engine.hpp"

#include <sortile/select.hpp>

namespace sortile::cpu {

void select_in_segments(const segmented_partial_sort_request& request, const options& opts, unsigned threads);
void select_in_segments(const segmented_nth_element_request& request, const options& opts, unsigned threads);
void select_in_segments(const segmented_ranks_request& request, const options& opts, unsigned threads);
void select_in_segments(const segmented_quantiles_request& request, const options& opts, unsigned threads);

/// The results, of keys that are sorted within their segments already and lie as the request's do.
void pick_in_segments(const segmented_ranks_request& request, const void* sorted, unsigned threads);
void pick_in_segments(const segmented_quantiles_request& request, const void* sorted, unsigned threads);

void add_segment_steps(const segmented_partial_sort_request& request, std::vector<plan_step>& steps);
void add_segment_steps(const segmented_nth_element_request& request, std::vector<plan_step>& steps);
void add_segment_steps(const segmented_ranks_request& request, std::vector<plan_step>& steps);
void add_segment_steps(const segmented_quantiles_request& request, std::vector<plan_step>& steps);

} // namespace sortile::cpu
