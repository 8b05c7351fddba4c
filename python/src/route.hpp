// Routings of token–expert pairs: of arrays in host memory, and in that of a device.
#pragma once

#include "numpy.hpp"

#include <cstdint>

namespace sortile::python {

/// `experts`: integers along one axis. `results`: a tuple of arrays of int32 or int64, as `sortile/_route.py` has them,
/// of the lengths that the routing needs, which is not checked. All are without gaps.
void route(nb::handle experts, std::size_t expert_count, std::size_t block, nb::handle results, nb::handle threads);

/// Queues a routing on a stream; `results`: a list of their addresses, of numbers of `index_bytes`.
void device_route(int type, std::size_t n, std::uintptr_t experts, std::size_t expert_count, std::size_t block,
                  std::size_t index_bytes, const nb::list& results, int ordinal, std::uintptr_t stream,
                  nb::handle allocate);

} // namespace sortile::python
