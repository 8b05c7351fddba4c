// The C ABI: the functions, and what is thrown as a status and a message. c_request.hpp has what C passes as requests.
#include "api/c_request.hpp"

#include "plan/engine.hpp"

#include <algorithm>
#include <cstring>

namespace {

using namespace sortile;
using namespace sortile::c_abi;

/// What went wrong in this thread's last failed call. An array, since there may be no memory for a string.
thread_local char last_message[1024] = "";

void keep_message(const char* text) noexcept {
  const std::size_t length = std::min(std::strlen(text), sizeof last_message - 1);
  std::memcpy(last_message, text, length);
  last_message[length] = '\0';
}

static_assert(static_cast<int>(status::internal_error) == SORTILE_INTERNAL_ERROR);

/// Runs `work`; what it throws becomes a status and a message.
template <class Work>
sortile_status translated(Work&& work) noexcept {
  try {
    work();
    return SORTILE_OK;
  } catch (const error& e) {
    keep_message(e.what());
    return static_cast<sortile_status>(e.code());
  } catch (const std::bad_alloc&) {
    keep_message("sortile: out of memory");
    return SORTILE_OUT_OF_MEMORY;
  } catch (const std::exception& e) {
    keep_message(e.what());
    return SORTILE_INTERNAL_ERROR;
  } catch (...) { // a callback of a caller that is C++ in fact
    keep_message("sortile: a callback threw; it must not");
    return SORTILE_INTERNAL_ERROR;
  }
}

/// Of calls without a plan.
options options_to_run(const sortile_options* given) {
  if (given != nullptr && given->explain != nullptr)
    throw invalid_argument("sortile: options.explain is given, but this call has no plan; it must be NULL");
  return options_of(given);
}

/// Does what is asked, or tells how. \return what run() does; of an explanation 0
template <class Request>
auto perform(const Request& request, const sortile_options* given) {
  if constexpr (requires(options opts) { explain(request, opts); })
    if (given != nullptr && given->explain != nullptr) {
      const options opts = options_of(given);
      given->explain(to_string(explain(request, opts)).c_str(), given->explain_user);
      return decltype(run(request, opts))();
    }
  return run(request, options_to_run(given));
}

} // namespace

sortile_status sortile_sort(sortile_key_type type, const void* in, void* out, size_t n, const sortile_options* opts) {
  return translated([&] { perform(keys_request(type, in, out, n), opts); });
}

sortile_status sortile_sort_by_key(sortile_key_type type, const void* keys_in, void* keys_out, size_t value_bytes,
                                   const void* values_in, void* values_out, size_t n, const sortile_options* opts) {
  return translated([&] {
    sort_request request = keys_request(type, keys_in, keys_out, n);
    add_values(request, value_bytes, values_in, values_out);
    perform(request, opts);
  });
}

sortile_status sortile_argsort(sortile_key_type type, const void* keys, size_t n, size_t index_bytes, void* indices,
                               const sortile_options* opts) {
  return translated([&] {
    sort_request request = keys_request(type, keys, nullptr, n);
    add_indices(request, index_bytes, indices);
    perform(request, opts);
  });
}

sortile_status sortile_sort_double_buffer(sortile_key_type type, void* keys_first, void* keys_second,
                                          size_t value_bytes, void* values_first, void* values_second, size_t n,
                                          int* result_in_first, const sortile_options* opts) {
  return translated([&] {
    need_result(result_in_first, "result_in_first");
    sort_request request = keys_request(type, keys_first, keys_second, n);
    if (value_bytes > 0)
      add_values(request, value_bytes, values_first, values_second);
    request.input_is_scratch = true;
    if (n > 0 && keys_first == keys_second)
      throw invalid_argument("sortile: keys_first and keys_second are the same array; a double buffer is two arrays "
                             "apart, and sortile_sort and sortile_sort_by_key sort within one");
    *result_in_first = perform(request, opts) == result_place::input ? 1 : 0;
  });
}

sortile_status sortile_argsort_rows(const sortile_column* columns, size_t column_count, size_t n, size_t index_bytes,
                                    void* indices, const sortile_options* opts) {
  return translated([&] { perform(rows_request{n, columns_of(columns, column_count), indices, index_bytes}, opts); });
}

sortile_status sortile_sort_rows(const sortile_column* columns, size_t column_count, const sortile_row_array* arrays,
                                 size_t array_count, size_t n, const sortile_options* opts) {
  return translated([&] {
    const cpu::call_vector<row_array> list = arrays_of(arrays, array_count);
    perform(sort_rows_request{n, columns_of(columns, column_count), list}, opts);
  });
}

