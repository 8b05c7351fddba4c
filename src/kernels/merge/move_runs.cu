// Launches the kernel that copies runs.
#include "kernels/any_order/merge_list.hpp"
#include "kernels/merge/move_runs.hpp"
#include "kernels/merge/move_runs_kernel.hpp"
#include "kernels/send.hpp"
#include "kernels/values/moving_threads.hpp"

namespace sortile::kernels::inline SORTILE_BACKEND {
namespace {

template <class Unit>
void launch_moves(const simt::queue& q, const move_runs_request& r, const run_list& list) {
  using kernel = move_runs_kernel<Unit>;
  const std::uint64_t units = r.bytes / sizeof(Unit);
  const auto threads = moving_threads::of_units(units);
  simt::launch(q, {.grid = threads.blocks(list.n, kernel::block_threads, kernel::items)},
               kernel{.list = list,
                      .values = r.values,
                      .out = {static_cast<Unit*>(r.out), list.n * units},
                      .numbers = const_number_array::of(r.numbers, list.n, r.number_bytes),
                      .units = units,
                      .threads_bits = threads.bits});
}

void launch(const simt::queue& q, const move_runs_request& r) {
  run_sequence runs;
  std::uintptr_t all = reinterpret_cast<std::uintptr_t>(r.out) | r.bytes;
  for (const sorted_run& run : r.runs) {
    runs.add(run.keys, run.values, run.n);
    if (run.n > 0)
      all |= reinterpret_cast<std::uintptr_t>(r.values ? run.values : run.keys);
  }
  const run_list list = listed_on_device(q, runs, static_cast<std::byte*>(r.table), !r.is_listed);
  if (all % 4 == 0)
    launch_moves<std::uint32_t>(q, r, list);
  else
    launch_moves<std::uint8_t>(q, r, list);
}

} // namespace
} // namespace sortile::kernels::inline SORTILE_BACKEND

SORTILE_LAUNCHES_OF(move_runs_request, launch)
