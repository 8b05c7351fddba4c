// The CUDA side of gpu.hpp.
#include "bench/classics/gpu.hpp"

#include "bench/gpu/contestant.hpp"
#include "testing/race.hpp"

#include <sortile/error.hpp>

#include <cstdio>
#include <limits>
#include <string_view>

namespace sortile::experiments {

namespace {

std::string version_text(int v) {
  return std::to_string(v / 1000) + "." + std::to_string(v % 1000 / 10);
}

/// The driver's release, which the CUDA runtime does not tell.
std::string driver_release() {
  const std::unique_ptr<FILE, int (*)(FILE*)> told(
      popen("nvidia-smi --query-gpu=driver_version --format=csv,noheader 2>/dev/null", "r"), pclose);
  char text[64] = "";
  if (!told || std::fgets(text, sizeof text, told.get()) == nullptr)
    return "unknown release";
  return std::string(text).substr(0, std::string_view(text).find('\n'));
}

void keep_freed_memory(int device) {
  int pools = 0;
  SORTILE_CUDA_CHECK(cudaDeviceGetAttribute(&pools, cudaDevAttrMemoryPoolsSupported, device));
  if (pools == 0)
    return;
  cudaMemPool_t pool = nullptr;
  std::uint64_t all = std::numeric_limits<std::uint64_t>::max();
  SORTILE_CUDA_CHECK(cudaDeviceGetDefaultMemPool(&pool, device));
  SORTILE_CUDA_CHECK(cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &all));
}

double copy_rate(classics::machine& on) {
  constexpr std::size_t bytes = std::size_t{1} << 30;
  const classics::device_array<std::byte> from(on, bytes), to(on, bytes);
  from.clear();
  testing::timing copies{"copy", {}};
  for (int round = 0; round < 17; ++round) {
    const double seconds = on.seconds([&] { on.copy_on_device(to.data(), from.data(), bytes); });
    if (round >= 2) // the first ones warm up
      copies.seconds.push_back(seconds);
  }
  return 2.0 * bytes / copies.median();
}

void refuse_executor(const classics::machine& on) {
  if (on.is_executor())
    throw engine_unusable("CUB and Thrust run on a GPU alone (here: the executor)");
}

cudaStream_t stream_of(const classics::machine& on) {
  return static_cast<cudaStream_t>(on.queue().cuda_stream());
}

/// CUB's workspace comes in the order of the default stream: it is waited for once.
queued_work ready(bench::contestant made) {
  SORTILE_CUDA_CHECK(cudaStreamSynchronize(nullptr));
  return std::move(made.run);
}

} // namespace

gpu_facts look_at_gpu(classics::machine& on) {
  cudaDeviceProp properties;
  int driver = 0, runtime = 0, device = 0;
  SORTILE_CUDA_CHECK(cudaGetDevice(&device));
  SORTILE_CUDA_CHECK(cudaGetDeviceProperties(&properties, device));
  SORTILE_CUDA_CHECK(cudaDriverGetVersion(&driver));
  SORTILE_CUDA_CHECK(cudaRuntimeGetVersion(&runtime));
  keep_freed_memory(device);
  return {.name = properties.name,
          .driver = driver_release() + ", for CUDA up to " + version_text(driver),
          .toolkit = version_text(runtime),
          .cub = bench::cub_version(),
          .copy_bytes_per_second = copy_rate(on)};
}

std::shared_ptr<void> pinned_memory(const classics::machine& on, std::size_t bytes) {
  if (on.is_executor())
    return std::shared_ptr<std::byte[]>(new std::byte[bytes]);
  void* memory = nullptr;
  SORTILE_CUDA_CHECK_ALLOCATION(cudaMallocHost(&memory, bytes), bytes);
  return {memory, [](void* m) { static_cast<void>(cudaFreeHost(m)); }};
}

queued_work cub_sort(classics::machine& on, const std::uint32_t* in, std::uint32_t* out, std::uint64_t n,
                     bit_window bits) {
  refuse_executor(on);
  return ready(
      bench::cub_sort_keys({.type = key_type::u32, .n = n, .keys_in = in, .keys_out = out}, stream_of(on), bits));
}

queued_work cub_scan(classics::machine& on, const std::uint32_t* in, std::uint32_t* out, std::uint64_t n) {
  refuse_executor(on);
  return ready(bench::cub_scan(in, out, n, stream_of(on)));
}

queued_work thrust_sort(classics::machine& on, thrust_form form, std::uint32_t* keys, std::uint32_t* values,
                        std::uint64_t n) {
  refuse_executor(on);
  switch (form) {
  case thrust_form::sort:
    return ready(bench::thrust_sort(keys, n, stream_of(on)));
  case thrust_form::stable_sort_by_comparison:
    return ready(bench::thrust_stable_sort(keys, n, stream_of(on)));
  default:
    return ready(bench::thrust_sort_by_key(keys, values, n, stream_of(on)));
  }
}

} // namespace sortile::experiments
