#include "rows_call.hpp"

#include <sortile/error.hpp>

#include <string>

namespace sortile::python {

segmented_request request_of(const rows_call& call) {
  if (key_bytes(call.type) == 0)
    throw invalid_argument("sortile: key type number " + std::to_string(static_cast<int>(call.type)) +
                           " does not exist");
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
  return {all, segments::rows(call.rows, call.n)};
}

void run_rows(const rows_call& call, const options& opts) {
  const segmented_request request = request_of(call);
  if (request.arrays.n == 0)
    return;
  if (call.rows == 1)
    run(request.arrays, opts);
  else
    run(request, opts);
}

} // namespace sortile::python
