// The table of targets, kinds and shapes.
#include "bench/gpu/targets.hpp"
#include "tests/sort_bench/planted.hpp"

#include <sortile/error.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

namespace sortile::bench {
namespace {

TEST(targets, are_of_kinds_and_shapes_that_there_are_and_each_row_stands_once) {
  std::set<std::string> names;
  for (const target_line& line : all_targets()) {
    EXPECT_TRUE(names.insert(line.row().name()).second) << line.row().name();
    EXPECT_NE(std::find(all_target_groups().begin(), all_target_groups().end(), line.group), all_target_groups().end())
        << line.group;
    EXPECT_EQ(find_target(line.row()), &line);
    EXPECT_EQ(line.wanted.is_share(), line.row().kind->in_host_memory) << line.row().name();
    EXPECT_TRUE(line.wanted.is_time() || line.wanted.is_share() || line.wanted.ratio >= 1)
        << "a row that may lose: " << line.row().name();
    EXPECT_NO_THROW(line.row().workload.check(line.row().kind->type)) << line.row().name();
  }
  EXPECT_EQ(find_target(row_of("u8", "zipf-spread", 20)), nullptr);
}

TEST(targets, of_the_first_rows) {
  const auto ratio = [](std::string_view kind, std::string_view gpu) {
    return target_on(gpu, *find_target(row_of(kind, "uniform", 28))).ratio;
  };
  EXPECT_EQ(ratio("u32", "NVIDIA H100 80GB HBM3"), 1.8);
  EXPECT_EQ(ratio("u32", "NVIDIA H200"), 2.2);
  EXPECT_EQ(ratio("u64", "NVIDIA H200"), 3.2);
  EXPECT_EQ(ratio("u64+u64", "NVIDIA H200"), 2.5) << "where nothing else is said, that of the H100";
  EXPECT_EQ(find_target(row_of("u64", "uniform", 16))->wanted.microseconds, 38);
}

TEST(targets, of_host_memory_are_a_share_of_what_pinned_copies_reach) {
  EXPECT_EQ(find_target(row_of("u32 host", "uniform", 28))->wanted.pinned_share, 0.6);
  EXPECT_EQ(usual_target(sort_kind_named("u64 host")).pinned_share, 0.6);
  EXPECT_FALSE(usual_target(sort_kind_named("u64")).is_share());
  EXPECT_EQ(rival_of(sort_kind_named("u64+u64 host")), "pinned copy");
  EXPECT_EQ(rival_of(sort_kind_named("u64+u64")), "cub");
  EXPECT_EQ(bytes_copied(row_of("u64+u64 host", "uniform", 20)), 32.0 * 1048576) << "keys and values, there and back";
}

TEST(rows, have_names_and_unknown_ones_are_refused_with_those_that_there_are) {
  EXPECT_EQ(row_of("u64+u32", "range:65536", 28).name(), "u64+u32 range:65536 2^28");
  EXPECT_THROW(row_of("u32", "gaussian", 28), invalid_argument);
  EXPECT_THROW(sort_kind_named("u32 + u32"), invalid_argument);
}

TEST(rows, cub_reads_once_and_moves_all_once_a_digit) {
  EXPECT_EQ(bytes_moved_by_cub(sort_kind_named("u32"), 1'000'000), 36e6);
  EXPECT_EQ(bytes_moved_by_cub(sort_kind_named("u64+u64"), 1'000'000), 264e6);
  EXPECT_EQ(bytes_moved_by_cub(sort_kind_named("f64"), 1'000'000), 136e6);
  EXPECT_EQ(bytes_moved_by_cub(sort_kind_named("u32"), 1000), 0) << "one block";
  EXPECT_EQ(bytes_moved_by_cub(sort_kind_named("u32 struct"), 1'000'000), 0) << "merged";
}

TEST(rows, large_arrays_are_in_no_cache) {
  EXPECT_TRUE(fits_a_cache(row_of("u32", "uniform", 24)));
  EXPECT_FALSE(fits_a_cache(row_of("u32", "uniform", 28)));
  EXPECT_FALSE(fits_a_cache(row_of("u32 host", "uniform", 16))) << "there is no cold and warm";
}

} // namespace
} // namespace sortile::bench
