// Checks merges of runs and sends them to the queue's backend.
#include "kernels/merge/merge_runs.hpp"

#include "kernels/argument_checks.hpp"
#include "kernels/send.hpp"

namespace sortile::kernels {

template <class Word>
void merge_runs(const simt::queue& q, const merge_runs_request<Word>& r) {
  if (r.plan.n == 0)
    return;
  if (r.value_bytes != 0 && r.value_bytes != 4 && r.value_bytes != 8)
    throw invalid_argument("merge_runs: values of " + std::to_string(r.value_bytes) +
                           " bytes; 0 (none), 4 and 8 are allowed");
  check_array("merge_runs", "keys_out", r.keys_out, r.plan.n);
  if (r.value_bytes == 4)
    check_array("merge_runs", "values_out", static_cast<std::uint32_t*>(r.values_out), r.plan.n);
  if (r.value_bytes == 8)
    check_array("merge_runs", "values_out", static_cast<std::uint64_t*>(r.values_out), r.plan.n);
  check_workspace("merge_runs", r.workspace, r.plan.bytes, r.plan.bytes, arena::alignment);
  send(q, r);
}

template void merge_runs(const simt::queue&, const merge_runs_request<std::uint32_t>&);
template void merge_runs(const simt::queue&, const merge_runs_request<std::uint64_t>&);
template void merge_runs(const simt::queue&, const merge_runs_request<uint128>&);

} // namespace sortile::kernels
