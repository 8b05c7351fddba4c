// CUB's DeviceScan and DeviceHistogram as contestants.
#include "bench/gpu/with_workspace.cuh"

#include <cub/device/device_histogram.cuh>
#include <cub/device/device_scan.cuh>

#include <cuda/std/array>

namespace sortile::bench {

namespace {

template <class T>
contestant scan(const T* in, T* out, std::uint64_t n, cudaStream_t stream) {
  return with_workspace("cub", [=](void* workspace, std::size_t& bytes) {
    return cub::DeviceScan::ExclusiveSum(workspace, bytes, in, out, n, stream);
  });
}

} // namespace

contestant cub_scan(const std::uint32_t* in, std::uint32_t* out, std::uint64_t n, cudaStream_t stream) {
  return scan(in, out, n, stream);
}
contestant cub_scan(const std::uint64_t* in, std::uint64_t* out, std::uint64_t n) {
  return scan(in, out, n, nullptr);
}

contestant cub_histogram(const std::uint8_t* samples, std::uint64_t n, int channels, std::uint32_t* bins) {
  if (channels == 1)
    return with_workspace("cub", [=](void* workspace, std::size_t& bytes) {
      return cub::DeviceHistogram::HistogramEven(workspace, bytes, samples, bins, 257, 0, 256, std::int64_t(n));
    });
  return with_workspace("cub", [=](void* workspace, std::size_t& bytes) {
    const cuda::std::array<std::uint32_t*, 4> out{bins, bins + 256, bins + 512, bins + 768};
    const cuda::std::array<int, 4> levels{257, 257, 257, 257}, lower{0, 0, 0, 0}, upper{256, 256, 256, 256};
    return cub::DeviceHistogram::MultiHistogramEven<4, 4>(workspace, bytes, samples, out, levels, lower, upper,
                                                          std::int64_t(n));
  });
}

std::string cub_version() {
  return std::to_string(CUB_MAJOR_VERSION) + "." + std::to_string(CUB_MINOR_VERSION) + "." +
         std::to_string(CUB_SUBMINOR_VERSION);
}

} // namespace sortile::bench
