// What C passes, as the library's requests: numbers become enumerations, structs requests, pointers lists. What cannot
// be one is refused by its name in sortile.h.
#pragma once

#include "cpu/memory_slots.hpp"

#include <sortile/groups.hpp>
#include <sortile/request.hpp>
#include <sortile/route.hpp>
#include <sortile/scan.hpp>
#include <sortile/segments.hpp>
#include <sortile/select.hpp>
#include <sortile/sortile.h>

#include <span>

namespace sortile::c_abi {

key_type type_of(sortile_key_type given);
options options_of(const sortile_options* given);

sort_request keys_request(sortile_key_type type, const void* in, void* out, std::size_t n);
void add_values(sort_request& request, std::size_t value_bytes, const void* in, void* out);
void add_indices(sort_request& request, std::size_t index_bytes, void* out);

/// Addresses for a request that is planned and never run: apart, aligned, not null.
sort_request never_run(sortile_key_type type, std::size_t n);
void add_values_never_run(sort_request& request, std::size_t value_bytes);

top_k_request top_k_of(const sortile_top_k_request* given);
ranks_request ranks_of(sortile_key_type type, const void* keys, std::size_t n, const std::size_t* ranks,
                       std::size_t rank_count, void* keys_out);
quantiles_request quantiles_of(sortile_key_type type, const void* keys, std::size_t n, const double* probabilities,
                               std::size_t count, sortile_quantile_method method, double* results);
groups_request groups_of(const sortile_groups_request* given);
route_request route_of(const sortile_route_request* given);
scan_request scan_of(sortile_key_type type, const void* in, void* out, std::size_t n, sortile_scan_operator op,
                     scan_kind kind);
segments segments_of(const sortile_segments* given);
cpu::call_vector<column> columns_of(const sortile_column* given, std::size_t count);
cpu::call_vector<row_array> arrays_of(const sortile_row_array* given, std::size_t count);
cpu::call_vector<sorted_run> runs_of(const sortile_run* given, std::size_t count);

/// Lists and results lie in host memory, wherever the arrays do.
void need_list(const void* list, std::size_t count, const char* name);
void need_result(const void* pointer, const char* name);

template <class T>
std::span<const T> list_of(const T* list, std::size_t count, const char* name) {
  need_list(list, count, name);
  return {list, count};
}

} // namespace sortile::c_abi
