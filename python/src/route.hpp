// Routings of token–expert pairs: of arrays in host memory, and in that of a device.
#pragma once

#include "numpy.hpp"

#include <cstdint>

namespace sortile::python {

/// The results of `route` as `sortile/_route.py` has them, in a tuple. NotImplemented for experts that are not integers
/// in native byte order without gaps, for a dtype other than int32 and int64, and for numbers that are out of range.
nb::object route(nb::handle experts, nb::handle expert_count, nb::handle block, nb::handle dtype, nb::handle threads);

/// Queues a routing on a stream; `results`: a list of their addresses, of numbers of `index_bytes`.
void device_route(int type, std::size_t n, std::uintptr_t experts, std::size_t expert_count, std::size_t block,
                  std::size_t index_bytes, const nb::list& results, int ordinal, std::uintptr_t stream,
                  nb::handle allocate);

} // namespace sortile::python
