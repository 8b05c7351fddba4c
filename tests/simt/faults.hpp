// What tests of planted faults share: each fault is found within 100 schedules, by name or by a wrong result; its
// repaired twin passes all of them.
//
// A template flag `Fault` switches a fault on, so that what differs between the two is in plain sight.
#pragma once

#include "simt/simt.hpp"

#include <gtest/gtest.h>
#include <numeric>
#include <optional>

namespace sortile::simt_tests {

using executor::fault;
using simt::global;

inline constexpr unsigned schedules = 100;

inline executor::device device_with(std::uint64_t seed) {
  return executor::device({.seed = seed, .checks = executor::all_checks, .watchdog_seconds = 20});
}

/// The schedules that are searched: all, or the one of SORTILE_EXECUTOR_SEED.
inline std::vector<std::uint64_t> searched_schedules() {
  if (const std::uint64_t only = executor::options_from_environment({.seed = 0}).seed; only != 0)
    return {only};
  std::vector<std::uint64_t> all(schedules);
  std::iota(all.begin(), all.end(), std::uint64_t{1});
  return all;
}

struct found {
  std::uint64_t seed = 0;
  std::optional<fault> kind; // none: a wrong result
  std::string message;
};

/// Runs `once(queue)`, which says whether the result is right, until a schedule shows a fault.
template <class F>
std::optional<found> search(F&& once) {
  for (const std::uint64_t seed : searched_schedules()) {
    executor::device device = device_with(seed);
    try {
      if (!once(simt::queue::executor(device)))
        return found{seed, std::nullopt, "wrong result"};
    } catch (const executor::failure& e) {
      EXPECT_EQ(e.seed, e.kind == fault::bad_launch ? 0 : seed);
      return found{seed, e.kind, e.what()};
    }
  }
  return std::nullopt;
}

/// The faulty twin is found as `kind` (none: as a wrong result), with a message that names all of `words`; the seed
/// repeats it; the right twin passes.
template <class Faulty, class Right>
void expect_found(std::optional<fault> kind, const std::vector<std::string>& words, Faulty&& faulty, Right&& right) {
  const auto hit = search(faulty);
  ASSERT_TRUE(hit) << "not found in " << schedules << " schedules";
  EXPECT_EQ(hit->kind, kind) << hit->message;
  for (const std::string& w : words)
    EXPECT_NE(hit->message.find(w), std::string::npos) << hit->message;
  executor::device again = device_with(hit->seed);
  try {
    const bool right_again = faulty(simt::queue::executor(again));
    EXPECT_TRUE(!kind && !right_again) << "seed " << hit->seed << " does not repeat the failure";
  } catch (const executor::failure& e) {
    EXPECT_EQ(e.what(), hit->message);
  }
  if (kind && *kind != fault::bad_launch) {
    EXPECT_NE(hit->message.find("SORTILE_EXECUTOR_SEED=" + std::to_string(hit->seed)), std::string::npos);
  }
  const auto none = search(right);
  EXPECT_FALSE(none) << none->message;
}

/// Runs a kernel of one block whose thread 5 writes its index.
template <class Kernel>
bool runs(simt::queue q) {
  alignas(256) std::uint32_t v[64] = {}; // as device memory is; messages name places within 256 bytes
  simt::launch(q, {.grid = 1}, Kernel{{v, 64}});
  return v[5] == 5;
}

} // namespace sortile::simt_tests
