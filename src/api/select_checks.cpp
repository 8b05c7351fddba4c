// The checks of selections: every misuse is named with what is wrong, where, and what is allowed.
#include "api/select_checks.hpp"

#include "api/array_checks.hpp"
#include "api/checks.hpp"
#include "api/segment_checks.hpp"

#include <algorithm>
#include <charconv>
#include <limits>
#include <type_traits>

namespace sortile::checks {
namespace {

/// What sorts ask of type, order, window and memory too.
void need_sort_options(key_type type, const options& opts) {
  sort({.type = type}, opts);
}

/// What all but a top-k ask: in device memory they take a workspace, of host memory they allocate their own.
void need_selection_call(const char* operation, key_type type, const options& opts) {
  need_sort_options(type, opts);
  if (opts.memory == memory::host)
    refuse_workspace(operation, "allocates its own memory", opts);
  refuse_limit(operation, opts);
}

void need_at_most(const char* name, std::size_t value, const char* bound_name, std::size_t bound) {
  if (value > bound)
    refuse_call(std::string(name) + " = " + std::to_string(value) + " is above " + bound_name + " = " +
                std::to_string(bound));
}

/// Elements from the first row's first to the last row's last one.
std::size_t extent(std::size_t n, std::size_t rows, std::size_t stride) {
  if (stride != 0 && stride < n && rows > 1)
    refuse_call("rows of n = " + std::to_string(n) + " keys overlap with a stride of " + std::to_string(stride) +
                "; it is n at least, or 0 for rows without gaps");
  const std::size_t step = stride == 0 ? n : stride;
  if (rows == 0 || n == 0)
    return 0;
  if (step > 0 && rows - 1 > (std::numeric_limits<std::size_t>::max() / 2 - n) / step)
    refuse_call(std::to_string(rows) + " rows of " + std::to_string(step) +
                " elements are more than memory can address");
  return (rows - 1) * step + n;
}

std::size_t results(std::size_t of_a_row, std::size_t rows) {
  if (of_a_row > 0 && rows > std::numeric_limits<std::size_t>::max() / 2 / of_a_row)
    refuse_call(std::to_string(rows) + " rows of " + std::to_string(of_a_row) +
                " results are more than memory can address");
  return rows * of_a_row;
}

void need_payload(const top_k_request& r) {
  if (r.carries == payload::values && r.value_bytes == 0)
    refuse_call("values of 0 bytes asked for; a value has at least 1");
  if (r.carries == payload::indices) {
    if (r.value_bytes != 4 && r.value_bytes != 8)
      refuse_call("indices of " + std::to_string(r.value_bytes) + " bytes asked for; allowed are 4 and 8");
    if (r.value_bytes == 4 && r.n > std::size_t{1} << 32)
      refuse_call("32-bit indices cannot number n = " + std::to_string(r.n) + " keys; use 64-bit indices above 2^32");
  }
  if (r.carries != payload::none && r.carries != payload::values && r.carries != payload::indices)
    refuse_call("payload number " + std::to_string(static_cast<int>(r.carries)) +
                " does not exist; none is 0, values 1, indices 2");
}

void need_row_k(const top_k_request& r) {
  if (r.row_k != nullptr && r.row_k_bytes != 4 && r.row_k_bytes != 8)
    refuse_call("row_k has numbers of " + std::to_string(r.row_k_bytes) + " bytes; allowed are 4 and 8");
}

template <class Request>
void need_no_rows(const char* operation, const Request& arrays) {
  if (arrays.rows != 1 || arrays.stride != 0)
    refuse_call(std::string(operation) + " has rows = " + std::to_string(arrays.rows) + " and stride = " +
                std::to_string(arrays.stride) + "; leave them at 1 and 0, for the segments are the rows");
}

struct top_k_arrays {
  named_array keys_in, keys_out, values_in, values_out, row_k;
};

/// Inputs of so many elements, and the results of so many rows.
top_k_arrays arrays_of(const top_k_request& r, std::size_t in, std::size_t rows) {
  const std::size_t out = results(r.k, rows), key = key_bytes(r.type);
  const bool indices = r.carries == payload::indices, values = r.carries == payload::values;
  return {{"keys_in", r.keys_in, in, key, key},
          {"keys_out", r.keys_out, indices && r.keys_out == nullptr ? 0 : out, key, key},
          {"values_in", r.values_in, values ? in : 0, r.value_bytes, 1},
          {indices ? "indices" : "values_out", r.values_out, values || indices ? out : 0, r.value_bytes,
           indices ? r.value_bytes : 1},
          {"row_k", r.row_k, r.row_k == nullptr ? 0 : rows, r.row_k_bytes, r.row_k_bytes}};
}
top_k_arrays arrays_of(const top_k_request& r) {
  return arrays_of(r, extent(r.n, r.rows, r.stride), r.rows);
}
top_k_arrays arrays_of(const segmented_top_k_request& r) {
  return arrays_of(r.arrays, r.arrays.n, r.where.count);
}

void need_top_k_arrays(const top_k_arrays& a, const options& opts) {
  for (const named_array* each : {&a.keys_in, &a.keys_out, &a.values_in, &a.values_out, &a.row_k})
    need_array(*each, opts.memory);
  need_outputs_apart({a.keys_in, a.values_in, a.row_k}, {a.keys_out, a.values_out});
}

} // namespace

void selection(const top_k_request& r, const options& opts) {
  need_sort_options(r.type, opts);
  refuse_limit("a top-k", opts);
  need_at_most("k", r.k, "n", r.n);
  need_payload(r);
  need_row_k(r);
  need_top_k_arrays(arrays_of(r), opts);
}

void selection(const segmented_top_k_request& r, const options& opts) {
  need_selection_call("a top-k within segments", r.arrays.type, opts);
  need_no_rows("a top-k within segments", r.arrays);
  if (r.where.form != segment_form::offsets && r.where.form != segment_form::ranges)
    refuse_call("a top-k within segments takes those of form offsets or ranges; segments of one length are the rows of "
                "a top_k_request");
  need_payload(r.arrays);
  need_row_k(r.arrays);
  offsets(r.where, opts.memory);
  const top_k_arrays a = arrays_of(r);
  need_top_k_arrays(a, opts);
  need_offsets_apart(r.where, {a.keys_out, a.values_out});
}

void workspace(const segmented_top_k_request& r, const options& opts, std::size_t wanted) {
  const top_k_arrays a = arrays_of(r);
  need_space({a.keys_in, a.values_in, a.keys_out, a.values_out, a.row_k}, opts.workspace, opts.memory, wanted);
  need_offsets_apart(r.where, {{"the workspace", opts.workspace.data(), opts.workspace.size()}});
}

void workspace(const top_k_request& r, const options& opts, std::size_t wanted) {
  const top_k_arrays a = arrays_of(r);
  need_space({a.keys_in, a.values_in, a.keys_out, a.values_out, a.row_k}, opts.workspace, opts.memory, wanted);
}

namespace {

struct in_place_arrays {
  named_array keys, values;
};

in_place_arrays arrays_of(const partial_sort_request& r) {
  const std::size_t key = key_bytes(r.type);
  return {{"keys", r.keys, r.n, key, key}, {"values", r.values, r.value_bytes == 0 ? 0 : r.n, r.value_bytes, 1}};
}

named_array arrays_of(const nth_element_request& r) {
  return {"keys", r.keys, r.n, key_bytes(r.type), key_bytes(r.type)};
}

} // namespace

void selection(const partial_sort_request& r, const options& opts) {
  need_selection_call("a partial sort", r.type, opts);
  need_at_most("k", r.k, "n", r.n);
  const in_place_arrays a = arrays_of(r);
  need_array(a.keys, opts.memory);
  need_array(a.values, opts.memory);
  need_apart(a.keys, a.values);
}

void selection(const segmented_partial_sort_request& r, const options& opts) {
  partial_sort_request arrays = r.arrays;
  arrays.k = std::min(arrays.k, arrays.n);
  selection(arrays, opts);
  places(r.where, arrays.n, opts.memory);
  const in_place_arrays a = arrays_of(arrays);
  need_offsets_apart(r.where, {a.keys, a.values});
}

void workspace(const partial_sort_request& r, const options& opts, std::size_t wanted) {
  const in_place_arrays a = arrays_of(r);
  need_space({a.keys, a.values}, opts.workspace, opts.memory, wanted);
}

void selection(const nth_element_request& r, const options& opts) {
  need_selection_call("nth_element", r.type, opts);
  need_at_most("nth", r.nth, "n", r.n);
  need_array(arrays_of(r), opts.memory);
}

void selection(const segmented_nth_element_request& r, const options& opts) {
  nth_element_request arrays = r.arrays;
  arrays.nth = std::min(arrays.nth, arrays.n);
  selection(arrays, opts);
  places(r.where, arrays.n, opts.memory);
  need_offsets_apart(r.where, {arrays_of(arrays)});
}

void workspace(const nth_element_request& r, const options& opts, std::size_t wanted) {
  need_space({arrays_of(r)}, opts.workspace, opts.memory, wanted);
}

namespace {

named_array keys_of(key_type type, const void* keys, std::size_t n, std::size_t rows, std::size_t stride) {
  const std::size_t key = key_bytes(type);
  return {"keys", keys, extent(n, rows, stride), key, key};
}

/// With as many digits as tell it from every other number.
std::string shortest_text(double number) {
  char digits[32];
  return {digits, std::to_chars(std::begin(digits), std::end(digits), number).ptr};
}

/// `list` says what is searched for: ranks or probabilities.
struct search_arrays {
  named_array keys, list, results;
};

search_arrays arrays_of(const ranks_request& r) {
  const std::size_t key = key_bytes(r.type);
  return {keys_of(r.type, r.keys, r.n, r.rows, r.stride),
          {"ranks", r.ranks.data(), r.ranks.size(), sizeof(std::size_t)},
          {"keys_out", r.keys_out, results(r.ranks.size(), r.rows), key, key}};
}

search_arrays arrays_of(const quantiles_request& r) {
  return {keys_of(r.type, r.keys, r.n, r.rows, r.stride),
          {"probabilities", r.probabilities.data(), r.probabilities.size(), sizeof(double)},
          {"results", r.results, results(r.probabilities.size(), r.rows), sizeof(double), alignof(double)}};
}

void need_search_arrays(const search_arrays& a, const options& opts) {
  need_array(a.keys, opts.memory);
  need_array(a.results, opts.memory);
  need_outputs_apart({a.keys, a.list}, {a.results});
}

/// Of each segment as many results as of a row.
template <class Request>
search_arrays arrays_of(const sortile::segmented<Request>& r) {
  search_arrays a = arrays_of(r.arrays);
  a.results.count = results(a.list.count, r.where.count);
  return a;
}

template <class Request>
void need_segments(const char* operation, const sortile::segmented<Request>& r, const options& opts) {
  need_no_rows(operation, r.arrays);
  places(r.where, r.arrays.n, opts.memory);
  const search_arrays a = arrays_of(r);
  need_search_arrays(a, opts);
  need_offsets_apart(r.where, {a.results});
}

/// The workspace of a search, in an array or in segments.
void need_search_space(const search_arrays& a, const options& opts, std::size_t wanted) {
  need_space({a.keys, a.results}, opts.workspace, opts.memory, wanted);
}
template <class Request>
void need_search_space(const sortile::segmented<Request>& r, const options& opts, std::size_t wanted) {
  need_search_space(arrays_of(r), opts, wanted);
  need_offsets_apart(r.where, {{"the workspace", opts.workspace.data(), opts.workspace.size()}});
}

/// What is asked of the ranks of n keys.
void need_ranks(const char* operation, const ranks_request& r, std::size_t n, const options& opts) {
  need_selection_call(operation, r.type, opts);
  need_array(arrays_of(r).list, memory::host);
  for (const std::size_t rank : r.ranks)
    if (rank >= n)
      refuse_call("rank " + std::to_string(rank) + " is asked for of n = " + std::to_string(n) +
                  " keys; ranks go from 0 to n - 1");
}

} // namespace

void selection(const ranks_request& r, const options& opts) {
  need_ranks("a search for ranks", r, r.n, opts);
  need_search_arrays(arrays_of(r), opts);
}

void selection(const segmented_ranks_request& r, const options& opts) {
  constexpr const char* operation = "a search for ranks within segments";
  const bool of_one_length = r.where.form == segment_form::strided && r.where.count > 0;
  need_ranks(operation, r.arrays, of_one_length ? r.where.length : std::numeric_limits<std::size_t>::max(), opts);
  need_segments(operation, r, opts);
}

void workspace(const ranks_request& r, const options& opts, std::size_t wanted) {
  need_search_space(arrays_of(r), opts, wanted);
}
void workspace(const segmented_ranks_request& r, const options& opts, std::size_t wanted) {
  need_search_space(r, opts, wanted);
}

namespace {

/// What is asked of quantiles, but of the arrays.
void need_quantiles(const char* operation, const quantiles_request& r, const options& opts) {
  need_selection_call(operation, r.type, opts);
  if (asks_for_an_order(opts))
    refuse_call("quantiles are those of whole keys in ascending order; leave options::order and options::bits at their "
                "defaults");
  if (r.method > quantile_method::midpoint)
    refuse_call("quantile method number " + std::to_string(static_cast<int>(r.method)) +
                " does not exist; they go from 0 (linear) to 4 (midpoint)");
  need_array(arrays_of(r).list, memory::host);
  for (const double p : r.probabilities)
    if (!(p >= 0 && p <= 1))
      refuse_call("probability " + shortest_text(p) + " asked for; allowed is 0 <= probability <= 1");
}

} // namespace

void selection(const quantiles_request& r, const options& opts) {
  need_quantiles("quantiles", r, opts);
  if (r.n == 0 && r.rows > 0 && !r.probabilities.empty())
    refuse_call("n = 0 keys have no quantiles; n must be at least 1");
  need_search_arrays(arrays_of(r), opts);
}

void selection(const segmented_quantiles_request& r, const options& opts) {
  constexpr const char* operation = "quantiles within segments";
  need_quantiles(operation, r.arrays, opts);
  need_segments(operation, r, opts);
}

void workspace(const quantiles_request& r, const options& opts, std::size_t wanted) {
  need_search_space(arrays_of(r), opts, wanted);
}
void workspace(const segmented_quantiles_request& r, const options& opts, std::size_t wanted) {
  need_search_space(r, opts, wanted);
}

namespace {

struct groups_arrays {
  named_array keys, keys_out, first, counts, offsets, order, inverse, groups;
};

groups_arrays arrays_of(const groups_request& r) {
  const std::size_t key = key_bytes(r.type);
  const auto wanted = [&r](const char* name, const void* data, std::size_t count) {
    return named_array{name, data, data == nullptr ? 0 : count, r.index_bytes, r.index_bytes};
  };
  return {{"keys", r.keys, r.n, key, key},
          {"keys_out", r.keys_out, r.keys_out == nullptr ? 0 : r.n, key, key},
          wanted("first", r.first, r.n),
          wanted("counts", r.counts, r.n),
          wanted("offsets", r.offsets, r.n + 1),
          wanted("order", r.order, r.n),
          wanted("inverse", r.inverse, r.n),
          {"device_groups", r.device_groups, r.device_groups == nullptr ? 0u : 1u, 8, 8}};
}

} // namespace

void groups(const groups_request& r, const options& opts) {
  const bool on_device = opts.memory == memory::device;
  need_selection_call("groups", r.type, opts);
  if (r.index_bytes != 4 && r.index_bytes != 8)
    refuse_call("indices of " + std::to_string(r.index_bytes) + " bytes asked for; allowed are 4 and 8");
  if (r.index_bytes == 4 && r.n >= std::size_t{1} << 32)
    refuse_call("32-bit numbers cannot count n = " + std::to_string(r.n) + " keys; use 64-bit ones from 2^32 on");
  if (on_device != (r.device_groups != nullptr))
    refuse_call(on_device ? "groups of arrays in device memory need device_groups: where their number is to be written"
                          : "device_groups is given, but the arrays are said to lie in host memory");
  if (on_device && r.n == 0)
    refuse_call("n = 0 keys in device memory have no groups; n must be at least 1");
  const groups_arrays a = arrays_of(r);
  for (const named_array* each :
       {&a.keys, &a.keys_out, &a.first, &a.counts, &a.offsets, &a.order, &a.inverse, &a.groups})
    need_array(*each, opts.memory);
  need_outputs_apart({a.keys}, {a.keys_out, a.first, a.counts, a.offsets, a.order, a.inverse, a.groups});
}

void workspace(const groups_request& r, const options& opts, std::size_t wanted) {
  const groups_arrays a = arrays_of(r);
  need_space({a.keys, a.keys_out, a.first, a.counts, a.offsets, a.order, a.inverse, a.groups}, opts.workspace,
             opts.memory, wanted);
}

} // namespace sortile::checks

