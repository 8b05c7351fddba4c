// The kernels of the GPU engine, run by the executor behind the same front door: fewer and smaller requests than the
// production engines get, of every kind.
#include "testing/request_case.hpp"
#include "testing/workloads.hpp"
#include "tests/differential/usable_engines.hpp"

#include <gtest/gtest.h>

namespace sortile::testing {
namespace {

constexpr std::uint64_t first_seed = 70'000;

class executor_engine : public ::testing::Test {
 protected:
  void SetUp() override {
    for (const engine_info& engine : engines())
      if (engine.name == "executor" && !engine.usable)
        GTEST_SKIP() << engine.reason;
  }
  static void run_seeds(std::uint64_t first, std::uint64_t cases, std::size_t largest_n) {
    for (std::uint64_t seed = first; seed < first + cases; ++seed) {
      const request_case c = random_case(seed, {"executor"}, largest_n);
      const verdict v = check(c);
      ASSERT_TRUE(v) << v.complaint << "\n  in " << to_string(c);
    }
  }
};

TEST_F(executor_engine, random_small_requests) {
  run_seeds(first_seed, 600 / slow_build, 2000);
}
TEST_F(executor_engine, random_medium_requests) {
  run_seeds(first_seed + 10'000, 60 / slow_build, 60'000);
}
TEST_F(executor_engine, random_larger_requests) {
  run_seeds(first_seed + 20'000, 4, 400'000);
}

TEST_F(executor_engine, every_type_and_workload) {
  for (const key_type type : all_key_types)
    for (const workload_info& info : all_workloads()) {
      if (info.floats_only && !is_float(type))
        continue;
      request_case c{.type = type, .n = 3000, .workload = std::string(info.name), .seed = 3, .engine = "executor"};
      c.carries = payload::indices;
      c.value_bytes = 4;
      c.form = form::out_of_place;
      const verdict v = check(c);
      ASSERT_TRUE(v) << v.complaint << "\n  in " << to_string(c);
    }
}

} // namespace
} // namespace sortile::testing
