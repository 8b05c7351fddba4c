// What the experiments need of a GPU beyond the gallery's machine: its facts, pinned memory, and CUB as a rival. A
// plain header; a build without CUDA answers that it has none.
#pragma once

#include "classics/machine.hpp"

#include <sortile/options.hpp>

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

namespace sortile::experiments {

/// Queues work on the machine's queue.
using queued_work = std::function<void()>;

struct gpu_facts {
  std::string name, driver, toolkit, cub;
  double copy_bytes_per_second = 0; ///< read plus written, of a copy of 2^30 bytes within the device; median of 15
};

/// The facts of the GPU that the machine runs on. Also tells its memory pool to keep what classics give back, so that
/// their work arrays cost no system call in a timed run. \throws engine_unusable without one
gpu_facts look_at_gpu(classics::machine& on);

/// Host memory that the device copies to and from directly; plain memory for the executor.
std::shared_ptr<void> pinned_memory(const classics::machine& on, std::size_t bytes);

// CUB's sort by the bits of a window and exclusive scan of n numbers from `in` to `out`, workspace allocated
// beforehand. \throws engine_unusable on the executor and without a CUDA build
queued_work cub_sort(classics::machine& on, const std::uint32_t* in, std::uint32_t* out, std::uint64_t n,
                     bit_window bits = {});
queued_work cub_scan(classics::machine& on, const std::uint32_t* in, std::uint32_t* out, std::uint64_t n);

/// Thrust's sorts of n numbers in place: by digits, by a comparison, and by digits with `values`, which then must not
/// be null. Refused as CUB's are.
enum class thrust_form { sort, stable_sort_by_comparison, sort_by_key };
queued_work thrust_sort(classics::machine& on, thrust_form form, std::uint32_t* keys, std::uint32_t* values,
                        std::uint64_t n);

/// The library's own sort through its front door, workspace allocated beforehand: engine cuda, or executor there.
queued_work production_sort(classics::machine& on, const std::uint32_t* in, std::uint32_t* out, std::uint64_t n,
                            bit_window bits = {});

} // namespace sortile::experiments