namespace sortile::detail {
namespace {

std::size_t share(const char* operation, const char* name, std::size_t length, std::size_t parts, const char* of) {
  if (parts == 0)
    return 0;
  if (length % parts != 0)
    throw invalid_argument(std::string("sortile::") + operation + ": " + name + " has " + std::to_string(length) +
                           " elements, which are no multiple of the " + std::to_string(parts) + " " + of);
  return length / parts;
}

} // namespace

std::size_t first_of(const char* operation, std::size_t k, std::size_t n) {
  if (k > std::numeric_limits<std::size_t>::max() / 2)
    throw invalid_argument(std::string("sortile::") + operation +
                           ": k = " + std::to_string(static_cast<std::make_signed_t<std::size_t>>(k)) +
                           " is asked for; it is 0 at least");
  return std::min(k, n);
}

top_k_request by_rows(const char* operation, const top_k_request& whole, const void* counts, std::size_t rows,
                      std::size_t count_bytes) {
  if (rows == 0 && (whole.n > 0 || whole.k > 0))
    throw invalid_argument(
        std::string("sortile::") + operation + ": the " +
        (whole.n > 0 ? "input has " + std::to_string(whole.n) : "output has " + std::to_string(whole.k)) +
        " elements and counts has none; there is one for each row");
  top_k_request r = whole;
  r.n = share(operation, "the input", whole.n, rows, "rows that counts has");
  r.k = share(operation, "the output", whole.k, rows, "rows that counts has");
  r.rows = rows;
  r.row_k = counts;
  r.row_k_bytes = count_bytes;
  return r;
}

segmented_top_k_request in_segments(const char* operation, const top_k_request& whole, const segments& where) {
  segmented_top_k_request r{whole, where};
  r.arrays.k = share(operation, "the output", whole.k, where.count, "segments");
  return r;
}

segmented_top_k_request in_segments(const char* operation, const top_k_request& whole, const segments& where,
                                    const void* counts, std::size_t number, std::size_t count_bytes) {
  same_length(operation, "segments", where.count, "counts", number);
  segmented_top_k_request r = in_segments(operation, whole, where);
  r.arrays.row_k = counts;
  r.arrays.row_k_bytes = count_bytes;
  return r;
}

} // namespace sortile::detail
