// What explain says of groups on an engine, "" for the CPU's.
#pragma once

#include <sortile/groups.hpp>

#include <gtest/gtest.h>

namespace sortile::testing {

inline void check_plans_of_groups(const char* engine) {
  const options opts{.engine = engine, .threads = 2};
  std::vector<std::uint32_t> keys(300'000), counts(keys.size()), inverse(keys.size());
  groups_request request{
      .n = keys.size(), .keys = keys.data(), .index_bytes = 4, .counts = counts.data(), .inverse = inverse.data()};
  const plan p = explain(request, opts);
  EXPECT_EQ(p.engine, *engine == '\0' ? "cpu" : engine);
  ASSERT_GE(p.steps.size(), 2u); // of the sort too
  EXPECT_EQ(p.steps.back().name, "groups");
  EXPECT_EQ(p.steps.back().bytes_written, 8 * request.n);
  EXPECT_GE(p.steps.back().bytes_read, 8 * request.n); // keys, and positions for the inverse
  std::uint64_t sort_reads = 0;
  for (const plan_step& step : p.steps)
    sort_reads += step.bytes_read;
  EXPECT_GT(sort_reads, p.steps.back().bytes_read + 4 * request.n);

  request.inverse = nullptr; // keys alone are sorted, which is less
  const plan of_counts = explain(request, opts);
  EXPECT_EQ(of_counts.steps.back().bytes_written, 4 * request.n);
  EXPECT_LT(of_counts.steps.back().bytes_read, p.steps.back().bytes_read);

  EXPECT_EQ(to_string(explain(groups_request{.n = 300'000}, opts)).find("engine"), 0u); // arrays that are not there
  EXPECT_TRUE(explain(groups_request{.n = 0}, opts).steps.empty());
  request.counts = keys.data();
  EXPECT_THROW((void)explain(request, opts), invalid_argument);
}

} // namespace sortile::testing
