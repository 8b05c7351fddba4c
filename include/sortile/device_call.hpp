// What a sort or merge in device memory, all of whose kernels are compiled in the user's program (compare.cuh), needs
// of the compiled library: checks before anything is queued, the engine, workspace and stream.
#pragma once

#include <sortile/sortile.hpp>

#include <cstddef>
#include <span>

#pragma GCC visibility push(default) // what is declared here is exported, others stay hidden
namespace sortile {

namespace simt {
class queue;
}

namespace detail {

/// Work that the caller's translation unit launches. An array that is sorted in place is listed once, as written.
struct device_call {
  static constexpr unsigned most_arrays = 4;

  const char* operation = "";             ///< "a sort by a comparison"
  caller_array arrays[most_arrays] = {};  ///< those without a name are absent
  std::span<const caller_array> inputs{}; ///< further ones, any number, that are only read
  std::size_t workspace_bytes = 0;
  /// Queues the kernels; `work` is passed on.
  void (*launch)(const simt::queue&, const void* work, void* workspace) = nullptr;
  const void* work = nullptr;
  bool on_executor = false; ///< `launch` was compiled for the executor: arrays lie in host memory
};

/// Queues the work on options::stream. \throws invalid_argument, workspace_too_small, engine_unusable, unknown_engine,
/// out_of_memory, device_failure
void run_on_device(const device_call& call, const options& opts);

} // namespace detail
} // namespace sortile
#pragma GCC visibility pop
