// The C ABI: structs and exceptions translated, nothing else.
#include <sortile/groups.hpp>
#include <sortile/request.hpp>
#include <sortile/route.hpp>
#include <sortile/scan.hpp>
#include <sortile/segments.hpp>
#include <sortile/select.hpp>
#include <sortile/sortile.h>

#include "device/host_reach.hpp"
#include "plan/engine.hpp"

#include <algorithm>
#include <cstring>
#include <string>
#include <vector>

namespace {

using namespace sortile;

/// What went wrong in this thread's last failed call. An array, since there may be no memory for a string.
thread_local char last_message[1024] = "";

void keep_message(const char* text) noexcept {
  const std::size_t length = std::min(std::strlen(text), sizeof last_message - 1);
  std::memcpy(last_message, text, length);
  last_message[length] = '\0';
}

static_assert(static_cast<int>(key_type::f64) == SORTILE_F64 && static_cast<int>(key_type::u128) == SORTILE_U128);
static_assert(static_cast<int>(status::internal_error) == SORTILE_INTERNAL_ERROR);
static_assert(static_cast<int>(order::descending) == SORTILE_DESCENDING);
static_assert(static_cast<int>(memory::device) == SORTILE_DEVICE);

/// `given` as an Enum of fewer bits, where it is one of 0 to `last`.
template <class Enum>
Enum narrowed(int given, int last, const char* what, const char* allowed) {
  if (given < 0 || given > last)
    throw invalid_argument(std::string("sortile: ") + what + " number " + std::to_string(given) + " does not exist; " +
                           allowed);
  return static_cast<Enum>(given);
}

key_type type_of(sortile_key_type given) {
  return narrowed<key_type>(given, SORTILE_F64, "key type", "they go from 0 (SORTILE_U8) to 13 (SORTILE_F64)");
}

order order_of(sortile_order given) {
  return narrowed<order>(given, SORTILE_DESCENDING, "order", "SORTILE_ASCENDING is 0, SORTILE_DESCENDING 1");
}

memory memory_of(sortile_memory given) {
  return narrowed<memory>(given, SORTILE_DEVICE, "memory", "SORTILE_HOST is 0, SORTILE_DEVICE 1");
}

void need_reserved_zeros(const sortile_options& given) {
  for (const std::uint64_t& word : given.reserved)
    if (word != 0)
      throw invalid_argument("sortile: options.reserved[" + std::to_string(&word - given.reserved) +
                             "] is not 0: the options were not initialised (sortile_options options = {0}), or they "
                             "set one that version " SORTILE_VERSION " of the library does not know");
}

options options_of(const sortile_options* given) {
  options opts;
  if (given == nullptr)
    return opts;
  need_reserved_zeros(*given);
  opts.order = order_of(given->order);
  opts.bits = {given->bits_begin, given->bits_end == SORTILE_WHOLE_KEY ? bit_window::whole_key : given->bits_end};
  opts.engine = given->engine == nullptr ? "" : given->engine;
  opts.threads = given->threads;
  if (given->progress != nullptr)
    opts.progress = [call = given->progress, user = given->progress_user](double fraction) {
      return call(fraction, user) != 0;
    };
  opts.workspace = {static_cast<std::byte*>(given->workspace),
                    given->workspace == nullptr ? 0 : given->workspace_bytes};
  opts.memory = memory_of(given->memory);
  opts.stream = given->stream;
  opts.checked = given->checked != 0;
  opts.workspace_limit = given->workspace_limit;
  return opts;
}

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
    keep_message("sortile: the progress callback threw; it must not");
    return SORTILE_INTERNAL_ERROR;
  }
}

sort_request keys_request(sortile_key_type type, const void* in, void* out, std::size_t n) {
  return {.type = type_of(type), .n = n, .keys_in = in, .keys_out = out};
}

void add_values(sort_request& request, std::size_t value_bytes, const void* in, void* out) {
  request.carries = payload::values;
  request.value_bytes = value_bytes;
  request.values_in = in;
  request.values_out = out;
}

/// Lists and results lie in host memory, wherever the arrays do.
void need_reach(const void* pointer, const char* name) {
  if (device::is_out_of_reach(pointer))
    throw invalid_argument(std::string("sortile: ") + name +
                           " lies in the memory of a GPU, where the host cannot read it; it must lie in host memory");
}

