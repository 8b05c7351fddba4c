// Keys by shape, made where they are sorted, and the comparison of arrays there: on a GPU 2^28 keys are there in a
// millisecond. Written on the dialect, so that the shapes are tested without a GPU.
#pragma once

#include "bench/gpu/sort_row.hpp"
#include "simt/queue.hpp"

namespace sortile::bench {

/// Writes n unsigned keys of `bytes` bytes each (1, 2, 4, 8 or 16), spread by the shape. The same keys each time.
void fill_with_keys(const simt::queue& q, void* out, std::size_t bytes, std::uint64_t n, key_shape shape);

/// 0, 1, 2, … to n − 1, as values of 4 or 8 bytes.
void fill_with_positions(const simt::queue& q, void* out, std::size_t bytes, std::uint64_t n);

/// Adds to *differences how many of the first `bytes` / 4 words of two arrays differ.
void count_differences(const simt::queue& q, const void* a, const void* b, std::size_t bytes,
                       std::uint64_t* differences);

namespace detail {
template <class Backend>
void fill_with_keys(const simt::queue& q, void* out, std::size_t bytes, std::uint64_t n, key_shape shape);
template <class Backend>
void count_differences(const simt::queue& q, const void* a, const void* b, std::size_t bytes,
                       std::uint64_t* differences);
} // namespace detail

} // namespace sortile::bench
