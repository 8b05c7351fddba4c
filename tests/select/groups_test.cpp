// Groups of equal keys against the oracle.
#include "tests/expect_refusal.hpp"
#include "tests/select/select_case.hpp"
#include "tests/short_tests.hpp"

#include "testing/oracle.hpp"
#include "testing/workloads.hpp"

#include <sortile/groups.hpp>

#include <gtest/gtest.h>

#include <cstring>
#include <limits>

namespace sortile {
namespace {

using testing::guarded_buffer;

/// What the oracle's order says of groups.
struct expected_groups {
  std::vector<std::uint64_t> first, counts, offsets, order, inverse;

  expected_groups(const testing::ordering& by, const std::byte* keys, std::size_t n)
      : order(testing::stable_order(by, keys, n)), inverse(n) {
    const std::size_t key = key_bytes(by.type);
    for (std::size_t i = 0; i < n; ++i) {
      if (i == 0 || testing::comes_before(by, keys + order[i - 1] * key, keys + order[i] * key)) {
        first.push_back(order[i]);
        offsets.push_back(i);
        counts.push_back(0);
      }
      ++counts.back();
      inverse[order[i]] = first.size() - 1;
    }
    offsets.push_back(n);
  }
};

std::vector<std::uint64_t> numbers(const guarded_buffer& from, std::size_t count, std::size_t width) {
  std::vector<std::uint64_t> list(count);
  for (std::size_t i = 0; i < count; ++i)
    std::memcpy(&list[i], from.data() + i * width, width);
  return list;
}

void check_groups(const testing::top_k_case& c, std::size_t width, unsigned wanted) {
  const std::size_t key = key_bytes(c.type), n = c.n;
  const std::string text = to_string(c) + ", outputs " + std::to_string(wanted);
  guarded_buffer keys(n * key, key, c.seed), keys_out(n * key, key, 1);
  if (n > 0)
    testing::workload_named(c.workload).fill({c.type, n, c.seed}, 0, n, keys.data());
  guarded_buffer first(n * width, width, 2), counts(n * width, width, 3), offsets((n + 1) * width, width, 4),
      order(n * width, width, 5), inverse(n * width, width, 6);
  const auto if_wanted = [wanted](unsigned bit, guarded_buffer& b) -> void* {
    return (wanted >> bit & 1) != 0 ? b.data() : nullptr;
  };
  options opts;
  opts.order = c.direction;
  opts.bits = c.bits;
  opts.threads = c.threads;
  const std::size_t groups = run(groups_request{.type = c.type,
                                                .n = n,
                                                .keys = keys.data(),
                                                .keys_out = if_wanted(0, keys_out),
                                                .index_bytes = width,
                                                .first = if_wanted(1, first),
                                                .counts = if_wanted(2, counts),
                                                .offsets = if_wanted(3, offsets),
                                                .order = if_wanted(4, order),
                                                .inverse = if_wanted(5, inverse)},
                                 opts);
  const expected_groups e({c.type, c.direction, c.bits}, keys.data(), n);
  ASSERT_EQ(groups, e.first.size()) << text;
  const auto same = [&](unsigned bit, const guarded_buffer& b, const std::vector<std::uint64_t>& list) {
    return (wanted >> bit & 1) == 0 || numbers(b, list.size(), width) == list;
  };
  EXPECT_TRUE(same(1, first, e.first)) << text;
  EXPECT_TRUE(same(2, counts, e.counts)) << text;
  EXPECT_TRUE(same(3, offsets, e.offsets)) << text;
  EXPECT_TRUE(same(4, order, e.order)) << text;
  EXPECT_TRUE(same(5, inverse, e.inverse)) << text;
  for (std::size_t g = 0; g < ((wanted & 1) != 0 ? groups : 0); ++g)
    ASSERT_EQ(std::memcmp(keys_out.data() + g * key, keys.data() + e.first[g] * key, key), 0) << text;
  for (const guarded_buffer* each : {&keys, &keys_out, &first, &counts, &offsets, &order, &inverse})
    ASSERT_EQ(each->damage(), "") << text;
}

TEST(Groups, RandomCases) {
  const std::uint64_t cases = testing::unless_short(400, 100);
  for (std::uint64_t seed = 0; seed < cases && !::testing::Test::HasFailure(); ++seed)
    check_groups(testing::random_top_k(seed, "", seed % 10 == 0 ? 200'000 : 3'000), seed % 2 == 0 ? 4 : 8,
                 static_cast<unsigned>(testing::random_bits(seed, 99) % 64));
}

TEST(Groups, LargeArrays) {
  for (const char* const workload : {"equal", "few:3", "few:70000", "uniform", "sorted"})
    check_groups({.type = key_type::u32, .n = 150'000, .workload = workload, .threads = 3}, 8, 63);
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
