// Launches the kernel that moves values: by unit and index width.
#include "kernels/values/move_values.hpp"
#include "kernels/values/move_values_kernel.hpp"
#include "kernels/values/moving_threads.hpp"

namespace sortile::kernels::inline SORTILE_BACKEND {
namespace {

template <class Unit, class Index>
void launch_moves(const simt::queue& q, const move_values_request& r) {
  using kernel = move_values_kernel<Unit, Index>;
  const std::uint64_t units = r.value_bytes() / sizeof(Unit);
  const auto threads = moving_threads::of_units(units);
  simt::launch(q, {.grid = threads.blocks(r.n, kernel::block_threads)},
               kernel{.in = {static_cast<const Unit*>(r.in), (r.in_n == 0 ? r.n : r.in_n) * r.in_bytes / sizeof(Unit)},
                      .out = {static_cast<Unit*>(r.out), r.n * r.out_bytes / sizeof(Unit)},
                      .indices = {static_cast<const typename kernel::index*>(r.indices), kernel::by_position ? r.n : 0},
                      .n = r.n,
                      .in_units = r.in_bytes / sizeof(Unit),
                      .out_units = r.out_bytes / sizeof(Unit),
                      .units = units,
                      .threads_bits = threads.bits});
}

template <class Unit>
void launch_by_index(const simt::queue& q, const move_values_request& r) {
  if (r.indices == nullptr)
    launch_moves<Unit, void>(q, r);
  else if (r.index_bytes == 4)
    launch_moves<Unit, std::uint32_t>(q, r);
  else
    launch_moves<Unit, std::uint64_t>(q, r);
}

} // namespace
} // namespace sortile::kernels::inline SORTILE_BACKEND

namespace sortile::kernels::detail {

template <>
void launch_move_values<simt::this_backend>(const simt::queue& q, const move_values_request& r) {
  const auto all =
      reinterpret_cast<std::uintptr_t>(r.in) | reinterpret_cast<std::uintptr_t>(r.out) | r.in_bytes | r.out_bytes;
  if (all % 4 == 0)
    launch_by_index<std::uint32_t>(q, r);
  else
    launch_by_index<std::uint8_t>(q, r);
}

} // namespace sortile::kernels::detail
