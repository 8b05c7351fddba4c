// The shapes of keys, made by their kernel on the executor, are what their names say.
#include "bench/gpu/device_arrays.hpp"
#include "simt/executor/device.hpp"

#include <sortile/error.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <functional>
#include <limits>
#include <map>
#include <numeric>
#include <set>

namespace sortile::bench {
namespace {

template <key T>
std::vector<T> keys_of(key_shape shape, std::uint64_t n) {
  executor::device pretended;
  std::vector<T> keys(n);
  fill_with_keys(simt::queue::executor(pretended), keys.data(), key_type_of<T>, n, shape);
  return keys;
}

template <class T>
std::map<T, std::size_t> counts_of(const std::vector<T>& keys, unsigned shift = 0) {
  std::map<T, std::size_t> counts;
  for (const T key : keys)
    ++counts[T(key >> shift)];
  return counts;
}

template <class T>
T all_bits(const std::vector<T>& keys) {
  return std::accumulate(keys.begin(), keys.end(), T{0}, std::bit_or<>());
}

constexpr std::uint64_t n = 1 << 16;

TEST(shapes, uniform_keys_use_every_bit_half_of_the_time) {
  const auto check = [](const auto& keys) {
    for (unsigned bit = 0; bit < 8 * sizeof keys[0]; ++bit) {
      const auto set = std::count_if(keys.begin(), keys.end(), [&](auto key) { return (key >> bit & 1) != 0; });
      EXPECT_NEAR(double(set) / double(keys.size()), 0.5, 0.02) << bit;
    }
  };
  check(keys_of<std::uint8_t>(key_shape::uniform, n));
  check(keys_of<std::uint16_t>(key_shape::uniform, n));
  check(keys_of<std::uint32_t>(key_shape::uniform, n));
  check(keys_of<std::uint64_t>(key_shape::uniform, n));
  check(keys_of<uint128>(key_shape::uniform, n));
}

TEST(shapes, ranges_end_where_they_should) {
  EXPECT_EQ(all_bits(keys_of<std::uint32_t>(key_shape::low8, n)), 0xffu);
  EXPECT_EQ(all_bits(keys_of<std::uint64_t>(key_shape::low16, n)), 0xffffu);
}

TEST(shapes, keys_below_a_billion_are_even_there) {
  static constexpr std::uint64_t billion = 1'000'000'000, parts = 16;
  const auto check = [](const auto& keys) {
    std::vector<std::size_t> counts(parts);
    for (const auto key : keys) {
      ASSERT_LT(key, billion);
      ++counts[std::size_t(key * std::uint64_t{parts} / billion)];
    }
    for (const std::size_t count : counts)
      EXPECT_NEAR(double(count) / n, 1.0 / parts, 0.005) << sizeof keys[0];
    EXPECT_GT(*std::max_element(keys.begin(), keys.end()), 999'000'000u);
  };
  check(keys_of<std::uint32_t>(key_shape::billion, n));
  check(keys_of<std::uint64_t>(key_shape::billion, n));
  check(keys_of<uint128>(key_shape::billion, n));
}

TEST(shapes, sorted_and_descending_keys_are_distinct_where_the_type_has_room) {
  const auto up = keys_of<std::uint32_t>(key_shape::sorted, n), down = keys_of<std::uint32_t>(key_shape::descending, n);
  for (std::size_t i = 0; i < n; ++i) {
    ASSERT_EQ(up[i], i);
    ASSERT_EQ(down[i], n - 1 - i);
  }
  const auto crowded = keys_of<std::uint8_t>(key_shape::sorted, 1000);
  EXPECT_TRUE(std::is_sorted(crowded.begin(), crowded.end()));
  EXPECT_EQ(std::set<std::uint8_t>(crowded.begin(), crowded.end()).size(), 250u) << "four of each";
  const auto fallen = keys_of<std::uint16_t>(key_shape::descending, n + 5);
  EXPECT_TRUE(std::is_sorted(fallen.rbegin(), fallen.rend()));
}

TEST(shapes, skewed_keys_are_as_skewed_as_they_should_be) {
  const auto and3 = keys_of<std::uint32_t>(key_shape::and3, n);
  std::size_t set = 0;
  for (const std::uint32_t key : and3)
    set += std::size_t(std::popcount(key));
  EXPECT_NEAR(double(set) / (32.0 * n), 0.125, 0.005);

  const auto ranks = counts_of(keys_of<std::uint64_t>(key_shape::zipf, n));
  std::vector<std::size_t> falling;
  for (const auto& [key, count] : ranks)
    falling.push_back(count);
  std::sort(falling.rbegin(), falling.rend());
  EXPECT_NEAR(double(falling[0]) / n, 1.0 / 16, 0.005) << "e^u below 2 with u up to ln 2^16";
  EXPECT_GT(ranks.size(), 5000u);

  const auto outlier = keys_of<std::uint64_t>(key_shape::outlier, 1 << 18);
  const auto out = std::count_if(outlier.begin(), outlier.end(), [](std::uint64_t key) { return key > 0xffff; });
  EXPECT_GT(out, 0);
  EXPECT_LT(out, 20) << "one in 2^16, of 2^18";
}

TEST(shapes, worst_cases_are_what_they_are_called) {
  const auto full = counts_of(keys_of<std::uint32_t>(key_shape::full_buckets, 1 << 18), 16);
  EXPECT_EQ(full.size(), (1u << 18) / keys_in_a_full_bucket + 1);
  for (const auto& [bucket, count] : full) {
    EXPECT_GT(count, 5000u) << bucket;
    EXPECT_LT(count, 6000u) << bucket;
  }
  const auto two = counts_of(keys_of<std::uint64_t>(key_shape::two_buckets, n), 48);
  ASSERT_EQ(two.size(), 2u);
  EXPECT_NEAR(double(two.begin()->second) / n, 0.5, 0.02);
  EXPECT_GT(counts_of(keys_of<std::uint64_t>(key_shape::two_buckets, n)).size(), n - 10) << "random below";

  const auto one = counts_of(keys_of<std::uint32_t>(key_shape::equal_but_one, n));
  ASSERT_EQ(one.size(), 2u);
  EXPECT_EQ(one.rbegin()->second, 1u);
  EXPECT_EQ(one.rbegin()->first, 0x80000000u);
  EXPECT_EQ(counts_of(keys_of<std::uint64_t>(key_shape::equal, n)).size(), 1u);

  const auto spread = keys_of<std::uint64_t>(key_shape::distinct16, 1 << 19);
  EXPECT_NEAR(double(counts_of(spread).size()), 65536, 100);
  EXPECT_EQ(all_bits(spread), ~std::uint64_t{0});
}

template <class T>
struct moments {
  double mean = 0, variance = 0;
  explicit moments(const std::vector<T>& keys) {
    for (const T key : keys)
      mean += double(key) / double(keys.size());
    for (const T key : keys)
      variance += (double(key) - mean) * (double(key) - mean) / double(keys.size());
  }
};

template <class T>
void expect_unit_and_normal() {
  const auto unit = keys_of<T>(key_shape::unit, n);
  EXPECT_TRUE(std::all_of(unit.begin(), unit.end(), [](T key) { return key >= 0 && key < 1; }));
  EXPECT_NEAR(moments(unit).mean, 0.5, 0.01);
  EXPECT_NEAR(moments(unit).variance, 1.0 / 12, 0.005);
  const T steps = std::ldexp(T(1), std::numeric_limits<T>::digits);
  EXPECT_TRUE(std::all_of(unit.begin(), unit.end(), [&](T key) { return key * steps == std::floor(key * steps); }));
  EXPECT_GT(std::set<T>(unit.begin(), unit.begin() + 1000).size(), 990u);

  const auto bell = keys_of<T>(key_shape::normal, n);
  EXPECT_NEAR(moments(bell).mean, 0, 0.02);
  EXPECT_NEAR(moments(bell).variance, 1, 0.03);
  const auto within_one = std::count_if(bell.begin(), bell.end(), [](T key) { return std::abs(key) < 1; });
  EXPECT_NEAR(double(within_one) / n, 0.6827, 0.01);
  EXPECT_LT(*std::max_element(bell.begin(), bell.end()), 7);
}

TEST(shapes, unit_and_normal_keys_are_spread_so) {
  expect_unit_and_normal<float>();
  expect_unit_and_normal<double>();
}

TEST(shapes, floats_of_any_shape_hold_no_nan_and_no_minus_zero) {
  const auto random = keys_of<float>(key_shape::uniform, 1 << 18); // one in 256 bit patterns is a NaN
  const auto same = keys_of<double>(key_shape::equal_but_one, n);  // the one has the bits of −0
  EXPECT_TRUE(std::none_of(random.begin(), random.end(), [](float key) { return std::isnan(key); }));
  EXPECT_NEAR(double(std::count_if(random.begin(), random.end(), [](float key) { return key < 0; })) / (1 << 18), 0.5,
              0.01);
  EXPECT_GT(*std::max_element(random.begin(), random.end()), 1e38f);
  EXPECT_EQ(std::count_if(same.begin(), same.end(), [](double key) { return key < 0; }), 1);
}

TEST(shapes, of_floats_are_refused_for_other_keys) {
  executor::device pretended;
  std::uint32_t key = 7;
  const auto refusal = [&](key_type type) {
    try {
      fill_with_keys(simt::queue::executor(pretended), &key, type, 1, key_shape::normal);
      return std::string("taken");
    } catch (const invalid_argument& e) {
      return std::string(e.what());
    }
  };
  EXPECT_EQ(refusal(key_type::u32), "the shape 'normal' is not one of u32 keys (allowed: f32, f64)");
  EXPECT_NE(refusal(key_type::f16).find("f16"), std::string::npos);
  EXPECT_EQ(key, 7u);
  EXPECT_EQ(refusal(key_type::f32), "taken");
}

TEST(shapes, positions_and_differences) {
  executor::device pretended;
  const auto q = simt::queue::executor(pretended);
  std::vector<std::uint32_t> a(1000), b(1000);
  fill_with_positions(q, a.data(), 4, a.size());
  std::iota(b.begin(), b.end(), 0u);
  std::uint64_t differences = 0;
  count_differences(q, a.data(), b.data(), 4000, &differences);
  EXPECT_EQ(differences, 0u);
  b[0] = 7;
  b[999] = 7;
  count_differences(q, a.data(), b.data(), 4000, &differences);
  EXPECT_EQ(differences, 2u);
  EXPECT_THROW(fill_with_positions(q, a.data(), 2, 4), invalid_argument);
  EXPECT_THROW(count_differences(q, a.data(), b.data(), 3, &differences), invalid_argument);
}

} // namespace
} // namespace sortile::bench