template <class T>
std::span<const T> list_of(const T* list, std::size_t count, const char* name) {
  if (count > 0 && list == nullptr)
    throw invalid_argument(std::string("sortile: ") + name + " is null, but there are " + std::to_string(count));
  need_reach(list, name);
  return {list, count};
}

std::vector<column> list_of(const sortile_column* columns, std::size_t count) {
  std::vector<column> list;
  for (const sortile_column& c : list_of(columns, count, "columns"))
    list.push_back({type_of(c.type), c.data, order_of(c.order)});
  return list;
}

void need_result(const void* pointer, const char* name) {
  if (pointer == nullptr)
    throw invalid_argument(std::string("sortile: ") + name + " is null; it says where to put the result");
  need_reach(pointer, name);
}

segments list_of(const sortile_segments* given) {
  if (given == nullptr)
    throw invalid_argument("sortile: segments is null; it says where the segments lie");
  if (given->begins == nullptr && given->ends != nullptr)
    throw invalid_argument("sortile: segments.ends is given without segments.begins");
  const segment_form form = given->begins == nullptr ? segment_form::strided
                            : given->ends == nullptr ? segment_form::offsets
                                                     : segment_form::ranges;
  return {form,          given->count,  given->begins, given->ends, given->offset_bytes,
          given->length, given->stride, given->step};
}

static_assert(static_cast<int>(quantile_method::midpoint) == SORTILE_MIDPOINT);
static_assert(static_cast<int>(scan_operator::maximum) == SORTILE_MAXIMUM);

top_k_request top_k_of(const sortile_top_k_request* given) {
  if (given == nullptr)
    throw invalid_argument("sortile: the request of a top-k is null");
  if (given->value_bytes > 0 && given->index_bytes > 0)
    throw invalid_argument("sortile: values of " + std::to_string(given->value_bytes) + " bytes and indices of " +
                           std::to_string(given->index_bytes) + " bytes are asked for; only one of the two is allowed");
  const bool values = given->value_bytes > 0, indices = given->index_bytes > 0;
  return {.type = type_of(given->type),
          .n = given->n,
          .k = given->k,
          .keys_in = given->keys_in,
          .keys_out = given->keys_out,
          .carries = values    ? payload::values
                     : indices ? payload::indices
                               : payload::none,
          .value_bytes = values ? given->value_bytes : given->index_bytes,
          .values_in = given->values_in,
          .values_out = values ? given->values_out : given->indices_out,
          .rows = given->rows == 0 ? 1 : given->rows,
          .stride = given->stride};
}

route_request route_of(const sortile_route_request* given) {
  if (given == nullptr)
    throw invalid_argument("sortile: the request of a routing is null");
  return {.type = type_of(given->type),
          .n = given->n,
          .experts = given->experts,
          .expert_count = given->expert_count,
          .block = given->block == 0 ? 1 : given->block,
          .index_bytes = given->index_bytes,
          .offsets = given->offsets,
          .counts = given->counts,
          .order = given->order,
          .inverse = given->inverse,
          .block_experts = given->block_experts,
          .dropped = given->dropped};
}

scan_request scan_of(sortile_key_type type, const void* in, void* out, std::size_t n, sortile_scan_operator op,
                     scan_kind kind) {
  return {.type = type_of(type),
          .n = n,
          .in = in,
          .out = out,
          .op = narrowed<scan_operator>(op, SORTILE_MAXIMUM, "scan operator", "SORTILE_SUM is 0, SORTILE_MAXIMUM 1"),
          .kind = kind};
}

/// Addresses for a request that is planned and never run: apart, aligned, not null.
sort_request never_run(sortile_key_type type, std::size_t n) {
  constexpr std::uintptr_t far_apart = std::uintptr_t{1} << 61;
  return keys_request(type, reinterpret_cast<void*>(far_apart), reinterpret_cast<void*>(2 * far_apart), n);
}

} // namespace

sortile_status sortile_sort(sortile_key_type type, const void* in, void* out, size_t n, const sortile_options* opts) {
  return translated([&] { run(keys_request(type, in, out, n), options_of(opts)); });
}

sortile_status sortile_sort_by_key(sortile_key_type type, const void* keys_in, void* keys_out, size_t value_bytes,
                                   const void* values_in, void* values_out, size_t n, const sortile_options* opts) {
  return translated([&] {
    sort_request request = keys_request(type, keys_in, keys_out, n);
    add_values(request, value_bytes, values_in, values_out);
    run(request, options_of(opts));
  });
}

