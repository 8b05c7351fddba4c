#include "rows_call.hpp"

#include <sortile/error.hpp>
#include <sortile/select.hpp>

#include <string>
#include <type_traits>

namespace sortile::python {

namespace {

void need_key_type(const rows_call& call) {
  if (key_bytes(call.type) == 0)
    throw invalid_argument("sortile: key type number " + std::to_string(static_cast<int>(call.type)) +
                           " does not exist");
}

/// All rows behind each other.
sort_request arrays_of(const rows_call& call) {
  need_key_type(call);
  if (call.wanted < product::keys || call.wanted > product::keys_and_values)
    throw invalid_argument("sortile: product number " + std::to_string(static_cast<int>(call.wanted)) +
                           " does not exist");
  sort_request all{.type = call.type, .n = call.rows * call.n, .keys_in = call.keys_in};
  if (call.wanted != product::positions)
    all.keys_out = call.keys_out;
  if (call.wanted != product::keys) {
    all.carries = call.wanted == product::keys_and_values ? payload::values : payload::indices;
    all.value_bytes = call.value_bytes;
    all.values_out = call.values_out;
  }
  if (call.wanted == product::keys_and_values)
    all.values_in = call.values_in;
  return all;
}

void run_top_k(const rows_call& call, const options& opts) {
  need_key_type(call);
  if (call.k == 0 || call.rows == 0)
    return;
  run(top_k_request{.type = call.type,
                    .n = call.n,
                    .k = call.k,
                    .keys_in = call.keys_in,
                    .carries = payload::indices,
                    .value_bytes = call.value_bytes,
                    .values_out = call.values_out,
                    .rows = call.rows},
      opts);
}

/// The rows as segments of one array.
segmented_request request_of(const rows_call& call) {
  return {arrays_of(call), segments::rows(call.rows, call.n)};
}

/// From this length on a row by itself gives a GPU enough to do, and the sort of one array moves it fewer times.
constexpr std::size_t long_row = std::size_t{1} << 19;

bool one_by_one(const rows_call& call, const options& opts) {
  return call.rows == 1 || (call.n >= long_row && opts.memory == memory::device);
}

rows_call row_of(const rows_call& call, std::size_t row) {
  const auto moved = [row, n = call.n](auto* begin, std::size_t width) {
    using bytes =
        std::conditional_t<std::is_const_v<std::remove_pointer_t<decltype(begin)>>, const std::byte, std::byte>;
    return begin == nullptr ? nullptr : static_cast<bytes*>(begin) + row * n * width;
  };
  rows_call one = call;
  one.rows = 1;
  one.keys_in = moved(call.keys_in, key_bytes(call.type));
  one.keys_out = moved(call.keys_out, key_bytes(call.type));
  one.values_in = moved(call.values_in, call.value_bytes);
  one.values_out = moved(call.values_out, call.value_bytes);
  return one;
}

} // namespace

void run_segments(const rows_call& call, const segments& where, const options& opts) {
  const segmented_request request{arrays_of(call), where};
  if (call.n > 0)
    run(request, opts);
}

void run_rows(const rows_call& call, const options& opts) {
  if (call.wanted == product::first_positions)
    return run_top_k(call, opts);
  if (call.rows * call.n == 0)
    return;
  if (one_by_one(call, opts))
    for (std::size_t row = 0; row < call.rows; ++row)
      run(arrays_of(row_of(call, row)), opts);
  else
    run(request_of(call), opts);
}

std::string explain_rows(const rows_call& call, const options& opts) {
  return to_string(one_by_one(call, opts) ? explain(arrays_of(row_of(call, 0)), opts)
                                          : explain(request_of(call), opts));
}

} // namespace sortile::python
