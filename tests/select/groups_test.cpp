// Groups of equal keys against the oracle.
#include "tests/expect_refusal.hpp"
#include "tests/select/groups_case.hpp"
#include "tests/select/groups_plans.hpp"
#include "tests/short_tests.hpp"

#include "testing/workloads.hpp"

#include <sortile/groups.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>

namespace sortile {
namespace {

TEST(Groups, RandomCases) {
  const std::uint64_t cases = testing::unless_short(400, 100);
  for (std::uint64_t seed = 0; seed < cases; ++seed) {
    const auto found =
        testing::check_groups(testing::random_top_k(seed, "", seed % 10 == 0 ? 200'000 : 3'000), seed % 2 == 0 ? 4 : 8,
                              static_cast<unsigned>(testing::random_bits(seed, 99) % 64));
    ASSERT_TRUE(found) << found.complaint;
  }
}

TEST(Groups, LargeArrays) {
  for (const char* const workload : {"equal", "few:3", "few:70000", "uniform", "sorted"})
    EXPECT_TRUE(
        testing::check_groups({.type = key_type::u32, .n = 150'000, .workload = workload, .threads = 3}, 8, 63));
}

TEST(Groups, Templates) {
  const std::vector<int> keys{3, 1, 3, 3, -2, 1};
  EXPECT_EQ(unique(keys), (std::vector<int>{-2, 1, 3}));
  EXPECT_EQ(unique(keys, {.order = order::descending}), (std::vector<int>{3, 1, -2}));
  const auto counted = count_keys(keys);
  EXPECT_EQ(counted.keys, (std::vector<int>{-2, 1, 3}));
  EXPECT_EQ(counted.counts, (std::vector<std::uint64_t>{1, 2, 3}));
  const auto grouped = group_by<std::uint32_t>(keys);
  EXPECT_EQ(grouped.offsets, (std::vector<std::uint32_t>{0, 1, 3, 6}));
  EXPECT_EQ(grouped.order, (std::vector<std::uint32_t>{4, 1, 5, 0, 2, 3}));
  EXPECT_TRUE(unique(std::vector<float>{}).empty());
  const float nan = std::numeric_limits<float>::quiet_NaN();
  EXPECT_EQ(unique(std::vector<float>{nan, -0.0f, 0.0f, -nan}).size(), 2u);
}

TEST(Groups, Plans) {
  testing::check_plans_of_groups("");
}

/// The sort is a part of the whole: what follows it is told, and may be cancelled.
TEST(Groups, Progress) {
  std::vector<std::uint32_t> keys(300'000);
  for (std::size_t i = 0; i < keys.size(); ++i)
    keys[i] = static_cast<std::uint32_t>(i * 2654435761u);
  std::vector<double> told;
  const auto tell = [&](double done) {
    told.push_back(done);
    return true;
  };
  EXPECT_EQ(group_by(keys, {.threads = 2, .progress = tell}).keys.size(), keys.size());
  EXPECT_TRUE(std::is_sorted(told.begin(), told.end()));
  EXPECT_EQ(told.back(), 1.0);
  EXPECT_TRUE(std::any_of(told.begin(), told.end(), [](double done) { return done > 0.7 && done < 1; }));
  EXPECT_THROW(static_cast<void>(group_by(keys, {.threads = 2, .progress = [](double done) { return done < 0.8; }})),
               cancelled);
}

TEST(Groups, Misuse) {
  std::vector<std::uint32_t> keys{1, 2};
  std::vector<std::uint64_t> numbers(3);
  testing::expect_invalid(
      [&] {
        run(groups_request{
            .type = key_type::u32, .n = 2, .keys = keys.data(), .index_bytes = 2, .counts = numbers.data()});
      },
      {"indices of 2 bytes"});
  testing::expect_invalid(
      [&] {
        run(groups_request{
            .type = key_type::u32, .n = 2, .keys = keys.data(), .counts = numbers.data(), .offsets = numbers.data()});
      },
      {"counts and offsets overlap"});
  testing::expect_invalid([&] { run(groups_request{.type = key_type::u32, .n = 2}); }, {"keys is null"});
}

} // namespace
} // namespace sortile
