// Launches the kernel that makes room for chosen elements: by unit and position width.
#include "kernels/select/displace.hpp"
#include "kernels/select/displace_kernel.hpp"
#include "kernels/values/moving_threads.hpp"

namespace sortile::kernels::inline SORTILE_BACKEND {
namespace {

template <class Unit, class Position>
void launch_displacing(const simt::queue& q, const displace_request& r) {
  using kernel = displace_kernel<Unit, Position>;
  const std::uint64_t units = r.element_bytes / sizeof(Unit);
  const auto threads = moving_threads::of_units(units);
  simt::launch(q, {.grid = threads.blocks(r.k, kernel::block_threads)},
               kernel{.elements = {static_cast<Unit*>(r.elements), r.n * units},
                      .chosen = {static_cast<const Position*>(r.chosen), r.k},
                      .k = r.k,
                      .begin = r.begin,
                      .units = units,
                      .threads_bits = threads.bits});
}

template <class Unit>
void launch_by_position(const simt::queue& q, const displace_request& r) {
  if (r.position_bytes == 4)
    launch_displacing<Unit, std::uint32_t>(q, r);
  else
    launch_displacing<Unit, std::uint64_t>(q, r);
}

} // namespace
} // namespace sortile::kernels::inline SORTILE_BACKEND

namespace sortile::kernels::detail {

template <>
void launch_displace<simt::this_backend>(const simt::queue& q, const displace_request& r) {
  if ((reinterpret_cast<std::uintptr_t>(r.elements) | r.element_bytes) % 4 == 0)
    launch_by_position<std::uint32_t>(q, r);
  else
    launch_by_position<std::uint8_t>(q, r);
}

} // namespace sortile::kernels::detail
