// The CPU engine: stable parallel sorts, merges and permutations of arrays in host memory. The requests are checked
// already.
#pragma once

#include "plan/engine.hpp"

#include <optional>

namespace sortile::cpu {

/// The engine called "cpu".
const engine& cpu_engine();

// What has no plan of its own: used by every engine's host requests.
void merge(const merge_request& request, const options& opts, unsigned threads);
void add_merge_steps(const merge_request& request, std::vector<plan_step>& steps);
void argsort_rows(const rows_request& request, const options& opts, unsigned threads);
void sort_rows(const sort_rows_request& request, const options& opts, unsigned threads);
void permute(const permute_request& request, unsigned threads);
std::optional<std::size_t> first_disorder(key_type type, const void* keys, std::size_t n, const options& opts,
                                          unsigned threads);

} // namespace sortile::cpu