sortile_status sortile_permute(size_t n, const void* indices, size_t index_bytes, void* values, size_t value_bytes,
                               const sortile_options* opts) {
  return translated([&] { perform(permute_request{n, indices, index_bytes, values, value_bytes}, opts); });
}

sortile_status sortile_merge(sortile_key_type type, const sortile_run* runs, size_t run_count, void* keys_out,
                             size_t value_bytes, void* values_out, const sortile_options* opts) {
  return translated([&] {
    const cpu::call_vector<sorted_run> list = runs_of(runs, run_count);
    perform(merge_request{type_of(type), list, keys_out, value_bytes, values_out}, opts);
  });
}

sortile_status sortile_merge_workspace_bytes(sortile_key_type type, const sortile_run* runs, size_t run_count,
                                             void* keys_out, size_t value_bytes, void* values_out, size_t* bytes,
                                             const sortile_options* opts) {
  return translated([&] {
    need_result(bytes, "bytes");
    const cpu::call_vector<sorted_run> list = runs_of(runs, run_count);
    *bytes = workspace_bytes(merge_request{type_of(type), list, keys_out, value_bytes, values_out}, options_of(opts));
  });
}

sortile_status sortile_top_k(const sortile_top_k_request* request, const sortile_options* opts) {
  return translated([&] { perform(top_k_of(request), opts); });
}

sortile_status sortile_top_k_workspace_bytes(const sortile_top_k_request* request, size_t* bytes,
                                             const sortile_options* opts) {
  return translated([&] {
    need_result(bytes, "bytes");
    top_k_request unplaced = top_k_of(request);
    unplaced.keys_in = nullptr;
    *bytes = workspace_bytes(unplaced, options_of(opts));
  });
}

sortile_status sortile_partial_sort(sortile_key_type type, void* keys, size_t n, size_t k, size_t value_bytes,
                                    void* values, const sortile_options* opts) {
  return translated([&] { perform(partial_sort_request{type_of(type), n, k, keys, value_bytes, values}, opts); });
}

sortile_status sortile_partial_sort_workspace_bytes(sortile_key_type type, size_t n, size_t k, size_t value_bytes,
                                                    size_t* bytes, const sortile_options* opts) {
  return translated([&] {
    need_result(bytes, "bytes");
    *bytes = workspace_bytes(partial_sort_request{.type = type_of(type), .n = n, .k = k, .value_bytes = value_bytes},
                             options_of(opts));
  });
}

sortile_status sortile_nth_element(sortile_key_type type, void* keys, size_t n, size_t nth,
                                   const sortile_options* opts) {
  return translated([&] { perform(nth_element_request{type_of(type), n, nth, keys}, opts); });
}

sortile_status sortile_nth_element_workspace_bytes(sortile_key_type type, size_t n, size_t nth, size_t* bytes,
                                                   const sortile_options* opts) {
  return translated([&] {
    need_result(bytes, "bytes");
    *bytes = workspace_bytes(nth_element_request{.type = type_of(type), .n = n, .nth = nth}, options_of(opts));
  });
}

sortile_status sortile_keys_at_ranks(sortile_key_type type, const void* keys, size_t n, const size_t* ranks,
                                     size_t rank_count, void* keys_out, const sortile_options* opts) {
  return translated([&] { perform(ranks_of(type, keys, n, ranks, rank_count, keys_out), opts); });
}

sortile_status sortile_keys_at_ranks_workspace_bytes(sortile_key_type type, size_t n, const size_t* ranks,
                                                     size_t rank_count, size_t* bytes, const sortile_options* opts) {
  return translated([&] {
    need_result(bytes, "bytes");
    *bytes = workspace_bytes(ranks_of(type, nullptr, n, ranks, rank_count, nullptr), options_of(opts));
  });
}

sortile_status sortile_quantiles(sortile_key_type type, const void* keys, size_t n, const double* probabilities,
                                 size_t count, sortile_quantile_method method, double* results,
                                 const sortile_options* opts) {
  return translated([&] { perform(quantiles_of(type, keys, n, probabilities, count, method, results), opts); });
}

sortile_status sortile_quantiles_workspace_bytes(sortile_key_type type, size_t n, const double* probabilities,
                                                 size_t count, size_t* bytes, const sortile_options* opts) {
  return translated([&] {
    need_result(bytes, "bytes");
    const quantiles_request request = quantiles_of(type, nullptr, n, probabilities, count, SORTILE_LINEAR, nullptr);
    *bytes = workspace_bytes(request, options_of(opts));
  });
}

sortile_status sortile_groups(const sortile_groups_request* given, size_t* groups, const sortile_options* opts) {
  return translated([&] {
    need_result(groups, "groups");
    *groups = perform(groups_of(given), opts);
  });
}

sortile_status sortile_route(const sortile_route_request* given, const sortile_options* opts) {
  return translated([&] { perform(route_of(given), opts); });
}

