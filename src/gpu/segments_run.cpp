// Sorts within segments of arrays in device memory: queued on the caller's stream; offsets are checked where only the
// device can see them.
#include "gpu/cuda_run.hpp"

#include "device/stream.hpp"
#include "gpu/segmented_sort.hpp"

namespace sortile::gpu {

void run_segments_in_device_memory(const segmented_request& request, const options& opts, const execution& how) {
  const device_segmented_sort sort(request, opts);
  const sort_request& a = request.arrays;
  const segments& w = request.where;
  const bool empty = a.n == 0 || w.count == 0 || (w.form == segment_form::strided && w.length == 0);
  if (empty && a.device_status == nullptr)
    return;
  const auto stream = static_cast<cudaStream_t>(opts.stream);
  std::uint32_t wrong = 0;
  queue_in_device_memory({{"keys_in", a.keys_in},
                          {"keys_out", a.keys_out},
                          {"values_in", a.values_in},
                          {"values_out", a.values_out},
                          {"begins", w.begins},
                          {"ends", w.ends},
                          {"device_status", a.device_status}},
                         sort.workspace_bytes(), how.workspace, opts, [&](const simt::queue& queue, void* workspace) {
                           sort.launch(queue, workspace, a.device_status);
                           if (opts.checked) // read before the workspace goes back; there when the call has waited
                             SORTILE_CUDA_CHECK(cudaMemcpyAsync(&wrong, device_segmented_sort::wrong_offsets(workspace),
                                                                sizeof wrong, cudaMemcpyDefault, stream));
                         });
  if (wrong != 0)
    throw invalid_argument("sortile: some offsets in device memory make no segment: one ends before it begins, reaches "
                           "beyond the arrays, or overlaps another; it was taken as empty, or cut off");
}

} // namespace sortile::gpu
