// CUB's DeviceRadixSort as a contestant: keys alone, input kept, 64-bit n.
#include "bench/gpu/with_workspace.cuh"

#include <cub/device/device_radix_sort.cuh>

namespace sortile::bench {
namespace {

template <class T>
contestant sort(const T* in, T* out, std::uint64_t n, cudaStream_t stream) {
  return with_workspace("cub", [=](void* workspace, std::size_t& bytes) {
    return cub::DeviceRadixSort::SortKeys(workspace, bytes, in, out, n, 0, 8 * int(sizeof(T)), stream);
  });
}

} // namespace

contestant cub_sort(const std::uint32_t* in, std::uint32_t* out, std::uint64_t n, cudaStream_t stream) {
  return sort(in, out, n, stream);
}
contestant cub_sort(const std::uint64_t* in, std::uint64_t* out, std::uint64_t n) {
  return sort(in, out, n, nullptr);
}

} // namespace sortile::bench
