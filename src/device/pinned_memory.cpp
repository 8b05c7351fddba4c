#include "device/pinned_memory.hpp"

#include "device/capture_guard.hpp"
#include "device/cuda_error.hpp"

#include <vector>

namespace sortile::device {
namespace {

/// Null where the driver has none.
cudaMemPool_t pool_of_host_memory() {
  cudaMemPoolProps wanted{};
  wanted.allocType = cudaMemAllocationTypePinned;
  wanted.location.type = cudaMemLocationTypeHost;
  cudaMemPool_t pool = nullptr;
  if (cudaMemPoolCreate(&pool, &wanted) == cudaSuccess)
    return pool;
  static_cast<void>(cudaGetLastError());
  return nullptr;
}

/// False where a device does not reach memory of the pool.
bool open_to_all_devices(cudaMemPool_t pool) {
  int devices = 0;
  SORTILE_CUDA_CHECK(cudaGetDeviceCount(&devices));
  std::vector<cudaMemAccessDesc> access(std::size_t(devices), cudaMemAccessDesc{});
  for (int i = 0; i < devices; ++i) {
    access[std::size_t(i)].location = {cudaMemLocationTypeDevice, i};
    access[std::size_t(i)].flags = cudaMemAccessFlagsProtReadWrite;
  }
  if (cudaMemPoolSetAccess(pool, access.data(), access.size()) == cudaSuccess)
    return true;
  static_cast<void>(cudaGetLastError());
  return false;
}

} // namespace

bool pinned_memory::take_from_pool(std::size_t bytes) {
  pool_ = pool_of_host_memory();
  if (pool_ == nullptr)
    return false;
  if (open_to_all_devices(pool_) && cudaMallocFromPoolAsync(&memory_, bytes, pool_, stream_.get()) == cudaSuccess &&
      cudaStreamSynchronize(stream_.get()) == cudaSuccess)
    return true;
  static_cast<void>(cudaGetLastError());
  static_cast<void>(cudaMemPoolDestroy(pool_));
  pool_ = nullptr;
  memory_ = nullptr;
  return false;
}

pinned_memory::pinned_memory(std::size_t bytes) {
  if (!take_from_pool(bytes))
    SORTILE_CUDA_CHECK_ALLOCATION(cudaHostAlloc(&memory_, bytes, cudaHostAllocPortable), bytes);
}

pinned_memory::~pinned_memory() {
  const capture_guard relaxed;
  if (pool_ == nullptr) {
    static_cast<void>(cudaFreeHost(memory_));
    return;
  }
  static_cast<void>(cudaFreeAsync(memory_, stream_.get()));
  static_cast<void>(cudaStreamSynchronize(stream_.get())); // holds the freeing alone
  static_cast<void>(cudaMemPoolDestroy(pool_));
}

} // namespace sortile::device
