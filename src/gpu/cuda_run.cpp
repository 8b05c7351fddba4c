#include "gpu/cuda_run.hpp"

#include "device/capture_guard.hpp"
#include "device/memory_resource.hpp"
#include "device/stream.hpp"
#include "gpu/segmented_sort.hpp"
#include "gpu/staging.hpp"
#include "sort/device_sort.hpp"

#include <sortile/device.hpp>

#include <array>

namespace sortile::gpu {
namespace {

/// The device that the calling thread uses. \throws engine_unusable where sortile's kernels do not run on it
void need_usable_current_device() {
  int ordinal = 0;
  SORTILE_CUDA_CHECK(cudaGetDevice(&ordinal));
  const auto& list = sortile::devices().devices;
  if (const auto at = std::size_t(ordinal); at < list.size() && !list[at].why_unusable.empty())
    throw engine_unusable("sortile: the current device, " + list[at].name +
                          ", cannot be used: " + list[at].why_unusable);
}

/// Addresses that this thread has found in device memory lately: asking the driver takes half a microsecond, and is
/// done five times for pairs. Should such an address later be pageable host memory, only the message is lost: the
/// kernels fault, as on any wrong pointer.
class known_device_memory {
 public:
  bool holds(const void* array) const { return recent_[place_of(array)] == array; }
  void add(const void* array) { recent_[place_of(array)] = array; }

 private:
  static constexpr std::size_t places = 64;
  static std::size_t place_of(const void* array) {
    return std::size_t((std::uint64_t(reinterpret_cast<std::uintptr_t>(array)) * 0x9e3779b97f4a7c15u) >> 58);
  }
  std::array<const void*, places> recent_{};
};

/// Most devices cannot reach host memory that is not pinned; a kernel would fault on it long after the call.
void need_reach(const char* name, const void* array) {
  static thread_local known_device_memory known;
  if (array == nullptr || known.holds(array))
    return;
  cudaPointerAttributes attributes{};
  SORTILE_CUDA_CHECK(cudaPointerGetAttributes(&attributes, array));
  if (attributes.type == cudaMemoryTypeDevice)
    known.add(array);
  if (attributes.type != cudaMemoryTypeUnregistered)
    return;
  int ordinal = 0, pageable = 0;
  SORTILE_CUDA_CHECK(cudaGetDevice(&ordinal));
  SORTILE_CUDA_CHECK(cudaDeviceGetAttribute(&pageable, cudaDevAttrPageableMemoryAccess, ordinal));
  if (pageable == 0)
    throw invalid_argument(
        std::string("sortile: ") + name +
        " is pageable host memory, which the device cannot reach; with memory::device arrays must be "
        "device, managed or pinned memory");
}

/// Runs `work`; what the kernels' launches throw gets the library's name for it.
template <class Work>
void with_device_failures(Work&& work) {
  try {
    work();
  } catch (const simt::error& e) {
    throw device_failure(e.what());
  }
}

/// In the order of the stream: a plain cudaMemcpy uses the legacy stream, and breaks captures of other threads. \throws
/// invalid_argument where there were more keys than said
void check_count(const sort_request& request, cudaStream_t stream) {
  if (request.device_n == nullptr)
    return;
  const device::capture_guard relaxed;
  std::uint64_t n = 0;
  SORTILE_CUDA_CHECK(cudaMemcpyAsync(&n, request.device_n, sizeof n, cudaMemcpyDefault, stream));
  SORTILE_CUDA_CHECK(cudaStreamSynchronize(stream));
  if (n > request.n)
    throw invalid_argument("sortile: the number at device_n is " + std::to_string(n) + ", but n, its upper bound, is " +
                           std::to_string(request.n) + "; the first n keys are sorted");
}

} // namespace

device_facts current_device() {
  const auto& list = sortile::devices().devices;
  int ordinal = 0;
  if (list.empty() || cudaGetDevice(&ordinal) != cudaSuccess || std::size_t(ordinal) >= list.size())
    return any_device;
  const device_info& device = list[std::size_t(ordinal)];
  return {unsigned(10 * device.compute_major + device.compute_minor), unsigned(device.multiprocessors)};
}

void queue_in_device_memory(std::span<const named_array> arrays, std::size_t bytes, std::span<std::byte> given,
                            const options& opts, const std::function<void(const simt::queue&, void*)>& launch) {
  const device::capture_guard relaxed;
  need_usable_current_device();
  for (const named_array& array : arrays)
    need_reach(array.name, array.data);
  need_reach("the workspace", given.data());
  with_device_failures([&] {
    const auto queue = simt::queue::cuda(opts.stream);
    const auto stream = static_cast<cudaStream_t>(opts.stream);
    if (given.data() != nullptr || bytes == 0) {
      launch(queue, given.data());
    } else {
      device::memory_resource& resource = opts.resource != nullptr ? *opts.resource : device::default_memory_resource();
      const device::device_buffer workspace(bytes, stream, resource);
      launch(queue, workspace.data());
    }
    if (opts.checked)
      SORTILE_CUDA_CHECK(cudaStreamSynchronize(stream));
  });
}

void run_in_device_memory(const sort_request& request, const options& opts, const execution& how) {
  if (request.n == 0 && request.device_n == nullptr)
    return;
  const device_sort sort(request, opts, current_device());
  queue_in_device_memory({{"keys_in", request.keys_in},
                          {"keys_out", request.keys_out},
                          {"values_in", request.values_in},
                          {"values_out", request.values_out},
                          {"device_n", request.device_n},
                          {"device_status", request.device_status}},
                         sort.workspace_bytes(), how.workspace, opts,
                         [&](const simt::queue& queue, void* workspace) { sort.launch(queue, workspace); });
  if (opts.checked)
    check_count(request, static_cast<cudaStream_t>(opts.stream));
}

/// Offsets are checked where only the device can see them.
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

void run_from_host_memory(const sort_request& request, const options& opts, const execution& how) {
  const std::size_t n = request.n;
  const std::size_t keys_bytes = n * key_bytes(request.type), values_bytes = n * request.value_bytes;
  const bool brings_values = request.carries == payload::values, takes_values = request.carries != payload::none;
  progress_meter progress(how.progress, keys_bytes * 2 + values_bytes * (brings_values ? 2 : 1));
  if (n == 0)
    return progress.finish();
  const device::capture_guard relaxed;
  need_usable_current_device();
  with_device_failures([&] {
    const device::stream stream;
    const device::device_buffer keys(keys_bytes, stream.get()), values(takes_values ? values_bytes : 0, stream.get());
    const sort_request copy = as_copied(request, keys.data(), values.data());
    const device_sort sort(copy, opts, current_device());
    const device::device_buffer workspace(sort.workspace_bytes(), stream.get());
    const borrowed_staging through;
    through->upload(keys.data(), request.keys_in, keys_bytes, stream, how.threads, progress);
    if (brings_values)
      through->upload(values.data(), request.values_in, values_bytes, stream, how.threads, progress);
    sort.launch(simt::queue::cuda(stream.get()), workspace.data());
    stream.synchronize(); // errors of the kernels surface here, before anything of the host's is overwritten
    if (request.keys_out != nullptr)
      through->download(request.keys_out, keys.data(), keys_bytes, stream, how.threads, progress);
    if (takes_values)
      through->download(request.values_out, values.data(), values_bytes, stream, how.threads, progress);
    stream.synchronize();
  });
  progress.finish();
}

} // namespace sortile::gpu
