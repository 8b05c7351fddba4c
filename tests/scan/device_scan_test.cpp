// Scans and digit histograms by kernels, on the executor; and what is asked of device memory without a device.
#include "tests/scan/scan_case.hpp"
#include "tests/scan/scan_plans.hpp"

#include <gtest/gtest.h>

namespace sortile::testing {
namespace {

TEST(DeviceScan, RandomCases) {
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    const auto found = check_scan(random_scan(seed, "executor", 60'000));
    ASSERT_TRUE(found) << found.complaint;
  }
}

TEST(DeviceScan, Histograms) {
  for (std::uint64_t seed = 0; seed < 42; ++seed) {
    const auto found = check_histogram(random_histogram(seed, "executor", 20'000));
    ASSERT_TRUE(found) << found.complaint;
  }
}

TEST(DeviceScan, Plans) {
  check_plans("executor");
}

TEST(DeviceScan, WorkspaceIsSmall) {
  const options opts{.engine = "cuda", .memory = memory::device};
  for (const key_type type : {key_type::u32, key_type::i64}) {
    EXPECT_EQ(workspace_bytes(scan_request{.type = type}, opts), 0u);
    const std::size_t n = std::size_t{1} << 26;
    EXPECT_LT(workspace_bytes(scan_request{.type = type, .n = n}, opts), n * key_bytes(type) / 1000);
  }
}

} // namespace
} // namespace sortile::testing
