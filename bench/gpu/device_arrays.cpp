// Checks what is asked for and sends it to the queue's backend.
#include "bench/gpu/device_arrays.hpp"

#include <sortile/error.hpp>

namespace sortile::bench {

void fill_with_keys(const simt::queue& q, void* out, const testing::workload& w, const testing::array_shape& shape) {
  simt::visit(q, [&](auto backend) { detail::fill_with_keys<decltype(backend)>(q, out, w, shape); });
}

void fill_with_positions(const simt::queue& q, void* out, std::size_t bytes, std::uint64_t n) {
  if (bytes != 4 && bytes != 8)
    throw invalid_argument("fill_with_positions: values of " + std::to_string(bytes) + " bytes (allowed: 4, 8)");
  fill_with_keys(q, out, testing::workload_named("count-up"),
                 {.type = bytes == 4 ? key_type::u32 : key_type::u64, .n = n});
}

void count_differences(const simt::queue& q, const void* a, const void* b, std::size_t bytes,
                       std::uint64_t* differences) {
  if (bytes % 4 != 0)
    throw invalid_argument("count_differences: " + std::to_string(bytes) + " bytes are no whole words of 4");
  simt::visit(q, [&](auto backend) { detail::count_differences<decltype(backend)>(q, a, b, bytes, differences); });
}

} // namespace sortile::bench