sortile_status sortile_route_workspace_bytes(const sortile_route_request* given, size_t* bytes,
                                             const sortile_options* opts) {
  return translated([&] {
    need_result(bytes, "bytes");
    *bytes = workspace_bytes(route_of(given), options_of(opts));
  });
}

sortile_status sortile_inclusive_scan(sortile_key_type type, const void* in, void* out, size_t n,
                                      sortile_scan_operator op, const sortile_options* opts) {
  return translated([&] { perform(scan_of(type, in, out, n, op, scan_kind::inclusive), opts); });
}

sortile_status sortile_exclusive_scan(sortile_key_type type, const void* in, void* out, size_t n,
                                      sortile_scan_operator op, const sortile_options* opts) {
  return translated([&] { perform(scan_of(type, in, out, n, op, scan_kind::exclusive), opts); });
}

sortile_status sortile_scan_workspace_bytes(sortile_key_type type, size_t n, size_t* bytes,
                                            const sortile_options* opts) {
  return translated([&] {
    need_result(bytes, "bytes");
    *bytes = workspace_bytes(scan_request{.type = type_of(type), .n = n}, options_of(opts));
  });
}

sortile_status sortile_digit_histogram(sortile_key_type type, const void* keys, size_t n, uint64_t* counts,
                                       const sortile_options* opts) {
  return translated([&] { perform(histogram_request{type_of(type), n, keys, counts}, opts); });
}

sortile_status sortile_first_disorder(sortile_key_type type, const void* keys, size_t n, size_t* position,
                                      const sortile_options* opts) {
  return translated([&] {
    need_result(position, "position");
    *position = first_disorder(type_of(type), keys, n, options_to_run(opts)).value_or(n);
  });
}

sortile_status sortile_workspace_bytes(sortile_key_type type, size_t n, size_t value_bytes, int in_place, size_t* bytes,
                                       const sortile_options* opts) {
  return translated([&] {
    need_result(bytes, "bytes");
    sort_request request = never_run(type, n);
    if (value_bytes > 0)
      add_values_never_run(request, value_bytes);
    if (in_place != 0) {
      request.keys_out = const_cast<void*>(request.keys_in);
      request.values_out = const_cast<void*>(request.values_in);
    }
    *bytes = workspace_bytes(request, options_of(opts));
  });
}

sortile_status sortile_argsort_workspace_bytes(sortile_key_type type, size_t n, size_t index_bytes, size_t* bytes,
                                               const sortile_options* opts) {
  return translated([&] {
    need_result(bytes, "bytes");
    sort_request request = never_run(type, n);
    add_indices(request, index_bytes, request.keys_out);
    request.keys_out = nullptr;
    *bytes = workspace_bytes(request, options_of(opts));
  });
}

sortile_status sortile_segment_sort(sortile_key_type type, const void* in, void* out, size_t n,
                                    const sortile_segments* where, const sortile_options* opts) {
  return translated([&] { perform(segmented_request{keys_request(type, in, out, n), segments_of(where)}, opts); });
}

sortile_status sortile_segment_sort_by_key(sortile_key_type type, const void* keys_in, void* keys_out,
                                           size_t value_bytes, const void* values_in, void* values_out, size_t n,
                                           const sortile_segments* where, const sortile_options* opts) {
  return translated([&] {
    segmented_request request{keys_request(type, keys_in, keys_out, n), segments_of(where)};
    add_values(request.arrays, value_bytes, values_in, values_out);
    perform(request, opts);
  });
}

sortile_status sortile_segment_argsort(sortile_key_type type, const void* keys, size_t n, size_t index_bytes,
                                       void* indices, const sortile_segments* where, const sortile_options* opts) {
  return translated([&] {
    segmented_request request{keys_request(type, keys, nullptr, n), segments_of(where)};
    add_indices(request.arrays, index_bytes, indices);
    perform(request, opts);
  });
}

sortile_status sortile_segment_top_k(const sortile_top_k_request* request, const sortile_segments* where,
                                     const sortile_options* opts) {
  return translated([&] { perform(segmented_top_k_request{top_k_of(request), segments_of(where)}, opts); });
}

sortile_status sortile_segment_top_k_workspace_bytes(const sortile_top_k_request* request,
                                                     const sortile_segments* where, size_t* bytes,
                                                     const sortile_options* opts) {
  return translated([&] {
    need_result(bytes, "bytes");
    segmented_top_k_request unplaced{top_k_of(request), segments_of(where)};
    unplaced.arrays.keys_in = nullptr;
    *bytes = workspace_bytes(unplaced, options_of(opts));
  });
}

