// Keys of workloads, made where they are sorted, and the comparison of arrays there: on a GPU 2^28 keys are there in a
// few milliseconds. Written on the dialect, so that the executor can tell that they are the host's, bit for bit.
#pragma once

#include "simt/queue.hpp"
#include "testing/workloads.hpp"

namespace sortile::bench {

/// Writes the keys of an array, as w.fill() does, but for one: −0 becomes the negative number next to it, so that
/// results agree bit for bit whatever a sort makes of two zeros. \throws what w.fill() throws
void fill_with_keys(const simt::queue& q, void* out, const testing::workload& w, const testing::array_shape& shape);

/// 0, 1, 2, … to n − 1, as values of 4 or 8 bytes.
void fill_with_positions(const simt::queue& q, void* out, std::size_t bytes, std::uint64_t n);

/// Adds to *differences how many of the first `bytes` / 4 words of two arrays differ.
void count_differences(const simt::queue& q, const void* a, const void* b, std::size_t bytes,
                       std::uint64_t* differences);

namespace detail {
template <class Backend>
void fill_with_keys(const simt::queue& q, void* out, const testing::workload& w, const testing::array_shape& shape);
template <class Backend>
void count_differences(const simt::queue& q, const void* a, const void* b, std::size_t bytes,
                       std::uint64_t* differences);
} // namespace detail

} // namespace sortile::bench
