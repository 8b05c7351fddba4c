// Selections of arrays in host memory: the first k keys, partial sorts, the keys of ranks, quantiles. The requests are
// checked already.
#pragma once

#include "plan/engine.hpp"

#include <sortile/select.hpp>

namespace sortile::cpu {

/// What select() is given as a workspace; the others allocate what they need themselves.
std::size_t select_workspace_bytes(const top_k_request& request, unsigned threads);
template <class Request>
std::size_t select_workspace_bytes(const Request&, unsigned) {
  return 0;
}

void add_select_steps(const top_k_request& request, const options& opts, unsigned threads,
                      std::vector<plan_step>& steps);
void add_select_steps(const segmented_top_k_request& request, const options& opts, unsigned threads,
                      std::vector<plan_step>& steps);
void add_select_steps(const partial_sort_request& request, const options& opts, unsigned threads,
                      std::vector<plan_step>& steps);
void add_select_steps(const nth_element_request& request, const options& opts, unsigned threads,
                      std::vector<plan_step>& steps);
void add_select_steps(const ranks_request& request, const options& opts, unsigned threads,
                      std::vector<plan_step>& steps);
void add_select_steps(const quantiles_request& request, const options& opts, unsigned threads,
                      std::vector<plan_step>& steps);

void select(const top_k_request& request, const options& opts, const execution& how);
void select(const segmented_top_k_request& request, const options& opts, const execution& how);
void select(const partial_sort_request& request, const options& opts, const execution& how);
void select(const nth_element_request& request, const options& opts, const execution& how);
void select(const ranks_request& request, const options& opts, const execution& how);
void select(const quantiles_request& request, const options& opts, const execution& how);

} // namespace sortile::cpu
