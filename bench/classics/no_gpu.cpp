// gpu.hpp in a build without CUDA.
#include "bench/classics/gpu.hpp"

#include <sortile/error.hpp>

namespace sortile::experiments {

namespace {

[[noreturn]] void refuse() {
  throw engine_unusable("this build has no CUDA side");
}

} // namespace

gpu_facts look_at_gpu(classics::machine&) {
  refuse();
}

std::shared_ptr<void> pinned_memory(const classics::machine&, std::size_t bytes) {
  return std::shared_ptr<std::byte[]>(new std::byte[bytes]);
}

queued_work cub_sort(classics::machine&, const std::uint32_t*, std::uint32_t*, std::uint64_t, bit_window) {
  refuse();
}

queued_work cub_scan(classics::machine&, const std::uint32_t*, std::uint32_t*, std::uint64_t) {
  refuse();
}

queued_work thrust_sort(classics::machine&, thrust_form, std::uint32_t*, std::uint32_t*, std::uint64_t) {
  refuse();
}

} // namespace sortile::experiments
