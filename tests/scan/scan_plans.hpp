// What explain says of scans and histograms on an engine, "" for the CPU's.
#pragma once

#include <sortile/scan.hpp>

#include <gtest/gtest.h>

namespace sortile::testing {

inline void check_plans(const char* engine) {
  const bool by_kernels = *engine != '\0';
  const options opts{.engine = engine, .threads = 2};
  for (const std::size_t n : {std::size_t{0}, std::size_t{1}, std::size_t{1000}, std::size_t{10'000'000}})
    for (const key_type type : {key_type::u32, key_type::i64}) {
      const std::size_t bytes = n * key_bytes(type);
      const plan scan = explain(scan_request{.type = type, .n = n}, opts);
      EXPECT_EQ(scan.engine, by_kernels ? engine : "cpu");
      const bool folds = !by_kernels && n == 10'000'000; // pieces are folded first
      ASSERT_EQ(scan.steps.size(), n == 0 ? 0u : folds ? 2u : 1u);
      if (n == 0)
        continue;
      EXPECT_EQ(scan.steps.back().name, "scan");
      EXPECT_EQ(scan.steps.back().bytes_read, bytes);
      EXPECT_EQ(scan.steps.back().bytes_written, bytes);
      const plan histogram = explain(histogram_request{.type = type, .n = n}, opts);
      ASSERT_FALSE(histogram.steps.empty());
      EXPECT_EQ(histogram.steps.back().name, "count");
      EXPECT_EQ(histogram.steps.back().bytes_read, bytes);
    }
  EXPECT_THROW((void)explain(scan_request{.type = key_type::f32, .n = 5}, opts), invalid_argument);
  EXPECT_THROW((void)explain(histogram_request{.n = 5}, {.workspace_limit = 5}), invalid_argument);
}

} // namespace sortile::testing
