#include "rows_call.hpp"

#include "cpu/parallel.hpp"
#include "plan/engine.hpp"

#include <sortile/error.hpp>

#include <string>

namespace sortile::python {

namespace {

constexpr std::size_t long_row = std::size_t{1} << 16;    // keys: worth all threads by itself
constexpr std::size_t alone_below = std::size_t{1} << 15; // keys of all rows together
constexpr std::size_t keys_of_a_task = std::size_t{1} << 14;

} // namespace

void need_known(const rows_call& call) {
  if (key_bytes(call.type) == 0)
    throw invalid_argument("sortile: key type number " + std::to_string(static_cast<int>(call.type)) +
                           " does not exist");
  if (call.wanted < product::keys || call.wanted > product::keys_and_values)
    throw invalid_argument("sortile: product number " + std::to_string(static_cast<int>(call.wanted)) +
                           " does not exist");
}

sort_request request_of(const rows_call& call, std::size_t row) {
  const auto in = [row](const void* array, std::size_t bytes) {
    return array == nullptr ? nullptr : static_cast<const std::byte*>(array) + row * bytes;
  };
  const auto out = [row](void* array, std::size_t bytes) {
    return array == nullptr ? nullptr : static_cast<std::byte*>(array) + row * bytes;
  };
  const std::size_t keys = call.n * key_bytes(call.type), values = call.n * call.value_bytes;
  sort_request request{.type = call.type, .n = call.n, .keys_in = in(call.keys_in, keys)};
  if (call.wanted != product::positions)
    request.keys_out = out(call.keys_out, keys);
  if (call.wanted == product::keys)
    return request;
  const bool brings_values = call.wanted == product::keys_and_values;
  request.carries = brings_values ? payload::values : payload::indices;
  request.value_bytes = call.value_bytes;
  if (brings_values)
    request.values_in = in(call.values_in, values);
  request.values_out = out(call.values_out, values);
  return request;
}

void run_rows_in_turn(const rows_call& call, const options& opts) {
  if (call.n > 0)
    for (std::size_t row = 0; row < call.rows; ++row)
      run(request_of(call, row), opts);
}

void run_rows_on_host(const rows_call& call, const options& opts) {
  if (call.rows < 2 || call.n >= long_row || call.rows * call.n < alone_below)
    return run_rows_in_turn(call, opts);
  const std::size_t per_task = call.n == 0 ? call.rows : (keys_of_a_task + call.n - 1) / call.n;
  const std::size_t tasks = (call.rows + per_task - 1) / per_task;
  options alone = opts;
  alone.threads = 1;
  cpu::for_each_task(resolve_threads(opts), tasks, nullptr, [&](unsigned, std::size_t task) {
    const std::size_t begin = cpu::part_begin(call.rows, tasks, task);
    const std::size_t end = cpu::part_begin(call.rows, tasks, task + 1);
    for (std::size_t row = begin; row < end; ++row)
      run(request_of(call, row), alone);
  });
}

} // namespace sortile::python
