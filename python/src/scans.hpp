// Scans and digit histograms: of arrays in host memory, and of addresses on a GPU.
#pragma once

#include "numpy.hpp"

#include <cstddef>
#include <cstdint>

namespace sortile::python {

/// `initial`: None, or the bits of a number of the array's type.
nb::object scan(nb::handle x, nb::handle axis, nb::handle inclusive, nb::handle maximum, nb::handle initial,
                nb::handle threads);
nb::object digit_histogram(nb::handle x, nb::handle descending, nb::handle threads);

/// Rows of n elements behind each other.
void device_scan(int type, std::size_t rows, std::size_t n, std::uintptr_t in, std::uintptr_t out, bool inclusive,
                 bool maximum, nb::handle initial, int ordinal, std::uintptr_t stream, nb::handle allocate);
void device_digit_histogram(int type, std::size_t n, std::uintptr_t keys, std::uintptr_t counts, bool descending,
                            int ordinal, std::uintptr_t stream, nb::handle allocate);

} // namespace sortile::python
