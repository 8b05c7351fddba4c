#include "device/memory_resource.hpp"

namespace sortile::device {
namespace {

/// Whether the current device has memory pools.
bool has_pools() {
  int ordinal = 0, pools = 0;
  SORTILE_CUDA_CHECK(cudaGetDevice(&ordinal));
  SORTILE_CUDA_CHECK(cudaDeviceGetAttribute(&pools, cudaDevAttrMemoryPoolsSupported, ordinal));
  return pools != 0;
}

class stream_ordered_pool final : public memory_resource {
 public:
  void* allocate(std::size_t bytes, void* stream) override {
    void* memory = nullptr;
    if (has_pools())
      SORTILE_CUDA_CHECK_ALLOCATION(cudaMallocAsync(&memory, bytes, static_cast<cudaStream_t>(stream)), bytes);
    else
      SORTILE_CUDA_CHECK_ALLOCATION(cudaMalloc(&memory, bytes), bytes);
    return memory;
  }

  void deallocate(void* memory, std::size_t, void* stream) noexcept override {
    // Frees pool memory in stream order and other memory at once; a failure here belongs to earlier work, which reports
    // it itself.
    if (cudaFreeAsync(memory, static_cast<cudaStream_t>(stream)) != cudaSuccess) {
      static_cast<void>(cudaGetLastError());
      static_cast<void>(cudaFree(memory));
    }
  }
};

} // namespace

memory_resource& default_memory_resource() {
  static stream_ordered_pool pool;
  return pool;
}

} // namespace sortile::device