sortile_status sortile_argsort(sortile_key_type type, const void* keys, size_t n, size_t index_bytes, void* indices,
                               const sortile_options* opts) {
  return translated([&] {
    sort_request request = keys_request(type, keys, nullptr, n);
    request.carries = payload::indices;
    request.value_bytes = index_bytes;
    request.values_out = indices;
    run(request, options_of(opts));
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
    *result_in_first = run(request, options_of(opts)) == result_place::input ? 1 : 0;
  });
}

sortile_status sortile_argsort_rows(const sortile_column* columns, size_t column_count, size_t n, size_t index_bytes,
                                    void* indices, const sortile_options* opts) {
  return translated([&] {
    run(rows_request{n, list_of(columns, column_count), indices, index_bytes}, options_of(opts));
  });
}

sortile_status sortile_sort_rows(const sortile_column* columns, size_t column_count, const sortile_row_array* arrays,
                                 size_t array_count, size_t n, const sortile_options* opts) {
  return translated([&] {
    std::vector<row_array> list;
    for (const sortile_row_array& a : list_of(arrays, array_count, "arrays"))
      list.push_back({a.values, a.value_bytes});
    run(sort_rows_request{n, list_of(columns, column_count), list}, options_of(opts));
  });
}

sortile_status sortile_permute(size_t n, const void* indices, size_t index_bytes, void* values, size_t value_bytes,
                               const sortile_options* opts) {
  return translated([&] { run(permute_request{n, indices, index_bytes, values, value_bytes}, options_of(opts)); });
}

sortile_status sortile_merge(sortile_key_type type, const sortile_run* runs, size_t run_count, void* keys_out,
                             size_t value_bytes, void* values_out, const sortile_options* opts) {
  return translated([&] {
    std::vector<sorted_run> list;
    for (const sortile_run& r : list_of(runs, run_count, "runs"))
      list.push_back({r.keys, r.values, r.n});
    run(merge_request{type_of(type), list, keys_out, value_bytes, values_out}, options_of(opts));
  });
}

sortile_status sortile_top_k(const sortile_top_k_request* request, const sortile_options* opts) {
  return translated([&] { run(top_k_of(request), options_of(opts)); });
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
  return translated([&] {
    run(partial_sort_request{type_of(type), n, k, keys, value_bytes, values}, options_of(opts));
  });
}

sortile_status sortile_nth_element(sortile_key_type type, void* keys, size_t n, size_t nth,
                                   const sortile_options* opts) {
  return translated([&] { run(nth_element_request{type_of(type), n, nth, keys}, options_of(opts)); });
}

sortile_status sortile_keys_at_ranks(sortile_key_type type, const void* keys, size_t n, const size_t* ranks,
                                     size_t rank_count, void* keys_out, const sortile_options* opts) {
  return translated([&] {
    run(ranks_request{.type = type_of(type),
                      .n = n,
                      .keys = keys,
                      .ranks = list_of(ranks, rank_count, "ranks"),
                      .keys_out = keys_out},
        options_of(opts));
  });
}

sortile_status sortile_keys_at_ranks_workspace_bytes(sortile_key_type type, size_t n, const size_t* ranks,
                                                     size_t rank_count, size_t* bytes, const sortile_options* opts) {
  return translated([&] {
    need_result(bytes, "bytes");
    *bytes = workspace_bytes(ranks_request{.type = type_of(type), .n = n, .ranks = list_of(ranks, rank_count, "ranks")},
                             options_of(opts));
  });
}

sortile_status sortile_quantiles(sortile_key_type type, const void* keys, size_t n, const double* probabilities,
                                 size_t count, sortile_quantile_method method, double* results,
                                 const sortile_options* opts) {
  return translated([&] {
    run(quantiles_request{.type = type_of(type),
                          .n = n,
                          .keys = keys,
                          .probabilities = list_of(probabilities, count, "probabilities"),
                          .method =
                              narrowed<quantile_method>(method, SORTILE_MIDPOINT, "quantile method",
                                                        "they go from 0 (SORTILE_LINEAR) to 4 (SORTILE_MIDPOINT)"),
                          .results = results},
        options_of(opts));
  });
}

