// The workload generators: pieces agree with the whole, each has the shape that it is named for, specs are read or
// refused.
#include "testing/oracle.hpp"
#include "testing/workloads.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <map>
#include <set>

namespace sortile::testing {
namespace {

constexpr std::size_t n = 3000;

std::vector<std::byte> keys_of(const workload& w, const array_shape& shape) {
  std::vector<std::byte> keys(shape.n * key_bytes(shape.type));
  w.fill(shape, 0, shape.n, keys.data());
  return keys;
}

template <class K>
std::map<K, std::size_t> counts(const std::vector<K>& keys) {
  std::map<K, std::size_t> result;
  for (const K key : keys)
    ++result[key];
  return result;
}

bool is_nan(key_type type, const void* key) {
  const unsigned width = key_bits(type);
  return image_of(type, key) == (uint128{1} << (width - 1)) - 1 + (uint128{1} << (width - 1));
}

TEST(workloads, pieces_agree_with_the_whole_and_seeds_differ) {
  for (const workload_info& info : all_workloads())
    for (const key_type type : all_key_types) {
      const workload w = workload_named(info.name);
      if (!w.suits(type))
        continue;
      const array_shape shape{type, n, 77};
      const std::vector<std::byte> whole = keys_of(w, shape);
      std::vector<std::byte> pieces(whole.size());
      for (std::size_t begin = 0, length = 1; begin < n; begin += length, length = 2 * length + 1)
        w.fill(shape, begin, std::min(n, begin + length), pieces.data() + begin * key_bytes(type));
      EXPECT_EQ(whole, pieces) << info.name << " " << name(type);
    }
  EXPECT_NE(make_keys<std::uint32_t>("uniform", 100, 1), make_keys<std::uint32_t>("uniform", 100, 2));
  EXPECT_EQ(make_keys<std::uint32_t>("uniform", 100, 1), make_keys<std::uint32_t>("uniform", 100, 1));
}

/// Comparison sorts that know no NaN must be able to race on everything but what is named for NaNs.
TEST(workloads, only_nan_and_specials_hold_nans) {
  for (const workload_info& info : all_workloads())
    for (const key_type type : {key_type::f16, key_type::bf16, key_type::f32, key_type::f64}) {
      const std::vector<std::byte> keys = keys_of(workload_named(info.name), {type, n, 5});
      std::size_t nans = 0;
      for (std::size_t i = 0; i < n; ++i)
        nans += is_nan(type, keys.data() + i * key_bytes(type));
      EXPECT_EQ(nans > 0, info.name == "nan" || info.name == "specials") << info.name << " " << name(type);
    }
}

TEST(workloads, sorted_and_reversed_are_in_order_for_every_type) {
  for (const key_type type : all_key_types) {
    const std::vector<std::byte> up = keys_of(workload_named("sorted"), {type, n, 1});
    const std::vector<std::byte> down = keys_of(workload_named("reversed"), {type, n, 1});
    const std::size_t bytes = key_bytes(type);
    for (std::size_t i = 1; i < n; ++i) {
      ASSERT_FALSE(comes_before({type}, &up[i * bytes], &up[(i - 1) * bytes])) << name(type) << " " << i;
      ASSERT_FALSE(comes_before({type}, &down[(i - 1) * bytes], &down[i * bytes])) << name(type) << " " << i;
    }
    EXPECT_TRUE(comes_before({type}, &up[0], &up[(n - 1) * bytes])) << name(type);
  }
}

TEST(workloads, have_as_many_distinct_keys_as_they_say) {
  EXPECT_EQ(counts(make_keys<std::uint64_t>("uniform", n, 1)).size(), n);
  EXPECT_EQ(counts(make_keys<std::uint64_t>("few:40", n, 1)).size(), 40u);
  EXPECT_EQ(counts(make_keys<float>("equal", n, 1)).size(), 1u);
  EXPECT_EQ(counts(make_keys<std::uint8_t>("two-values", n, 1)).size(), 2u);
  EXPECT_EQ(counts(make_keys<std::uint32_t>("root-dup", n, 1)).size(), 54u);
  EXPECT_EQ(counts(make_keys<std::uint32_t>("sawtooth:7", n, 1)).size(), 7u);
  const auto but_one = counts(make_keys<double>("equal-but-one", n, 1));
  ASSERT_EQ(but_one.size(), 2u);
  EXPECT_EQ(std::min(but_one.begin()->second, but_one.rbegin()->second), 1u);
}

TEST(workloads, and_of_k_sets_one_bit_in_2_to_the_k) {
  for (const unsigned k : {1u, 3u, 6u}) {
    double bits = 0;
    for (const std::uint32_t key : make_keys<std::uint32_t>("and:" + std::to_string(k), 20'000, 9))
      bits += std::popcount(key);
    EXPECT_NEAR(bits / 20'000 / 32, std::exp2(-static_cast<double>(k)), 0.005) << k;
  }
}

TEST(workloads, zipf_ranks_follow_the_power_law) {
  for (const double s : {0.75, 1.0, 1.5}) {
    const auto found = counts(make_keys<std::uint32_t>("zipf:" + std::to_string(s), 400'000, 4));
    double all = 0;
    for (unsigned rank = 1; rank <= 1u << 20; ++rank)
      all += std::pow(rank, -s);
    EXPECT_EQ(found.begin()->first, 1u);
    for (const unsigned rank : {1u, 2u, 3u, 10u}) {
      const double expected = 400'000 * std::pow(rank, -s) / all;
      EXPECT_NEAR(static_cast<double>(found.at(rank)), expected, 5 * std::sqrt(expected))
          << "s=" << s << " rank " << rank;
    }
  }
}

TEST(workloads, window_and_range_keep_to_their_bits) {
  std::uint64_t ones = 0, zeros = 0;
  const std::vector<std::uint64_t> keys = make_keys<std::uint64_t>("window:8:24", n, 3);
  for (const std::uint64_t key : keys) {
    ones |= key ^ keys[0];
    zeros |= ~(key ^ keys[0]);
  }
  EXPECT_EQ(ones, 0xffff00u);
  const std::vector<std::int16_t> small = make_keys<std::int16_t>("range:256", n, 3);
  EXPECT_EQ(*std::min_element(small.begin(), small.end()), 0);
  EXPECT_EQ(*std::max_element(small.begin(), small.end()), 255);
  const std::vector<float> floats = make_keys<float>("range:65536", n, 3);
  EXPECT_TRUE(
      std::all_of(floats.begin(), floats.end(), [](float x) { return x == std::floor(x) && x >= 0 && x < 65536; }));
  EXPECT_GT(*std::max_element(floats.begin(), floats.end()), 60000.0f);
}

/// Mean and variance of keys read as numbers.
template <class K>
std::pair<double, double> moments(const std::vector<K>& keys) {
  double mean = 0, variance = 0;
  for (const K key : keys)
    mean += static_cast<double>(key) / static_cast<double>(keys.size());
  for (const K key : keys)
    variance +=
        (static_cast<double>(key) - mean) * (static_cast<double>(key) - mean) / static_cast<double>(keys.size());
  return {mean, variance};
}

constexpr std::size_t many = 1 << 16;

template <class Float>
void expect_continuous_laws() {
  const auto normal = make_keys<Float>("normal", many, 3);
  EXPECT_NEAR(moments(normal).first, 0, 0.02);
  EXPECT_NEAR(moments(normal).second, 1, 0.03);
  const auto within_one = std::count_if(normal.begin(), normal.end(), [](Float x) { return std::abs(x) < 1; });
  EXPECT_NEAR(static_cast<double>(within_one) / many, 0.6827, 0.01);
  const auto beyond_three = std::count_if(normal.begin(), normal.end(), [](Float x) { return x > 3; });
  EXPECT_NEAR(static_cast<double>(beyond_three) / many, 0.00135, 0.0006);
  const auto exponential = make_keys<Float>("exponential", many, 3);
  EXPECT_NEAR(moments(exponential).first, 1, 0.02);
  EXPECT_NEAR(moments(exponential).second, 1, 0.05);
  EXPECT_GE(*std::min_element(exponential.begin(), exponential.end()), 0);
  std::vector<double> logarithms;
  for (const Float x : make_keys<Float>("lognormal", many, 3))
    logarithms.push_back(std::log(static_cast<double>(x)));
  EXPECT_NEAR(moments(logarithms).first, 0, 0.03);
  EXPECT_NEAR(moments(logarithms).second, 4, 0.1);
  const auto unit = make_keys<Float>("unit", many, 3);
  EXPECT_NEAR(moments(unit).first, 0.5, 0.01);
  EXPECT_NEAR(moments(unit).second, 1.0 / 12, 0.005);
}

TEST(workloads, continuous_ones_follow_their_laws) {
  expect_continuous_laws<float>();
  expect_continuous_laws<double>();
  const auto [mean, variance] = moments(make_keys<std::uint32_t>("normal", many, 3));
  EXPECT_NEAR(mean * 0x1p-32, 0.5, 0.002);
  EXPECT_NEAR(std::sqrt(variance) * 0x1p-32, 1.0 / 16, 0.002);
  EXPECT_NEAR(moments(make_keys<std::int64_t>("normal", many, 3)).first * 0x1p-64, 0, 0.002) << "about the middle";
  EXPECT_NEAR(moments(make_keys<std::uint64_t>("exponential", many, 3)).first * 0x1p-64, 1.0 / 32, 0.001);
  auto skewed = make_keys<std::uint64_t>("lognormal", many, 3);
  std::nth_element(skewed.begin(), skewed.begin() + many / 2, skewed.end());
  EXPECT_NEAR(static_cast<double>(skewed[many / 2]) * 0x1p-49, 1, 0.05);
}

TEST(workloads, integers_in_a_range_are_even_there) {
  static constexpr std::uint64_t billion = 1'000'000'000, parts = 16;
  std::vector<std::size_t> found(parts);
  for (const std::uint32_t key : make_keys<std::uint32_t>("range:1e9", many, 5)) {
    ASSERT_LT(key, billion);
    ++found[key * parts / billion];
  }
  for (const std::size_t count : found)
    EXPECT_NEAR(static_cast<double>(count) / many, 1.0 / parts, 0.005);
}

TEST(workloads, counting_is_distinct_where_the_type_has_room) {
  const auto up = make_keys<std::uint32_t>("count-up", n, 1), down = make_keys<std::uint32_t>("count-down", n, 1);
  for (std::size_t i = 0; i < n; ++i) {
    ASSERT_EQ(up[i], i);
    ASSERT_EQ(down[i], n - 1 - i);
  }
  const auto narrow = make_keys<std::uint8_t>("count-up", 1000, 1);
  EXPECT_TRUE(std::is_sorted(narrow.begin(), narrow.end()));
  EXPECT_EQ(counts(narrow).size(), 250u) << "four of each";
  const auto exact = make_keys<std::uint16_t>("count-up", 65536, 1);
  EXPECT_EQ(counts(exact).size(), 65536u);
}

TEST(workloads, skewed_ones_are_as_skewed_as_they_say) {
  const auto ranks = counts(make_keys<std::uint64_t>("zipf-spread", many, 2));
  std::vector<std::size_t> falling;
  for (const auto& [key, count] : ranks)
    falling.push_back(count);
  std::sort(falling.rbegin(), falling.rend());
  EXPECT_NEAR(static_cast<double>(falling[0]) / many, 1.0 / 16, 0.005) << "e^u below 2 with u up to ln 2^16";
  EXPECT_GT(ranks.size(), 5000u);
  EXPECT_GT(ranks.rbegin()->first, std::uint64_t{1} << 63) << "frequent keys lie anywhere";
  const auto stray = make_keys<std::uint64_t>("outliers", 4 * many, 2);
  const auto out = std::count_if(stray.begin(), stray.end(), [](std::uint64_t key) { return key > 0xffff; });
  EXPECT_GT(out, 0);
  EXPECT_LT(out, 20) << "one in 2^16, of 2^18";
  const auto half = counts(make_keys<std::uint32_t>("zeros", many, 2));
  EXPECT_NEAR(static_cast<double>(half.at(0)) / many, 0.5, 0.01);
}

TEST(workloads, buckets_are_as_full_as_they_say) {
  std::map<std::uint32_t, std::size_t> full;
  for (const std::uint32_t key : make_keys<std::uint32_t>("full-buckets", 4 * many, 2))
    ++full[key >> 16];
  EXPECT_EQ(full.size(), 4 * many / 5400 + 1);
  for (const auto& [bucket, count] : full)
    EXPECT_NEAR(static_cast<double>(count), 5400, 500) << bucket;
  const auto keys = make_keys<std::uint64_t>("two-buckets", many, 2);
  std::set<std::uint64_t> highest;
  for (const std::uint64_t key : keys)
    highest.insert(key >> 48);
  EXPECT_EQ(highest, (std::set<std::uint64_t>{0x2000, 0xd000}));
  EXPECT_GT(counts(keys).size(), many - 10) << "random below";
}

TEST(workloads, clusters_are_where_they_say) {
  std::set<std::uint32_t> ids;
  for (const std::uint32_t key : make_keys<std::uint32_t>("clusters:500:16384:1000", many, 2)) {
    ASSERT_LT(key % 16384, 1000u);
    ids.insert(key / 16384);
  }
  EXPECT_EQ(ids.size(), 500u);
  EXPECT_EQ(*ids.rbegin(), 499u);
  EXPECT_GT(make_keys<std::uint64_t>("clusters", 100, 2)[7] >> 48, 0u) << "by default all over the type";
  // Points around k centres: few values of the highest bits, many of all.
  const auto codes = make_keys<std::uint64_t>("morton:10", many, 2);
  std::set<std::uint64_t> quadrants;
  for (const std::uint64_t code : codes)
    quadrants.insert(code >> 56); // of a 16th of the side
  EXPECT_GE(quadrants.size(), 5u);
  EXPECT_LE(quadrants.size(), 40u) << "a cluster lies in at most four";
  EXPECT_GT(counts(codes).size(), many - 10);
  EXPECT_GT(counts(make_keys<std::uint32_t>("morton", many, 2)).size(), many / 2);
}

TEST(workloads, equal_but_one_differs_in_every_bit) {
  const auto keys = counts(make_keys<std::uint64_t>("equal-but-one", n, 1));
  ASSERT_EQ(keys.size(), 2u);
  EXPECT_EQ(keys.begin()->first ^ keys.rbegin()->first, ~std::uint64_t{0});
}

TEST(workloads, one_law_has_one_name) {
  std::set<unsigned> rules;
  std::set<std::string_view> names;
  for (const workload_info& info : all_workloads()) {
    EXPECT_TRUE(rules.insert(workload_named(info.name).rule()).second) << info.name;
    EXPECT_TRUE(names.insert(info.name).second) << info.name;
  }
  EXPECT_TRUE(workload_named("and") == workload_named("and:3"));
  EXPECT_FALSE(workload_named("and:4") == workload_named("and:3"));
}

TEST(workloads, float_kinds_hold_what_they_are_named_for) {
  const auto bits_of = [](float x) { return std::bit_cast<std::uint32_t>(x); };
  std::set<std::uint32_t> nans, zeros;
  for (const float x : make_keys<float>("nan:0.5", n, 2))
    if (std::isnan(x))
      nans.insert(bits_of(x));
  EXPECT_GT(nans.size(), n / 3);
  EXPECT_TRUE(std::any_of(nans.begin(), nans.end(), [](std::uint32_t b) { return b >> 31 == 1; }));
  EXPECT_TRUE(std::any_of(nans.begin(), nans.end(), [](std::uint32_t b) { return (b & 0x400000) == 0; }))
      << "signalling ones";
  for (const float x : make_keys<float>("zeros", n, 2))
    if (x == 0)
      zeros.insert(bits_of(x));
  EXPECT_EQ(zeros.size(), 2u);
  for (const double x : make_keys<double>("denormals", n, 2))
    ASSERT_TRUE(x == 0 || std::fpclassify(x) == FP_SUBNORMAL);
  for (const float x : make_keys<float>("unit", n, 2))
    ASSERT_TRUE(x >= 0 && x < 1);
}

std::string message_of(const std::string& spec) {
  try {
    static_cast<void>(workload_named(spec));
  } catch (const invalid_argument& e) {
    return e.what();
  }
  return "";
}

TEST(workloads, refuse_what_they_do_not_know) {
  for (const std::string spec : {"unifrom", "", "zipf:", "zipf:x", "zipf:1:2", "and:0", "few:1e99", "uniform:1",
                                 "nan:1.5", "window:3", "clusters:1"}) {
    const std::string message = message_of(spec);
    EXPECT_NE(message.find("'" + spec + "'"), std::string::npos) << spec << ": " << message;
    for (const workload_info& info : all_workloads())
      EXPECT_NE(message.find(info.name), std::string::npos) << spec << " does not list " << info.name;
  }
  std::uint32_t keys[4];
  EXPECT_THROW(workload_named("nan").fill({key_type::u32, 4, 1}, 0, 4, keys), invalid_argument);
  EXPECT_THROW(workload_named("range:65536").fill({key_type::u8, 4, 1}, 0, 4, keys), invalid_argument);
  EXPECT_THROW(workload_named("clusters:65536:65537:10").fill({key_type::u32, 4, 1}, 0, 4, keys), invalid_argument);
  EXPECT_THROW(workload_named("clusters:10:10:11").fill({key_type::u32, 4, 1}, 0, 4, keys), invalid_argument);
  EXPECT_THROW(workload_named("window:0:40").fill({key_type::u32, 4, 1}, 0, 4, keys), invalid_argument);
  EXPECT_THROW(workload_named("uniform").fill({key_type::u32, 4, 1}, 2, 5, keys), invalid_argument);
}

} // namespace
} // namespace sortile::testing
