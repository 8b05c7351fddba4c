// Selections of arrays in host memory: the first k keys, partial sorts, the keys of ranks, quantiles. The requests are
// checked already.
#pragma once

#include "plan/engine.hpp"

#include <sortile/select.hpp>

namespace sortile::cpu {

std::size_t top_k_workspace_bytes(const top_k_request& request, unsigned threads);
void add_top_k_steps(const top_k_request& request, unsigned threads, std::vector<plan_step>& steps);

/// `workspace`: top_k_workspace_bytes() of the request.
void top_k(const top_k_request& request, const options& opts, const execution& how);

void partial_sort(const partial_sort_request& request, const options& opts, unsigned threads);
void add_ranks_steps(const ranks_request& request, std::vector<plan_step>& steps);
void add_quantiles_steps(const quantiles_request& request, std::vector<plan_step>& steps);
void nth_element(const nth_element_request& request, const options& opts, unsigned threads);
void keys_at_ranks(const ranks_request& request, const options& opts, unsigned threads);
void quantiles(const quantiles_request& request, const options& opts, unsigned threads);

} // namespace sortile::cpu
