// Keys by shape, made on the GPU, and the comparison of arrays there: 2^28 keys are there in a millisecond.
#pragma once

#include "bench/gpu/sort_row.hpp"

namespace sortile::bench {

/// Writes n unsigned keys of `bytes` bytes each (1, 2, 4, 8 or 16), spread by the shape, to device memory; on the
/// default stream. The same keys each time.
void fill_with_keys(void* out, std::size_t bytes, std::uint64_t n, key_shape shape);

/// 0, 1, 2, … to n − 1, as values of 4 or 8 bytes.
void fill_with_positions(void* out, std::size_t bytes, std::uint64_t n);

/// Whether the first `bytes`, a multiple of 4, of two arrays in device memory are the same. Waits for the device.
bool same_on_device(const void* a, const void* b, std::size_t bytes);

} // namespace sortile::bench
