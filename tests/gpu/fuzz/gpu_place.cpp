// The GPU as a place: plain device memory, which the host cannot touch, and a stream that waits for nobody.
#include "device/stream.hpp"
#include "tests/gpu/fuzz/place.hpp"

#include <sortile/device.hpp>
#include <sortile/error.hpp>

namespace sortile::fuzz {

place gpu_place(std::string& why) {
  if (first_usable_device() == nullptr) {
    why = devices().devices.empty() ? devices().why_none : devices().devices.front().why_unusable;
    return {};
  }
  static const device::stream stream;
  return {.engine = "cuda",
          .where = memory::device,
          .stream = stream.get(),
          .allocate =
              [](std::size_t bytes) {
                void* memory = nullptr;
                SORTILE_CUDA_CHECK_ALLOCATION(cudaMalloc(&memory, bytes), bytes);
                return memory;
              },
          .release = [](void* memory) { static_cast<void>(cudaFree(memory)); },
          .copy = [](void* to, const void* from,
                     std::size_t bytes) { SORTILE_CUDA_CHECK(cudaMemcpy(to, from, bytes, cudaMemcpyDefault)); },
          .finish = [](void* queued) { SORTILE_CUDA_CHECK(cudaStreamSynchronize(static_cast<cudaStream_t>(queued))); },
          .explain = sortile::explain,
          .run = [](const sort_request& r, const options& opts) { return sortile::run(r, opts); }};
}

} // namespace sortile::fuzz
