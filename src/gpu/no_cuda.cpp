// Engine "cuda" in a build without CUDA: listed, unusable, never run.
#include "gpu/cuda_engine.hpp"
#include "gpu/cuda_run.hpp"

#include <sortile/error.hpp>

namespace sortile::gpu {

void queue_in_device_memory(std::span<const named_array>, std::size_t, std::span<std::byte>, const options&,
                            const std::function<void(const simt::queue&, void*)>&) {
  throw engine_unusable("sortile: this build has no CUDA side");
}

void run_in_device_memory(const sort_request&, const options&, const execution&) {
  throw engine_unusable("sortile: this build has no CUDA side");
}

void run_segments_in_device_memory(const segmented_request&, const options&, const execution&) {
  throw engine_unusable("sortile: this build has no CUDA side");
}

void run_from_host_memory(const sort_request&, const options&, const execution&) {
  throw engine_unusable("sortile: this build has no CUDA side");
}

device_facts current_device() {
  return any_device;
}

void release_staging() noexcept {}

} // namespace sortile::gpu
