// Checks copies of runs and sends them to the queue's backend.
#include "kernels/merge/move_runs.hpp"

#include "kernels/any_order/merge_plan.hpp"
#include "kernels/argument_checks.hpp"
#include "kernels/send.hpp"

namespace sortile::kernels {

std::size_t run_table_bytes(std::size_t runs) {
  return runs <= list_merge_plan::few ? 0 : runs * list_merge_plan::table_entry;
}

void move_runs(const simt::queue& q, const move_runs_request& r) {
  std::uint64_t n = 0, listed = 0;
  for (const sorted_run& run : r.runs) {
    n += run.n;
    listed += run.n > 0;
  }
  if (n == 0)
    return;
  check_size("move_runs", "elements", r.bytes);
  if (r.numbers != nullptr)
    check_width("move_runs", "numbers", r.number_bytes);
  check_array("move_runs", "out", static_cast<char*>(r.out), n * r.bytes);
  check_workspace("move_runs", r.table, run_table_bytes(listed), run_table_bytes(listed), arena::alignment);
  send(q, r);
}

} // namespace sortile::kernels
