// What the front door asks of selections and groups before anything is planned. Each function throws invalid_argument.
#pragma once

#include <sortile/groups.hpp>
#include <sortile/select.hpp>

namespace sortile::checks {

void selection(const top_k_request& request, const options& opts);
void selection(const segmented_top_k_request& request, const options& opts);
void selection(const partial_sort_request& request, const options& opts);
void selection(const nth_element_request& request, const options& opts);
void selection(const ranks_request& request, const options& opts);
void selection(const quantiles_request& request, const options& opts);
void selection(const segmented_partial_sort_request& request, const options& opts);
void selection(const segmented_nth_element_request& request, const options& opts);
void selection(const segmented_ranks_request& request, const options& opts);
void selection(const segmented_quantiles_request& request, const options& opts);
void groups(const groups_request& request, const options& opts);

/// The caller's workspace: large enough, aligned, within reach, apart from the arrays of the request.
void workspace(const top_k_request& request, const options& opts, std::size_t wanted);
void workspace(const segmented_top_k_request& request, const options& opts, std::size_t wanted);
/// The same, in device memory.
void workspace(const partial_sort_request& request, const options& opts, std::size_t wanted);
void workspace(const nth_element_request& request, const options& opts, std::size_t wanted);
void workspace(const ranks_request& request, const options& opts, std::size_t wanted);
void workspace(const quantiles_request& request, const options& opts, std::size_t wanted);
void workspace(const segmented_ranks_request& request, const options& opts, std::size_t wanted);
void workspace(const segmented_quantiles_request& request, const options& opts, std::size_t wanted);
void workspace(const groups_request& request, const options& opts, std::size_t wanted);

} // namespace sortile::checks
