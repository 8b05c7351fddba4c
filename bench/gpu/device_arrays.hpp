// Keys by shape, made where they are sorted, and the comparison of arrays there: on a GPU 2^28 keys are there in a
// millisecond. Written on the dialect, so that the shapes are tested without a GPU.
#pragma once

#include "bench/gpu/sort_row.hpp"
#include "simt/queue.hpp"

namespace sortile::bench {

/// Writes n keys of the type, spread by the shape. The same keys each time. \throws what check_shape throws
void fill_with_keys(const simt::queue& q, void* out, key_type type, std::uint64_t n, key_shape shape);

/// 0, 1, 2, … to n − 1, as values of 4 or 8 bytes.
void fill_with_positions(const simt::queue& q, void* out, std::size_t bytes, std::uint64_t n);

/// Adds to *differences how many of the first `bytes` / 4 words of two arrays differ.
void count_differences(const simt::queue& q, const void* a, const void* b, std::size_t bytes,
                       std::uint64_t* differences);

namespace detail {
template <class Backend>
void fill_with_keys(const simt::queue& q, void* out, key_type type, std::uint64_t n, key_shape shape);
template <class Backend>
void count_differences(const simt::queue& q, const void* a, const void* b, std::size_t bytes,
                       std::uint64_t* differences);
} // namespace detail

} // namespace sortile::bench
