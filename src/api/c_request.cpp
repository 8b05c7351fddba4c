#include "api/c_request.hpp"

#include "device/host_reach.hpp"
#include "plan/nowhere.hpp"

#include <string>

namespace sortile::c_abi {

namespace {

static_assert(static_cast<int>(key_type::f64) == SORTILE_F64 && static_cast<int>(key_type::u128) == SORTILE_U128);
static_assert(static_cast<int>(order::descending) == SORTILE_DESCENDING);
static_assert(static_cast<int>(memory::device) == SORTILE_DEVICE);
static_assert(static_cast<int>(quantile_method::midpoint) == SORTILE_MIDPOINT);
static_assert(static_cast<int>(scan_operator::maximum) == SORTILE_MAXIMUM);

/// `given` as an Enum of fewer bits, where it is one of 0 to `last`.
template <class Enum>
Enum narrowed(int given, int last, const char* what, const char* allowed) {
  if (given < 0 || given > last)
    throw invalid_argument(std::string("sortile: ") + what + " number " + std::to_string(given) + " does not exist; " +
                           allowed);
  return static_cast<Enum>(given);
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

void need_reach(const void* pointer, const char* name) {
  if (device::is_out_of_reach(pointer))
    throw invalid_argument(std::string("sortile: ") + name +
                           " lies in the memory of a GPU, where the host cannot read it; it must lie in host memory");
}

} // namespace

key_type type_of(sortile_key_type given) {
  return narrowed<key_type>(given, SORTILE_F64, "key type", "they go from 0 (SORTILE_U8) to 13 (SORTILE_F64)");
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

sort_request keys_request(sortile_key_type type, const void* in, void* out, std::size_t n) {
  return {.type = type_of(type), .n = n, .keys_in = in, .keys_out = out};
}

void add_values(sort_request& request, std::size_t value_bytes, const void* in, void* out) {
  request.carries = payload::values;
  request.value_bytes = value_bytes;
  request.values_in = in;
  request.values_out = out;
}

void add_indices(sort_request& request, std::size_t index_bytes, void* out) {
  request.carries = payload::indices;
  request.value_bytes = index_bytes;
  request.values_out = out;
}

sort_request never_run(sortile_key_type type, std::size_t n) {
  return keys_request(type, nowhere(1), nowhere(2), n);
}

void add_values_never_run(sort_request& request, std::size_t value_bytes) {
  add_values(request, value_bytes, nowhere(3), nowhere(4));
}

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
          .stride = given->stride,
          .row_k = given->row_k,
          .row_k_bytes = given->row_k_bytes};
}

ranks_request ranks_of(sortile_key_type type, const void* keys, std::size_t n, const std::size_t* ranks,
                       std::size_t rank_count, void* keys_out) {
  return {
      .type = type_of(type), .n = n, .keys = keys, .ranks = list_of(ranks, rank_count, "ranks"), .keys_out = keys_out};
}

quantiles_request quantiles_of(sortile_key_type type, const void* keys, std::size_t n, const double* probabilities,
                               std::size_t count, sortile_quantile_method method, double* results) {
  return {.type = type_of(type),
          .n = n,
          .keys = keys,
          .probabilities = list_of(probabilities, count, "probabilities"),
          .method = narrowed<quantile_method>(method, SORTILE_MIDPOINT, "quantile method",
                                              "they go from 0 (SORTILE_LINEAR) to 4 (SORTILE_MIDPOINT)"),
          .results = results};
}

groups_request groups_of(const sortile_groups_request* given) {
  if (given == nullptr)
    throw invalid_argument("sortile: the request of groups is null");
  const bool has_numbers = given->first != nullptr || given->counts != nullptr || given->offsets != nullptr ||
                           given->order != nullptr || given->inverse != nullptr;
  return {.type = type_of(given->type),
          .n = given->n,
          .keys = given->keys,
          .keys_out = given->keys_out,
          .index_bytes = given->index_bytes == 0 && !has_numbers ? 8 : given->index_bytes,
          .first = given->first,
          .counts = given->counts,
          .offsets = given->offsets,
          .order = given->order,
          .inverse = given->inverse};
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

segments segments_of(const sortile_segments* given) {
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

cpu::call_vector<column> columns_of(const sortile_column* given, std::size_t count) {
  cpu::call_vector<column> list;
  for (const sortile_column& c : list_of(given, count, "columns"))
    list.push_back({type_of(c.type), c.data, order_of(c.order)});
  return list;
}

cpu::call_vector<row_array> arrays_of(const sortile_row_array* given, std::size_t count) {
  cpu::call_vector<row_array> list;
  for (const sortile_row_array& a : list_of(given, count, "arrays"))
    list.push_back({a.values, a.value_bytes});
  return list;
}

cpu::call_vector<sorted_run> runs_of(const sortile_run* given, std::size_t count) {
  cpu::call_vector<sorted_run> list;
  for (const sortile_run& r : list_of(given, count, "runs"))
    list.push_back({r.keys, r.values, r.n});
  return list;
}

void need_list(const void* list, std::size_t count, const char* name) {
  if (count > 0 && list == nullptr)
    throw invalid_argument(std::string("sortile: ") + name + " is null, but there are " + std::to_string(count));
  need_reach(list, name);
}

void need_result(const void* pointer, const char* name) {
  if (pointer == nullptr)
    throw invalid_argument(std::string("sortile: ") + name + " is null; it says where to put the result");
  need_reach(pointer, name);
}

} // namespace sortile::c_abi
