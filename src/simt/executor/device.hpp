// The executor as host code sees it: a small pretended GPU with a seed, a set of checks and a report of what its
// kernels did.
//
// With no checks it is as fast as it can be: blocks run on several OS threads in the order of their index. Any check
// makes a run deterministic for its seed: all resident blocks are interleaved on the calling thread.
#pragma once

#include "simt/executor/counters.hpp"
#include "simt/types.hpp"

#include <cstddef>
#include <cstdint>
#include <map>
#include <vector>

namespace sortile::executor {

/// What a run looks for. `all_checks` is every one but the counters.
enum class check : unsigned {
  none = 0,
  schedule = 1,    ///< shuffle blocks, warps and lanes; every barrier, vote, atomic, ordered access and spin may switch
  held_stores = 2, ///< hold plain and relaxed global stores back until something orders them
  shared_races = 4, ///< report unordered accesses to shared storage
  counters = 8,     ///< count sectors, bank conflicts, barriers, atomics
};
constexpr check operator|(check a, check b) {
  return check(unsigned(a) | unsigned(b));
}
constexpr bool has(check set, check one) {
  return (unsigned(set) & unsigned(one)) != 0;
}
inline constexpr check all_checks = check::schedule | check::held_stores | check::shared_races;

struct device_options {
  std::uint64_t seed = 1; ///< repeats a checked run
  check checks = check::none;
  unsigned multiprocessors = 4;                     ///< of 2048 threads and 228 KiB of shared storage each
  unsigned architecture = 90;                       ///< what the device claims to be, as 10 * major + minor
  unsigned os_threads = 0;                          ///< for runs without checks; 0: as many as the machine has
  std::size_t stack_bytes = std::size_t{64} * 1024; ///< a fiber's stack (four times as much under AddressSanitizer)
  double watchdog_seconds = 120;                    ///< a grid that takes longer is an error
};

/// What was wrong with a kernel.
enum class fault {
  shared_race,
  out_of_bounds,
  misaligned,
  divergent_barrier,
  bad_warp_mask,
  deadlock,
  watchdog,
  stack_overflow,
  bad_launch,
  bad_use,
  thrown
};
const char* name(fault f);

/// A kernel that failed on the executor: names kernel, block, thread, and the seed that repeats it.
struct failure : simt::error {
  failure(fault f, std::uint64_t s, const std::string& what) : simt::error(what), kind(f), seed(s) {}
  fault kind;
  std::uint64_t seed;
};

struct grid_request;
/// A kernel as the executor calls it, and knows it.
using kernel_function = void (*)(const void* kernel, void* shared);

/// The pretended GPU. Not for concurrent use: a device for each host thread.
class device {
 public:
  explicit device(device_options options = {}) : options_(options) {}

  const device_options& options() const { return options_; }
  /// Runs a grid, and what it launches, to its end. Throws failure.
  void run(const grid_request& request);
  /// How many blocks of this shape are resident at once, at most.
  unsigned resident_blocks(unsigned block_threads, std::size_t shared_bytes) const;

  /// The constants of a kernel, `bytes` in all, which simt::set_constants() fills: made, as zeros, at the first call.
  void* constants_of(kernel_function kernel, std::size_t bytes);

  /// What the kernels did since the last reset, with check::counters.
  const counters& counted() const { return counters_; }
  void reset_counters() { counters_ = {}; }

  static constexpr std::size_t shared_limit = std::size_t{227} * 1024; ///< bytes a block
  static constexpr unsigned max_cluster = 16;
  static constexpr unsigned max_block_threads = 1024;

 private:
  device_options options_;
  counters counters_;
  std::uint64_t launches_ = 0;
  std::map<kernel_function, std::vector<std::byte>> constants_;
};

/// Options from the environment for repeating a failure by hand: SORTILE_EXECUTOR_SEED, SORTILE_EXECUTOR_CHECKS (a
/// number).
device_options options_from_environment(device_options defaults = {});

} // namespace sortile::executor
