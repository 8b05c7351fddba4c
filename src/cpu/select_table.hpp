// What the untyped part of selections (select.cpp) calls of the part that knows the key's width.
#pragma once

#include "cpu/select_layout.hpp"

namespace sortile {
class progress_meter;
}

namespace sortile::cpu {

struct row_job;
struct ranks_plan;

struct select_functions {
  /// find_first() of first_search.hpp.
  const std::uint32_t* (*find_first)(const void* keys, std::size_t n, key_type type, const options& opts, std::size_t k,
                                     const first_search_layout& layout, std::byte* memory, progress_meter* progress);
  void (*top_k_row)(const top_k_request& row, const top_k_layout& layout, const row_job& job);
  void (*ranks_row)(const ranks_request& row, const ranks_plan& plan, const row_job& job);
  void (*make_room_for_first)(const partial_sort_request& request, const void* first, const options& opts,
                              unsigned threads);
  /// By vectors, of long arrays of 4 and 8 bytes.
  void (*long_nth_element)(const nth_element_request& request, const options& opts, unsigned threads,
                           progress_meter& progress);
  /// By splits: integers that are compared as a whole, where no vectors select.
  void (*nth_element_by_splits)(const nth_element_request& request, const options& opts, progress_meter& progress);
  void (*exchange_around)(const nth_element_request& request, const void* found, const options& opts, unsigned threads);
};

template <class K>
const select_functions& select_functions_of();

const select_functions& functions_of(key_type type);

} // namespace sortile::cpu
