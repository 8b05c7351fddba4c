#include "rows_call.hpp"

#include <sortile/error.hpp>
#include <sortile/select.hpp>

#include <string>

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

} // namespace

segmented_request request_of(const rows_call& call) {
  return {arrays_of(call), segments::rows(call.rows, call.n)};
}

void run_segments(const rows_call& call, const segments& where, const options& opts) {
  const segmented_request request{arrays_of(call), where};
  if (call.n > 0)
    run(request, opts);
}

void run_rows(const rows_call& call, const options& opts) {
  if (call.wanted == product::first_positions)
    return run_top_k(call, opts);
  const segmented_request request = request_of(call);
  if (request.arrays.n == 0)
    return;
  if (call.rows == 1)
    run(request.arrays, opts);
  else
    run(request, opts);
}

} // namespace sortile::python
