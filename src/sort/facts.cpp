#include "sort/facts.hpp"

#include "kernels/sample/sample_sort.hpp"

#include <algorithm>

namespace sortile::gpu {
namespace {

constexpr std::size_t vector_bytes = 16, widest_travelling = 16;

bool aligned(const void* array, std::size_t alignment) {
  return reinterpret_cast<std::uintptr_t>(array) % alignment == 0;
}

void add_values(sort_facts& f, const sort_request& request) {
  const std::size_t bytes = request.value_bytes;
  if (request.carries == payload::none)
    return;
  f.given_value_bytes = bytes;
  if (request.carries == payload::indices) {
    f.values = value_handling::indices;
    f.value_bytes = unsigned(bytes);
  } else if (bytes > widest_travelling) {
    f.values = value_handling::gathered;
    f.value_bytes = request.n <= std::size_t{1} << 32 ? 4 : 8;
  } else {
    f.value_bytes = bytes <= 4 ? 4 : bytes <= 8 ? 8 : 16;
    const bool as_they_are = f.value_bytes == bytes && aligned(request.values_in, f.value_bytes) &&
                             aligned(request.values_out, f.value_bytes);
    f.values = as_they_are ? value_handling::direct : value_handling::moved;
  }
}

bool vectors_fit(const sort_request& request, value_handling values) {
  const bool of_the_caller = values == value_handling::direct || values == value_handling::indices;
  return aligned(request.keys_in, vector_bytes) && aligned(request.keys_out, vector_bytes) &&
         (!of_the_caller || (aligned(request.values_in, vector_bytes) && aligned(request.values_out, vector_bytes)));
}

} // namespace

sort_facts facts_of(const sort_request& request, const options& opts, const device_facts& device) {
  sort_facts f;
  f.n = request.n;
  f.key_bits = key_bits(request.type);
  f.floats = is_float(request.type);
  f.window_begin = opts.bits.begin;
  f.window_end = opts.bits.end == bit_window::whole_key ? f.key_bits : opts.bits.end;
  f.whole_keys = f.window_begin == 0 && f.window_end == f.key_bits;
  add_values(f, request);
  f.vectors_fit = vectors_fit(request, f.values);
  f.n_on_device = request.device_n != nullptr;
  f.in_place = request.keys_in == request.keys_out;
  f.keys_wanted = request.keys_out != nullptr;
  f.double_buffer =
      request.input_is_scratch && (f.values == value_handling::none || f.values == value_handling::direct);
  f.device = device;
  f.sample_fits = device.multiprocessors == 0 || f.n <= most_of_a_sample(f);
  return f;
}

std::size_t most_of_a_sample(const sort_facts& f) {
  const bool placed = f.value_bytes != 0 || f.floats || !f.whole_keys;
  return std::size_t(kernels::detail::sample_shape::of(f.key_bits / 8, placed).most(f.device.multiprocessors));
}

} // namespace sortile::gpu
