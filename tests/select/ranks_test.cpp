// Keys of ranks, quantiles and medians against sorted arrays.
#include "cpu/select_keys.hpp"
#include "tests/select/select_case.hpp"
#include "tests/short_tests.hpp"

#include "testing/oracle.hpp"
#include "testing/workloads.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <numeric>

namespace sortile {
namespace {

using testing::guarded_buffer;

void check_ranks(key_type type, const void* keys, std::size_t n, const std::vector<std::size_t>& ranks,
                 const options& opts, const std::string& text) {
  const std::size_t key = key_bytes(type);
  const auto order = testing::stable_order({type, opts.order, opts.bits}, keys, n);
  guarded_buffer out(ranks.size() * key, key);
  run(ranks_request{.type = type, .n = n, .keys = keys, .ranks = ranks, .keys_out = out.data()}, opts);
  ASSERT_EQ(out.damage(), "") << text;
  for (std::size_t i = 0; i < ranks.size(); ++i)
    ASSERT_EQ(std::memcmp(out.data() + i * key, static_cast<const std::byte*>(keys) + order[ranks[i]] * key, key), 0)
        << text << ": rank " << ranks[i] << " is " << testing::key_text(type, out.data() + i * key);
}

TEST(Ranks, RandomCases) {
  const std::uint64_t cases = testing::unless_short(600, 150);
  for (std::uint64_t seed = 0; seed < cases; ++seed) {
    const testing::top_k_case c = testing::random_top_k(seed, "", seed % 8 == 0 ? 300'000 : 20'000);
    if (c.n == 0)
      continue;
    guarded_buffer keys(c.n * key_bytes(c.type), key_bytes(c.type), seed);
    testing::workload_named(c.workload).fill({c.type, c.n, seed}, 0, c.n, keys.data());
    std::vector<std::size_t> ranks{c.n - 1, 0, c.n / 2};
    for (std::uint64_t i = 0; i < seed % 7; ++i)
      ranks.push_back(testing::random_bits(seed, i) % c.n);
    if (seed % 11 == 0)
      ranks.assign({c.n / 2, (c.n - 1) / 2, c.n / 2});
    options opts;
    opts.order = c.direction;
    opts.bits = c.bits;
    opts.threads = c.threads;
    check_ranks(c.type, keys.data(), c.n, ranks, opts, to_string(c));
  }
}

TEST(Ranks, ManyAtOnce) {
  const auto keys = testing::make_keys<std::uint32_t>("normal", 100'000, 5);
  for (const std::size_t count : {20u, 100u, 1000u}) {
    std::vector<std::size_t> ranks;
    for (std::size_t i = 0; i < count; ++i)
      ranks.push_back(i * (keys.size() - 1) / count);
    check_ranks(key_type::u32, keys.data(), keys.size(), ranks, {}, std::to_string(count) + " ranks");
  }
}

TEST(Ranks, SamplesThatMislead) {
  const std::size_t n = 300'000;
  std::vector<std::uint32_t> keys(n), sample(cpu::select_sample(n));
  std::iota(keys.begin(), keys.end(), 0u);
  cpu::selection<std::uint32_t>(keys.data(), n, cpu::exact_image<std::uint32_t>(key_type::u32, {}), 1, nullptr)
      .sample(sample.data(), sample.size());
  for (std::size_t i = 0; i < n; ++i)
    keys[i] = 1000 + static_cast<std::uint32_t>(testing::random_bits(7, i) % 50'000);
  for (const std::uint32_t place : sample)
    keys[place] = place % 2 == 0 ? 3 : 4;
  check_ranks(key_type::u32, keys.data(), n, {0, n / 4, n / 2, n - 1}, {}, "a low sample");
  for (const std::uint32_t place : sample)
    keys[place] = 1'000'000 + place;
  check_ranks(key_type::u32, keys.data(), n, {0, n / 4, n / 2, n - 1}, {}, "a high sample");
}

TEST(Quantiles, AreThoseOfNumPy) { // np.quantile([7, 1, 3, 10], q, method=…)
  const std::vector<double> keys{7, 1, 3, 10}, at{0, 0.1, 0.5, 0.9, 1};
  const auto expect = [&](quantile_method method, const std::vector<double>& wanted) {
    const std::vector<double> found = quantiles(keys, at, method);
    for (std::size_t i = 0; i < at.size(); ++i)
      EXPECT_DOUBLE_EQ(found[i], wanted[i]) << "method " << static_cast<int>(method) << ", probability " << at[i];
  };
  EXPECT_EQ(quantiles(keys, {0.5, 1}, quantile_method::higher), (std::vector<double>{7, 10}));
  EXPECT_EQ(keys_at_ranks(keys, {3, 0}), (std::vector<double>{10, 1}));
  expect(quantile_method::linear, {1, 1.6, 5, 9.1, 10});
  expect(quantile_method::lower, {1, 1, 3, 7, 10});
  expect(quantile_method::higher, {1, 3, 7, 10, 10});
  expect(quantile_method::nearest, {1, 1, 7, 10, 10});
  expect(quantile_method::midpoint, {1, 2, 5, 8.5, 10});
}

TEST(Quantiles, MedianOfEveryType) {
  const auto of = []<class K>(K) {
    const std::vector<K> even{K(9), K(1), K(4), K(6)}, odd{K(9), K(1), K(4)};
    EXPECT_EQ(median(even), 5.0);
    EXPECT_EQ(median(odd), 4.0);
  };
  of(std::uint8_t{});
  of(std::int8_t{});
  of(std::uint16_t{});
  of(std::int64_t{});
  of(uint128{});
  of(int128{});
  of(half{});
  of(bfloat16{});
  of(float{});
  of(double{});
}

TEST(Quantiles, InfinitiesAndNaN) {
  const double infinity = std::numeric_limits<double>::infinity(), nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(median(std::vector<double>{infinity, infinity}), infinity);
  EXPECT_EQ(median(std::vector<double>{-infinity, 1, infinity}), 1);
  EXPECT_EQ(median(std::vector<double>{nan, 1, 2}), 2);
  EXPECT_TRUE(std::isnan(median(std::vector<double>{nan, nan, 2})));
  EXPECT_TRUE(std::isnan(median(std::vector<double>{1, nan})));
}

TEST(Quantiles, BetweenNumbersInfinitelyFarApart) {
  const double infinity = std::numeric_limits<double>::infinity(), most = std::numeric_limits<double>::max();
  const std::vector<double> upper{1, infinity}, lower{1, -infinity}, both{infinity, -infinity}, at{0.25, 0.5, 0.75};
  for (const quantile_method method : {quantile_method::linear, quantile_method::midpoint}) {
    EXPECT_EQ(quantiles(upper, at, method), std::vector<double>(3, infinity));
    EXPECT_EQ(quantiles(lower, at, method), std::vector<double>(3, -infinity));
    EXPECT_TRUE(std::isnan(quantiles(both, at, method)[1]));
    EXPECT_EQ(quantiles(std::vector<double>{most, -most}, at, method)[1], 0);
  }
  EXPECT_DOUBLE_EQ(quantiles(std::vector<double>{most, -most}, at)[0], -most / 2);
  EXPECT_EQ(median(upper), infinity); // as np.median has it
  EXPECT_EQ(quantiles(both, std::vector<double>{0, 1}), (std::vector<double>{-infinity, infinity}));
}

TEST(Quantiles, OfRows) {
  const std::size_t rows = 7, n = 3000, stride = 3005;
  const auto keys = testing::make_keys<float>("normal", rows * stride, 9);
  const std::vector<double> at{0.25, 0.5, 0.99};
  std::vector<double> results(rows * at.size());
  run(quantiles_request{.type = key_type::f32,
                        .n = n,
                        .keys = keys.data(),
                        .probabilities = at,
                        .results = results.data(),
                        .rows = rows,
                        .stride = stride},
      {.threads = 3});
  for (std::size_t row = 0; row < rows; ++row)
    EXPECT_EQ(quantiles(std::span(keys).subspan(row * stride, n), at),
              std::vector<double>(results.begin() + static_cast<std::ptrdiff_t>(row * at.size()),
                                  results.begin() + static_cast<std::ptrdiff_t>((row + 1) * at.size())));
}

} // namespace
} // namespace sortile
