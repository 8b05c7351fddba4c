// Launches the kernel that takes the first elements of rows: by the width of its units.
#include "kernels/select/first_of_rows.hpp"
#include "kernels/select/first_of_rows_kernel.hpp"
#include "kernels/values/moving_threads.hpp"

namespace sortile::kernels::inline SORTILE_BACKEND {
namespace {

template <class Unit>
void launch_units(const simt::queue& q, const first_of_rows_request& r) {
  using kernel = first_of_rows_kernel<Unit>;
  const std::uint64_t units = r.bytes / sizeof(Unit), results = r.rows * r.k;
  const auto threads = moving_threads::of_units(units);
  const auto positions = [&](unsigned bytes) {
    return r.positions != nullptr && r.position_bytes == bytes ? results : 0;
  };
  const segments rows{.count = r.rows, .length = r.k, .stride = r.stride};
  simt::launch(q, {.grid = threads.blocks(results, kernel::block_threads)},
               kernel{.in = {static_cast<const Unit*>(r.in), r.n * units},
                      .out = {static_cast<Unit*>(r.out), results * units},
                      .positions_32 = {static_cast<const std::uint32_t*>(r.positions), positions(4)},
                      .positions_64 = {static_cast<const std::uint64_t*>(r.positions), positions(8)},
                      .where = reader_of(r.where.count == 0 ? rows : r.where, r.n),
                      .limits = row_limits::of(r.results, r.rows),
                      .results = results,
                      .k = r.k,
                      .units = unsigned(units),
                      .position_bytes = r.positions == nullptr ? 0 : r.position_bytes,
                      .threads_bits = threads.bits,
                      .positions_in_rows = r.positions_in_rows});
}

} // namespace
} // namespace sortile::kernels::inline SORTILE_BACKEND

namespace sortile::kernels::detail {

template <>
void launch_first_of_rows<simt::this_backend>(const simt::queue& q, const first_of_rows_request& r) {
  if ((reinterpret_cast<std::uintptr_t>(r.in) | reinterpret_cast<std::uintptr_t>(r.out) | r.bytes) % 4 == 0)
    launch_units<std::uint32_t>(q, r);
  else
    launch_units<std::uint8_t>(q, r);
}

} // namespace sortile::kernels::detail
