#include "route.hpp"

#include "arrays.hpp"
#include "call.hpp"
#include "device.hpp"

#include <sortile/route.hpp>

#include <array>

namespace sortile::python {

namespace {

/// Offsets, counts, order, inverse, experts of blocks, dropped: in the order in which `sortile/_route.py` has them.
using result_arrays = std::array<void*, 6>;

route_request request_of(key_type type, std::size_t n, const void* experts, std::size_t expert_count, std::size_t block,
                         std::size_t index_bytes, const result_arrays& results) {
  return {.type = type,
          .n = n,
          .experts = experts,
          .expert_count = expert_count,
          .block = block,
          .index_bytes = index_bytes,
          .offsets = results[0],
          .counts = results[1],
          .order = results[2],
          .inverse = results[3],
          .block_experts = results[4],
          .dropped = results[5]};
}

} // namespace

void route(nb::handle experts, std::size_t expert_count, std::size_t block, nb::handle results, nb::handle threads) {
  const element e = *plain_element(experts);
  call how(threads);
  const nb::tuple written = nb::borrow<nb::tuple>(results);
  result_arrays to;
  for (std::size_t i = 0; i < to.size(); ++i)
    to[i] = PyArray_DATA(as_array(written[i]));
  const auto index_bytes = static_cast<std::size_t>(PyArray_ITEMSIZE(as_array(written[0])));
  const std::size_t n = size_of(as_array(experts));
  const route_request request =
      request_of(e.type, n, PyArray_DATA(as_array(experts)), expert_count, block, index_bytes, to);
  how.run_to_the_end(n, [&] { run(request, how.opts); });
}

void device_route(int type, std::size_t n, std::uintptr_t experts, std::size_t expert_count, std::size_t block,
                  std::size_t index_bytes, const nb::list& results, int ordinal, std::uintptr_t stream,
                  nb::handle allocate) {
  result_arrays to;
  for (std::size_t i = 0; i < to.size(); ++i)
    to[i] = reinterpret_cast<void*>(nb::cast<std::uintptr_t>(results[i]));
  const route_request request = request_of(static_cast<key_type>(type), n, reinterpret_cast<const void*>(experts),
                                           expert_count, block, index_bytes, to);
  queue_on(false, ordinal, stream, allocate, [&](const options& opts) { run(request, opts); });
}

} // namespace sortile::python