sortile_status sortile_segment_partial_sort(sortile_key_type type, void* keys, size_t n, size_t k, size_t value_bytes,
                                            void* values, const sortile_segments* where, const sortile_options* opts) {
  return translated([&] {
    perform(segmented_partial_sort_request{{type_of(type), n, k, keys, value_bytes, values}, segments_of(where)}, opts);
  });
}

sortile_status sortile_segment_partial_sort_workspace_bytes(sortile_key_type type, size_t n, size_t k,
                                                            size_t value_bytes, const sortile_segments* where,
                                                            size_t* bytes, const sortile_options* opts) {
  return translated([&] {
    need_result(bytes, "bytes");
    const partial_sort_request arrays{.type = type_of(type), .n = n, .k = k, .value_bytes = value_bytes};
    *bytes = workspace_bytes(segmented_partial_sort_request{arrays, segments_of(where)}, options_of(opts));
  });
}

sortile_status sortile_segment_nth_element(sortile_key_type type, void* keys, size_t n, size_t nth,
                                           const sortile_segments* where, const sortile_options* opts) {
  return translated([&] {
    perform(segmented_nth_element_request{{type_of(type), n, nth, keys}, segments_of(where)}, opts);
  });
}

sortile_status sortile_segment_nth_element_workspace_bytes(sortile_key_type type, size_t n, size_t nth,
                                                           const sortile_segments* where, size_t* bytes,
                                                           const sortile_options* opts) {
  return translated([&] {
    need_result(bytes, "bytes");
    const nth_element_request arrays{.type = type_of(type), .n = n, .nth = nth};
    *bytes = workspace_bytes(segmented_nth_element_request{arrays, segments_of(where)}, options_of(opts));
  });
}

sortile_status sortile_segment_keys_at_ranks(sortile_key_type type, const void* keys, size_t n, const size_t* ranks,
                                             size_t rank_count, void* keys_out, const sortile_segments* where,
                                             const sortile_options* opts) {
  return translated([&] {
    perform(segmented_ranks_request{ranks_of(type, keys, n, ranks, rank_count, keys_out), segments_of(where)}, opts);
  });
}

sortile_status sortile_segment_keys_at_ranks_workspace_bytes(sortile_key_type type, size_t n, const size_t* ranks,
                                                             size_t rank_count, const sortile_segments* where,
                                                             size_t* bytes, const sortile_options* opts) {
  return translated([&] {
    need_result(bytes, "bytes");
    const ranks_request arrays = ranks_of(type, nullptr, n, ranks, rank_count, nullptr);
    *bytes = workspace_bytes(segmented_ranks_request{arrays, segments_of(where)}, options_of(opts));
  });
}

sortile_status sortile_segment_quantiles(sortile_key_type type, const void* keys, size_t n, const double* probabilities,
                                         size_t count, sortile_quantile_method method, double* results,
                                         const sortile_segments* where, const sortile_options* opts) {
  return translated([&] {
    const quantiles_request arrays = quantiles_of(type, keys, n, probabilities, count, method, results);
    perform(segmented_quantiles_request{arrays, segments_of(where)}, opts);
  });
}

sortile_status sortile_segment_quantiles_workspace_bytes(sortile_key_type type, size_t n, const double* probabilities,
                                                         size_t count, const sortile_segments* where, size_t* bytes,
                                                         const sortile_options* opts) {
  return translated([&] {
    need_result(bytes, "bytes");
    const quantiles_request arrays = quantiles_of(type, nullptr, n, probabilities, count, SORTILE_LINEAR, nullptr);
    *bytes = workspace_bytes(segmented_quantiles_request{arrays, segments_of(where)}, options_of(opts));
  });
}

sortile_status sortile_segment_workspace_bytes(sortile_key_type type, size_t n, size_t value_bytes, int indices,
                                               const sortile_segments* where, size_t* bytes,
                                               const sortile_options* opts) {
  return translated([&] {
    need_result(bytes, "bytes");
    segmented_request request{keys_request(type, nullptr, nullptr, n), segments_of(where)};
    if (value_bytes > 0 || indices != 0)
      request.arrays.carries = indices != 0 ? payload::indices : payload::values;
    request.arrays.value_bytes = value_bytes;
    *bytes = workspace_bytes(request, options_of(opts));
  });
}

const char* sortile_engine_name(size_t i) {
  return i < all_engines().size() ? all_engines()[i]->name().data() : nullptr;
}

int sortile_engine_usable(size_t i) {
  return i < all_engines().size() && all_engines()[i]->why_unusable().empty() ? 1 : 0;
}

const char* sortile_status_name(sortile_status code) {
  return name(static_cast<status>(code)).data();
}

const char* sortile_error_message(void) {
  return last_message;
}

const char* sortile_version(void) {
  return SORTILE_VERSION;
}
