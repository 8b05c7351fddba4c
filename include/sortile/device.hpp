// The GPUs of this machine as sortile sees them, and where their memory comes from.
#pragma once

#include <sortile/language.hpp>

#include <cstddef>
#include <string>
#include <vector>

#pragma GCC visibility push(default) // what is declared here is exported, others stay hidden
namespace sortile {

struct device_info {
  int ordinal = 0; ///< CUDA's number for it
  std::string name;
  int compute_major = 0, compute_minor = 0;
  int multiprocessors = 0;
  std::size_t memory_bytes = 0;
  std::size_t l2_bytes = 0;
  std::size_t shared_bytes_per_block = 0; ///< the most that a block can opt in to
  bool clusters = false;                  ///< thread block clusters (compute capability 9.0)
  bool memory_pools = false;              ///< stream-ordered allocation
  std::string why_unusable;               ///< empty where the kernels of this build run on it
};

struct device_list {
  std::vector<device_info> devices; ///< usable or not, in CUDA's order
  std::string why_none; ///< where there is no device at all: no GPU side in this build, no driver, too old a driver, …
};

/// Hands out device memory in the order of a stream; options::resource takes one. Implementations are safe to call from
/// several host threads.
class device_memory_resource {
 public:
  virtual ~device_memory_resource() = default;

  /// `bytes` > 0 bytes, aligned to 256, usable by work queued on `stream` (a cudaStream_t) from now on.
  /// \throws out_of_memory naming bytes wanted and free; device_failure
  virtual void* allocate(std::size_t bytes, void* stream) = 0;

  /// Gives memory back once the work queued on `stream` so far is done.
  virtual void deallocate(void* memory, std::size_t bytes, void* stream) noexcept = 0;
};

/// Looks for devices; the answer is found once and kept. Never throws for want of a device: that is what why_none is
/// for.
const device_list& devices();

/// The first usable device, or nullptr.
const device_info* first_usable_device();

} // namespace sortile
#pragma GCC visibility pop
