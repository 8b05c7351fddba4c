// partial_sort and nth_element: what they put in place, and what they leave where it was.
#include "tests/select/select_case.hpp"
#include "tests/short_tests.hpp"

#include "testing/oracle.hpp"
#include "testing/workloads.hpp"

#include <gtest/gtest.h>

#include <cstring>

namespace sortile {
namespace {

using testing::guarded_buffer;

struct drawn {
  key_type type;
  std::size_t n, k;
  options opts;
  std::string text;
  guarded_buffer keys;
};

drawn draw(std::uint64_t seed) {
  const testing::top_k_case c = testing::random_top_k(seed, "", seed % 16 == 0 ? 200'000 : 5'000);
  drawn d{c.type, c.n, c.k, {}, to_string(c), guarded_buffer(c.n * key_bytes(c.type), key_bytes(c.type), seed)};
  d.opts.order = c.direction;
  d.opts.bits = c.bits;
  d.opts.threads = c.threads;
  if (c.n > 0)
    testing::workload_named(c.workload).fill({c.type, c.n, seed}, 0, c.n, d.keys.data());
  return d;
}

/// What partial_sort must make of positions 0 … n − 1.
std::vector<std::uint64_t> expected_places(const std::vector<std::uint64_t>& order, std::size_t k) {
  std::vector<bool> is_first(order.size());
  for (std::size_t i = 0; i < k; ++i)
    is_first[order[i]] = true;
  std::vector<std::uint64_t> places(order.begin(), order.end());
  std::size_t displaced = 0; // the next position below k that is not among the first
  for (std::size_t i = k; i < order.size(); ++i) {
    places[i] = i;
    if (!is_first[i])
      continue;
    while (is_first[displaced])
      ++displaced;
    places[i] = displaced++;
  }
  return places;
}

TEST(PartialSort, KeysAndValuesOfRandomCases) {
  const std::uint64_t cases = testing::unless_short(600, 150);
  for (std::uint64_t seed = 0; seed < cases; ++seed) {
    drawn d = draw(seed);
    const std::size_t key = key_bytes(d.type), width = seed % 3 == 0 ? 0 : seed % 3 == 1 ? 8 : 5;
    guarded_buffer values(d.n * width, width == 0 ? 0 : 1, seed);
    const auto order = testing::stable_order({d.type, d.opts.order, d.opts.bits}, d.keys.data(), d.n);
    const auto places = expected_places(order, d.k);
    const auto keys_wanted = testing::gather(d.keys.data(), key, places);
    const auto values_wanted = testing::gather(values.data(), width, places);
    run(partial_sort_request{d.type, d.n, d.k, d.keys.data(), width, width == 0 ? nullptr : values.data()}, d.opts);
    ASSERT_EQ(std::memcmp(d.keys.data(), keys_wanted.data(), d.n * key), 0) << d.text;
    ASSERT_EQ(std::memcmp(values.data(), values_wanted.data(), d.n * width), 0) << d.text;
    ASSERT_EQ(d.keys.damage() + values.damage(), "") << d.text;
  }
}

TEST(NthElement, RandomCases) {
  const std::uint64_t cases = testing::unless_short(600, 150);
  for (std::uint64_t seed = 0; seed < cases; ++seed) {
    drawn d = draw(seed);
    const std::size_t key = key_bytes(d.type);
    const testing::ordering by{d.type, d.opts.order, d.opts.bits};
    const auto order = testing::stable_order(by, d.keys.data(), d.n);
    const std::vector<std::byte> before(d.keys.data(), d.keys.data() + d.keys.size());
    testing::multiset_hash held, holds;
    held.add(d.type, {before.data(), nullptr, 0, d.n});
    run(nth_element_request{d.type, d.n, d.k, d.keys.data()}, d.opts);
    holds.add(d.type, {d.keys.data(), nullptr, 0, d.n});
    ASSERT_EQ(held, holds) << d.text;
    ASSERT_EQ(d.keys.damage(), "") << d.text;
    if (d.k >= d.n)
      continue;
    const std::byte* const nth = d.keys.data() + d.k * key;
    ASSERT_EQ(std::memcmp(nth, before.data() + order[d.k] * key, key), 0) << d.text;
    for (std::size_t i = 0; i < d.n; ++i) {
      const std::byte* const other = d.keys.data() + i * key;
      ASSERT_FALSE(i < d.k ? testing::comes_before(by, nth, other) : testing::comes_before(by, other, nth))
          << d.text << ", place " << i;
    }
  }
}

TEST(NthElement, IsTheSameWithAnyNumberOfThreads) {
  const auto keys = testing::make_keys<float>("few:1000", 500'000, 3);
  std::vector<float> alone = keys;
  nth_element(alone, 123'456, {.threads = 1});
  for (const unsigned threads : {2u, 3u, 8u}) {
    std::vector<float> together = keys;
    nth_element(together, 123'456, {.threads = threads});
    EXPECT_EQ(std::memcmp(alone.data(), together.data(), keys.size() * sizeof(float)), 0);
  }
}

TEST(PartialSort, Templates) {
  std::vector<int> keys{5, 2, 9, 2, 1};
  std::vector<char> values{'a', 'b', 'c', 'd', 'e'};
  partial_sort_by_key(keys, values, 2);
  EXPECT_EQ(keys, (std::vector<int>{1, 2, 9, 2, 5}));
  EXPECT_EQ(values, (std::vector<char>{'e', 'b', 'c', 'd', 'a'}));
  partial_sort(keys, keys.size(), {.order = order::descending});
  EXPECT_EQ(keys, (std::vector<int>{9, 5, 2, 2, 1}));
}

} // namespace
} // namespace sortile
