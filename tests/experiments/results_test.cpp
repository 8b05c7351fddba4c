// The file of results, read back, and the texts of tables.
#include "bench/classics/experiment.hpp"

#include <sortile/error.hpp>

#include <gtest/gtest.h>

namespace sortile::experiments {
namespace {

results some_results() {
  results all{.environment = {{"cpu", "some"}, {"copy_bytes_per_second", 3e12}}, .quick = true, .experiments = {}};
  all.experiments.push_back(
      {"sweeps",
       {{.facet = "coarsening",
         .series = "a",
         .x = 8,
         .n = std::uint64_t{1} << 40,
         .workload = "uniform",
         .seconds = {0.25, 0.123456789, 0.5},
         .figures = {{"bytes", 12.5}}},
        {.series = "b", .category = "one", .n = 3, .workload = "equal", .note = "not installed"}}});
  return all;
}

TEST(results, survive_their_file) {
  const std::string text = json_of(some_results());
  const results read = results_of(text);
  EXPECT_EQ(json_of(read), text);
  const point& first = read.experiments[0].points[0];
  EXPECT_EQ(first.median(), 0.25);
  EXPECT_EQ(first.n, std::uint64_t{1} << 40);
  EXPECT_EQ(first.figure("bytes"), 12.5);
  EXPECT_THROW(first.figure("none"), invalid_argument);
  EXPECT_EQ(read.experiments[0].points[1].note, "not installed");
  EXPECT_TRUE(read.quick);
}

TEST(results, another_file_is_refused) {
  EXPECT_THROW(results_of(R"({"format": "something else"})"), invalid_argument);
  EXPECT_THROW(results_of("{}"), invalid_argument);
  EXPECT_THROW(results_of(R"({"format": "sortile-results 1", "suite": "classics"})"), invalid_argument);
}

TEST(tables, are_padded_markdown) {
  EXPECT_EQ(markdown({{"a", "µs"}, {"long", "1"}}), "| a    |  µs |\n|------|----:|\n| long |   1 |\n");
}

TEST(texts, have_three_figures) {
  EXPECT_EQ(duration_text(1.2345e-5), "12.3 µs");
  EXPECT_EQ(duration_text(0.123456), "123 ms");
  EXPECT_EQ(duration_text(5.5), "5.5 s");
  EXPECT_EQ(figures_text(123456), "123456");
  EXPECT_EQ(figures_text(0.012345), "0.0123");
  EXPECT_EQ(power_text(1048576), "2^20");
  EXPECT_EQ(power_text(32), "32");
  EXPECT_EQ(power_text(65535), "65535");
}

} // namespace
} // namespace sortile::experiments
