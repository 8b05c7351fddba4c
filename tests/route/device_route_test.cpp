// Routings by kernels, on the executor; and what is asked of device memory without a device.
#include "tests/route/route_case.hpp"

#include <gtest/gtest.h>

namespace sortile::testing {
namespace {

TEST(DeviceRoute, RandomCases) { // both ways: up to 1024 experts in one launch, or in three
  for (std::uint64_t seed = 0; seed < 120; ++seed) {
    const auto found = check_route(random_route(seed, "executor", 40'000));
    ASSERT_TRUE(found) << found.complaint;
  }
}

TEST(DeviceRoute, ManyPairs) {
  for (const std::size_t expert_count : {1, 7, 1024, 4096}) {
    const auto found = check_route({.n = (std::size_t{1} << 17) + 77,
                                    .expert_count = expert_count,
                                    .block = 16,
                                    .experts = spread::some_dropped,
                                    .seed = 5,
                                    .engine = "executor"});
    ASSERT_TRUE(found) << found.complaint;
  }
}

TEST(DeviceRoute, WorkspaceAndPlan) {
  const options opts{.engine = "cuda", .memory = memory::device};
  const route_request few{.n = std::size_t{1} << 16, .expert_count = 1024};
  const route_request many{.n = std::size_t{1} << 20, .expert_count = 1024};
  EXPECT_EQ(explain(few, opts).steps.size(), 1u);
  EXPECT_EQ(explain(many, opts).steps.size(), 3u);
  EXPECT_EQ(explain(route_request{.n = 5, .expert_count = 1025}, opts).steps.size(), 3u);
  for (const route_request& r : {few, many})
    EXPECT_LE(workspace_bytes(r, opts), 1028u * 1024);
  EXPECT_GT(workspace_bytes(many, opts), 0u);
}

} // namespace
} // namespace sortile::testing