sortile_status sortile_quantiles_workspace_bytes(sortile_key_type type, size_t n, const double* probabilities,
                                                 size_t count, size_t* bytes, const sortile_options* opts) {
  return translated([&] {
    need_result(bytes, "bytes");
    *bytes = workspace_bytes(quantiles_request{.type = type_of(type),
                                               .n = n,
                                               .probabilities = list_of(probabilities, count, "probabilities")},
                             options_of(opts));
  });
}

sortile_status sortile_groups(const sortile_groups_request* given, size_t* groups, const sortile_options* opts) {
  return translated([&] {
    need_result(groups, "groups");
    if (given == nullptr)
      throw invalid_argument("sortile: the request of groups is null");
    *groups = run(groups_request{.type = type_of(given->type),
                                 .n = given->n,
                                 .keys = given->keys,
                                 .keys_out = given->keys_out,
                                 .index_bytes = given->index_bytes,
                                 .first = given->first,
                                 .counts = given->counts,
                                 .offsets = given->offsets,
                                 .order = given->order,
                                 .inverse = given->inverse},
                  options_of(opts));
  });
}

sortile_status sortile_route(const sortile_route_request* given, const sortile_options* opts) {
  return translated([&] { run(route_of(given), options_of(opts)); });
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
  return translated([&] { run(scan_of(type, in, out, n, op, scan_kind::inclusive), options_of(opts)); });
}

sortile_status sortile_exclusive_scan(sortile_key_type type, const void* in, void* out, size_t n,
                                      sortile_scan_operator op, const sortile_options* opts) {
  return translated([&] { run(scan_of(type, in, out, n, op, scan_kind::exclusive), options_of(opts)); });
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
  return translated([&] { run(histogram_request{type_of(type), n, keys, counts}, options_of(opts)); });
}

sortile_status sortile_first_disorder(sortile_key_type type, const void* keys, size_t n, size_t* position,
                                      const sortile_options* opts) {
  return translated([&] {
    need_result(position, "position");
    *position = first_disorder(type_of(type), keys, n, options_of(opts)).value_or(n);
  });
}

sortile_status sortile_workspace_bytes(sortile_key_type type, size_t n, size_t value_bytes, int in_place, size_t* bytes,
                                       const sortile_options* opts) {
  return translated([&] {
    need_result(bytes, "bytes");
    sort_request request = never_run(type, n);
    if (value_bytes > 0) {
      constexpr std::uintptr_t far_apart = std::uintptr_t{1} << 61;
      add_values(request, value_bytes, reinterpret_cast<void*>(3 * far_apart), reinterpret_cast<void*>(4 * far_apart));
    }
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
    request.values_out = request.keys_out;
    request.keys_out = nullptr;
    request.carries = payload::indices;
    request.value_bytes = index_bytes;
    *bytes = workspace_bytes(request, options_of(opts));
  });
}

sortile_status sortile_segment_sort(sortile_key_type type, const void* in, void* out, size_t n,
                                    const sortile_segments* where, const sortile_options* opts) {
  return translated([&] { run(segmented_request{keys_request(type, in, out, n), list_of(where)}, options_of(opts)); });
}

sortile_status sortile_segment_sort_by_key(sortile_key_type type, const void* keys_in, void* keys_out,
                                           size_t value_bytes, const void* values_in, void* values_out, size_t n,
                                           const sortile_segments* where, const sortile_options* opts) {
  return translated([&] {
    segmented_request request{keys_request(type, keys_in, keys_out, n), list_of(where)};
    add_values(request.arrays, value_bytes, values_in, values_out);
    run(request, options_of(opts));
  });
}

sortile_status sortile_segment_argsort(sortile_key_type type, const void* keys, size_t n, size_t index_bytes,
                                       void* indices, const sortile_segments* where, const sortile_options* opts) {
  return translated([&] {
    segmented_request request{keys_request(type, keys, nullptr, n), list_of(where)};
    request.arrays.carries = payload::indices;
    request.arrays.value_bytes = index_bytes;
    request.arrays.values_out = indices;
    run(request, options_of(opts));
  });
}

sortile_status sortile_segment_workspace_bytes(sortile_key_type type, size_t n, size_t value_bytes, int indices,
                                               const sortile_segments* where, size_t* bytes,
                                               const sortile_options* opts) {
  return translated([&] {
    need_result(bytes, "bytes");
    segmented_request request{keys_request(type, nullptr, nullptr, n), list_of(where)};
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
