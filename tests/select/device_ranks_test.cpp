// Keys at ranks, quantiles and medians by kernels: on the executor through the front door, and under many schedules
// with every check; the search also of arrays that are so short that the front door sorts them.
#include "gpu/device_ranks.hpp"
#include "kernels/sample_place.hpp"
#include "simt/executor/device.hpp"
#include "tests/expect_refusal.hpp"
#include "tests/select/select_case.hpp"
#include "tests/short_tests.hpp"

#include "testing/oracle.hpp"
#include "testing/workloads.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <numeric>
#include <set>

namespace sortile {
namespace {

using testing::guarded_buffer;

/// So that short arrays are searched too, and by so large a sample that many brackets lie apart.
constexpr std::uint64_t sample = 8192;
constexpr gpu::device_ranks::tuning tuned{.sorted_up_to = 3000, .least_sample = sample};

enum class expected { searched, any_way };

struct ranks_case {
  key_type type = key_type::u32;
  std::size_t n = 0;
  std::vector<std::size_t> ranks;
  options opts{};
  std::size_t rows = 1, gap = 0;
  std::string text{};
};

void expect_ranks(const ranks_case& c, const void* keys, const std::byte* found) {
  const std::size_t key = key_bytes(c.type), stride = c.n + c.gap;
  for (std::size_t row = 0; row < c.rows; ++row) {
    const auto* const from = static_cast<const std::byte*>(keys) + row * stride * key;
    const auto order = testing::stable_order({c.type, c.opts.order, c.opts.bits}, from, c.n);
    for (std::size_t i = 0; i < c.ranks.size(); ++i) {
      const std::byte* const at = found + (row * c.ranks.size() + i) * key;
      ASSERT_EQ(std::memcmp(at, from + order[c.ranks[i]] * key, key), 0)
          << c.text << ": rank " << c.ranks[i] << " of row " << row << " is " << testing::key_text(c.type, at);
    }
  }
}

/// By the kernels' own class, with a workspace that is poisoned.
void check_on(executor::device& device, const ranks_case& c, const void* keys, expected way = expected::searched,
              const gpu::device_ranks::tuning& by = tuned) {
  const std::size_t key = key_bytes(c.type);
  guarded_buffer out(c.rows * c.ranks.size() * key, key);
  const ranks_request request{.type = c.type,
                              .n = c.n,
                              .keys = keys,
                              .ranks = c.ranks,
                              .keys_out = out.data(),
                              .rows = c.rows,
                              .stride = c.n + c.gap};
  const gpu::device_ranks search(request, c.opts, {}, by);
  ASSERT_TRUE(search.searches() || way == expected::any_way) << c.text;
  guarded_buffer workspace(search.workspace_bytes(), 0, 99); // nothing may depend on what was there
  search.launch(simt::queue::executor(device), workspace.data());
  ASSERT_EQ(out.damage() + workspace.damage(), "") << c.text;
  expect_ranks(c, keys, out.data());
}

std::vector<std::size_t> some_ranks(std::size_t n, std::uint64_t seed) {
  std::vector<std::size_t> ranks{n / 2};
  if (seed % 3 == 1)
    ranks = {n - 1, 0, n / 2, n / 2 - 1, n / 2};
  if (seed % 3 == 2)
    for (std::size_t i = 0; i < 5; ++i)
      ranks.push_back(i * (n - 1) / 4);
  if (seed % 13 == 0)
    for (std::uint64_t i = 0; i < 40; ++i)
      ranks.push_back(n / 3 + testing::random_bits(seed, i) % 50);
  return ranks;
}

TEST(DeviceRanks, RandomCases) {
  const std::uint64_t cases = testing::unless_short(120, 30);
  for (std::uint64_t seed = 0; seed < cases; ++seed) {
    const testing::top_k_case drawn = testing::random_top_k(seed, "executor", 20'000);
    if (drawn.n < 2)
      continue;
    const std::size_t n = drawn.n < tuned.sorted_up_to && seed % 4 != 0 ? drawn.n + tuned.sorted_up_to : drawn.n;
    ranks_case c{.type = drawn.type, .n = n, .ranks = some_ranks(n, seed)};
    c.opts.order = drawn.direction;
    c.opts.bits = drawn.bits;
    c.rows = seed % 5 == 0 ? 3 : 1;
    c.gap = seed % 10 == 0 ? 5 : 0;
    c.text = to_string(drawn) + ", n = " + std::to_string(n) + ", seed " + std::to_string(seed);
    const std::size_t elements = c.rows * (n + c.gap);
    guarded_buffer keys(elements * key_bytes(c.type), key_bytes(c.type), seed);
    testing::workload_named(drawn.workload).fill({c.type, elements, seed}, 0, elements, keys.data());
    executor::device device({.seed = seed + 1});
    check_on(device, c, keys.data(), expected::any_way);
    if (HasFatalFailure())
      return;
  }
}

TEST(DeviceRanks, EveryTypeAndDistribution) {
  std::uint64_t seed = 0;
  const key_type types[] = {key_type::u8,  key_type::i16, key_type::f16,  key_type::bf16,
                            key_type::u32, key_type::i32, key_type::f32,  key_type::u64,
                            key_type::i64, key_type::f64, key_type::u128, key_type::i128};
  for (const testing::workload_info& info : testing::all_workloads()) {
    const key_type type = types[seed++ % std::size(types)];
    if (!testing::workload_named(info.name).suits(type))
      continue;
    const std::size_t n = 40'001;
    guarded_buffer keys(n * key_bytes(type), key_bytes(type), seed);
    testing::workload_named(std::string(info.name)).fill({type, n, seed}, 0, n, keys.data());
    ranks_case c{.type = type, .n = n, .ranks = some_ranks(n, seed)};
    c.opts.order = seed % 2 == 0 ? order::ascending : order::descending;
    c.text = std::string(info.name) + " of " + std::string(name(type));
    executor::device device({.seed = seed});
    check_on(device, c, keys.data());
    if (HasFatalFailure())
      return;
  }
}

TEST(DeviceRanks, UnderManySchedules) {
  const unsigned schedules = testing::unless_short(12, 3);
  for (unsigned seed = 1; seed <= schedules; ++seed) {
    executor::device device({.seed = seed, .checks = executor::all_checks});
    const char* const workload = seed % 3 == 0 ? "few:5" : seed % 3 == 1 ? "uniform" : "sorted";
    const auto keys = testing::make_keys<std::uint32_t>(workload, 20'000, seed);
    ranks_case c{.n = keys.size(), .ranks = some_ranks(keys.size(), seed)};
    c.text = std::string(workload) + ", SORTILE_EXECUTOR_SEED=" + std::to_string(seed);
    check_on(device, c, keys.data());
    if (HasFatalFailure())
      return;
  }
}

/// The places at which a sample of m of n keys looks (draw_sample_kernel).
std::vector<std::size_t> sampled_places(std::size_t n, std::size_t m) {
  std::vector<std::size_t> places;
  for (std::size_t i = 0; i < m; ++i)
    places.push_back(kernels::sample_place(i, m, n));
  return places;
}

/// Keys of which the sample says the opposite of the truth: ranks outside of their brackets, and brackets that hold
/// more keys than there is room for.
template <class Key>
void check_misled(key_type type, const std::vector<std::size_t>& ranks, bool low, unsigned seed) {
  const std::size_t n = 30'000;
  const std::vector<std::uint64_t> sorted(ranks.begin(), ranks.end());
  const auto places = sampled_places(n, kernels::ranks_plan(n, sorted, sample).sample);
  std::vector<Key> keys(n);
  for (std::size_t i = 0; i < n; ++i)
    keys[i] = Key(Key(1000) << (4 * sizeof(Key)) | Key(testing::random_bits(3, i) % 5000));
  for (std::size_t i = 0; i < places.size(); ++i)
    keys[places[i]] = low ? Key(i % 3) : Key(~Key{0} - Key(i));
  ranks_case c{.type = type, .n = n, .ranks = ranks};
  c.text = std::string(low ? "low" : "high") + " sample of " + std::string(name(type)) + ", " +
           std::to_string(ranks.size()) + " ranks";
  executor::device device({.seed = seed, .checks = executor::all_checks});
  check_on(device, c, keys.data());
}

TEST(DeviceRanks, SamplesThatMislead) {
  std::vector<std::size_t> many;
  for (std::size_t i = 0; i < 60; ++i)
    many.push_back(i / 12 * 7000 + i % 12 * 5); // five brackets
  for (const bool low : {false, true}) {
    check_misled<std::uint32_t>(key_type::u32, {15'000}, low, 1);
    check_misled<std::uint32_t>(key_type::u32, {0, 3000, 15'000, 15'001, 29'999}, low, 2);
    check_misled<std::uint64_t>(key_type::u64, many, low, 3);
    if (HasFatalFailure())
      return;
  }
}

/// The sample lies right at the brackets and wrong inside: the keys between two neighbours of the sample are most of
/// the array, so there is no room for them.
TEST(DeviceRanks, BracketsThatHoldTooMuch) {
  const std::size_t n = 30'000, rank = 15'000;
  const std::uint64_t wanted[] = {rank};
  const std::size_t m = kernels::ranks_plan(n, wanted, sample).sample;
  std::vector<std::uint32_t> keys(n);
  for (std::size_t i = 0; i < n; ++i)
    keys[i] = 0x40000000u + std::uint32_t(testing::random_bits(5, i) % 100'000);
  const auto places = sampled_places(n, m);
  for (std::size_t i = 0; i < m; ++i)
    keys[places[i]] = i % 2 == 0 ? std::uint32_t(i) : 0xf0000000u + std::uint32_t(i);
  for (unsigned seed = 1; seed <= 3; ++seed) {
    executor::device device({.seed = seed, .checks = executor::all_checks});
    check_on(device, {.n = n, .ranks = {rank}, .text = "too much inside"}, keys.data());
  }
}

/// Zeros of both signs and NaNs of several bits: the answer is that which a stable sort has there.
TEST(DeviceRanks, EqualKeysOfDifferentBits) {
  const std::size_t n = 12'000;
  std::vector<float> keys(n);
  for (std::size_t i = 0; i < n; ++i) {
    const std::uint64_t x = testing::random_bits(7, i);
    keys[i] = x % 4 == 0 ? 0.0f : x % 4 == 1 ? -0.0f : x % 4 == 2 ? float(x >> 40) - 8e6f : 0;
    if (x % 8 == 3) {
      const std::uint32_t bits = 0x7f800001u + std::uint32_t(x >> 50) + (x % 16 == 3 ? 0x80000000u : 0);
      std::memcpy(&keys[i], &bits, 4);
    }
  }
  for (const order direction : {order::ascending, order::descending})
    for (unsigned seed = 1; seed <= 2; ++seed) {
      ranks_case c{.type = key_type::f32, .n = n, .ranks = {}};
      for (const std::size_t i : {1u, 40u, 41u, 60u, 90u, 95u}) // percents, most of them zeros and NaNs
        c.ranks.push_back(i * (n - 1) / 100);
      c.opts.order = direction;
      c.text = "zeros and NaN, seed " + std::to_string(seed);
      executor::device device({.seed = seed, .checks = executor::all_checks});
      check_on(device, c, keys.data());
    }
}

TEST(DeviceRanks, KeysThatDifferOutsideOfTheWindow) {
  const auto keys = testing::make_keys<std::uint32_t>("uniform", 12'000, 3);
  for (const bit_window bits : {bit_window{8, 12}, bit_window{20, 32}, bit_window{5, 5}}) {
    ranks_case c{.n = keys.size(), .ranks = some_ranks(keys.size(), 2)};
    c.opts.bits = bits;
    c.text = "bits [" + std::to_string(bits.begin) + ", " + std::to_string(bits.end) + ")";
    executor::device device({.seed = 4, .checks = executor::all_checks});
    check_on(device, c, keys.data());
  }
}

/// Towards the ends of the array brackets are narrow, and many lie apart.
TEST(DeviceRanks, ManyBrackets) {
  const std::size_t n = 60'000, large_sample = 32'768;
  for (const char* const workload : {"uniform", "few:9", "zipf"}) {
    const auto keys = testing::make_keys<std::uint64_t>(workload, n, 11);
    ranks_case c{.type = key_type::u64, .n = n, .ranks = {}, .text = workload};
    for (std::size_t i = 0; i < 9; ++i) {
      c.ranks.push_back((30 * i * i + 40 * i) * n / large_sample);
      c.ranks.push_back(n - 1 - c.ranks.back());
    }
    const std::set<std::uint64_t> sorted(c.ranks.begin(), c.ranks.end());
    const std::vector<std::uint64_t> ranks(sorted.begin(), sorted.end());
    ASSERT_GT(kernels::ranks_plan(n, ranks, large_sample).brackets.size(), 16u); // more than 32 cuts
    executor::device device({.seed = 4, .checks = executor::all_checks});
    check_on(device, c, keys.data(), expected::searched, {.sorted_up_to = 3000, .least_sample = large_sample});
  }
}

TEST(DeviceRanks, UnalignedKeys) {
  const auto keys = testing::make_keys<std::uint32_t>("uniform", 20'001, 3);
  executor::device device({.seed = 4});
  check_on(device, {.n = keys.size() - 1, .ranks = {10'000, 1}, .text = "unaligned"}, keys.data() + 1);
}

TEST(DeviceRanks, MoreRanksThanASearchTakes) {
  const auto keys = testing::make_keys<std::uint32_t>("normal", 20'000, 5);
  ranks_case c{.n = keys.size(), .ranks = {}, .text = "many ranks"};
  for (std::size_t i = 0; i < 200; ++i)
    c.ranks.push_back((i * 7919) % keys.size());
  executor::device device({.seed = 4});
  check_on(device, c, keys.data(), expected::any_way);
}

/// The front door's ways: a long array, a short one, rows.
TEST(DeviceRanks, ThroughTheFrontDoor) {
  options opts;
  opts.engine = "executor";
  const auto keys = testing::make_keys<float>("normal", gpu::device_ranks::tuning{}.sorted_up_to + 1001, 9);
  const std::vector<double> at{0, 0.1, 0.25, 0.5, 0.9, 1};
  for (const std::size_t n : {keys.size(), std::size_t{5000}, std::size_t{1}})
    for (const quantile_method method : {quantile_method::linear, quantile_method::lower, quantile_method::higher,
                                         quantile_method::nearest, quantile_method::midpoint}) {
      if (n == keys.size() && method != quantile_method::linear)
        continue;
      const std::span<const float> part = std::span(keys).first(n);
      EXPECT_EQ(quantiles(part, at, method, opts), quantiles(part, at, method)) << n << " keys";
    }
  EXPECT_EQ(median(keys, opts), median(keys));
  constexpr double infinity = std::numeric_limits<double>::infinity(), most = std::numeric_limits<double>::max();
  const std::vector<double> far_apart{-infinity, -most, most, infinity}, between{0.1, 0.2, 0.4, 0.5, 0.6, 0.9};
  for (const quantile_method method : {quantile_method::linear, quantile_method::midpoint})
    EXPECT_EQ(quantiles(far_apart, between, method, opts), quantiles(far_apart, between, method));
}

TEST(DeviceQuantiles, OfRows) {
  const std::size_t rows = 7, n = 300, stride = 305;
  const auto keys = testing::make_keys<double>("normal", rows * stride, 9);
  const std::vector<double> at{0.25, 0.5, 0.99};
  std::vector<double> results(rows * at.size()), wanted(rows * at.size());
  quantiles_request request{.type = key_type::f64,
                            .n = n,
                            .keys = keys.data(),
                            .probabilities = at,
                            .results = results.data(),
                            .rows = rows,
                            .stride = stride};
  run(request, {.engine = "executor"});
  request.results = wanted.data();
  run(request);
  EXPECT_EQ(results, wanted);
}

/// A key of each kind becomes the same double as on the host.
TEST(DeviceQuantiles, NumbersOfEveryType) {
  const std::vector<double> at{0, 0.05, 0.2, 0.35, 0.5, 0.65, 0.8, 0.95, 1};
  for (const key_type type :
       {key_type::u8, key_type::i8, key_type::u16, key_type::i16, key_type::f16, key_type::bf16, key_type::u32,
        key_type::i32, key_type::f32, key_type::u64, key_type::i64, key_type::f64, key_type::u128, key_type::i128})
    for (std::uint64_t seed = 1; seed <= 3; ++seed) {
      const std::size_t n = 200;
      guarded_buffer keys(n * key_bytes(type), key_bytes(type), seed);
      testing::workload_named("uniform").fill({type, n, seed}, 0, n, keys.data());
      std::vector<double> results(at.size()), wanted(at.size());
      quantiles_request request{
          .type = type, .n = n, .keys = keys.data(), .probabilities = at, .results = results.data()};
      run(request, {.engine = "executor"});
      request.results = wanted.data();
      run(request);
      for (std::size_t i = 0; i < at.size(); ++i)
        EXPECT_TRUE(results[i] == wanted[i] || (std::isnan(results[i]) && std::isnan(wanted[i])))
            << name(type) << " at " << at[i] << ": " << results[i] << ", not " << wanted[i];
    }
}

TEST(DeviceQuantiles, HalvesAndWideIntegersAtTheirEdges) {
  const auto check = [](key_type type, const auto& keys) {
    std::vector<double> at(keys.size()), results(keys.size()), wanted(keys.size());
    for (std::size_t i = 0; i < at.size(); ++i)
      at[i] = double(i) / double(at.size() - 1);
    quantiles_request request{.type = type,
                              .n = keys.size(),
                              .keys = keys.data(),
                              .probabilities = at,
                              .method = quantile_method::nearest,
                              .results = results.data()};
    run(request, {.engine = "executor"});
    request.results = wanted.data();
    run(request);
    for (std::size_t i = 0; i < at.size(); ++i)
      EXPECT_TRUE(results[i] == wanted[i] || (std::isnan(results[i]) && std::isnan(wanted[i])))
          << name(type) << " at " << at[i] << ": " << results[i] << ", not " << wanted[i];
  };
  std::vector<std::uint16_t> halves;
  for (unsigned bits = 0; bits < 65536; bits += 97)
    halves.push_back(std::uint16_t(bits));
  for (const unsigned bits : {0u, 0x8000u, 1u, 0x03ffu, 0x0400u, 0x7bffu, 0x7c00u, 0xfc00u, 0x7e00u})
    halves.push_back(std::uint16_t(bits));
  check(key_type::f16, halves);
  check(key_type::bf16, halves);
  std::vector<uint128> wide;
  for (unsigned shift = 0; shift < 128; ++shift)
    for (const unsigned add : {0u, 1u, 3u})
      wide.push_back((uint128{0x9e3779b97f4a7c15u} << 64 | 0xf39cc0605cedc835u) >> shift | add);
  wide.push_back((uint128{1} << 127) + (uint128{1} << 74)); // half way between two doubles
  wide.push_back((uint128{1} << 127) + (uint128{1} << 74) + 1);
  check(key_type::u128, wide);
  check(key_type::i128, wide);
}

TEST(DeviceRanks, ExplainsItsWays) {
  options opts;
  opts.engine = "executor";
  const std::size_t one[] = {77};
  const auto steps = [&](std::size_t n, std::span<const std::size_t> ranks, std::size_t rows) {
    return explain(ranks_request{.type = key_type::u32, .n = n, .ranks = ranks, .rows = rows}, opts).steps;
  };
  EXPECT_EQ(steps(10'000'000, one, 1).front().name, "sample");
  EXPECT_EQ(steps(10'000'000, one, 1).back().name, "copy");
  EXPECT_NE(steps(10'000, one, 1).front().name, "sample");
  std::vector<std::size_t> many(100);
  std::iota(many.begin(), many.end(), std::size_t{0});
  for (std::size_t& rank : many)
    rank *= 90'000;
  EXPECT_NE(steps(10'000'000, many, 1).front().name, "sample");
  const std::vector<double> half{0.5};
  const quantiles_request median{.type = key_type::f32, .n = 10'000'000, .probabilities = half};
  EXPECT_EQ(explain(median, opts).steps.back().name, "interpolate");
  EXPECT_GT(explain(median, opts).workspace_bytes, 0u);
  EXPECT_EQ(explain(median, opts).workspace_bytes, workspace_bytes(median, opts));
  EXPECT_LT(workspace_bytes(median, opts), 10'000'000u); // a quarter of the array
  EXPECT_EQ(explain(median, {.engine = "cpu"}).steps.front().name, "sample");
  EXPECT_EQ(workspace_bytes(median, {.engine = "cpu"}), 0u);
}

/// Offsets of segments of every length that a sort within segments treats by itself, empty ones and gaps among them.
std::vector<std::uint64_t> cuts_of(std::size_t n, std::uint64_t seed) {
  std::vector<std::uint64_t> offsets;
  std::size_t at = seed % 3;
  for (std::uint64_t i = 0; at <= n; ++i) {
    offsets.push_back(at);
    constexpr std::size_t most[] = {1, 33, 3, 600, 5, 9000, 0, 64};
    at += testing::random_bits(seed, i) % (most[i % std::size(most)] + 1);
  }
  return offsets;
}

struct segmented_case {
  key_type type;
  std::size_t n;
  const void* keys;
  segments where;
  options opts{};
  std::string text{};
};

/// By the kernels' own class, with a workspace that is poisoned; the CPU engine says what is right. A result that is
/// not written keeps its bits.
void check_segments_on(executor::device& device, const segmented_case& c) {
  const std::size_t ranks[] = {0, 3, 40, 3, 1'000'000}, key = key_bytes(c.type),
                    count = std::size(ranks) * c.where.count;
  const bool of_one_length = c.where.form == segment_form::strided;
  segmented_ranks_request r{
      {.type = c.type, .n = c.n, .keys = c.keys, .ranks = std::span(ranks).first(of_one_length ? 2 : 5)}, c.where};
  guarded_buffer found(count * key, key, 7), wanted(count * key, key, 7);
  r.arrays.keys_out = found.data();
  const gpu::device_ranks search(r, c.opts, {}, {});
  guarded_buffer workspace(search.workspace_bytes(), 0, 99);
  search.launch(simt::queue::executor(device), workspace.data());
  r.arrays.keys_out = wanted.data();
  run(r, {.order = c.opts.order, .bits = c.opts.bits, .engine = "cpu"});
  ASSERT_EQ(found.damage() + workspace.damage(), "") << c.text;
  ASSERT_EQ(std::memcmp(found.data(), wanted.data(), count * key), 0) << c.text << ": ranks";

  std::vector<double> at{0, 0.25, 0.7, 1};
  for (std::size_t i = 0; i < (c.n % 2 == 0 ? 0 : 70); ++i) // more than a launch has
    at.push_back(double(i) / 70);
  segmented_quantiles_request q{
      {.type = c.type, .n = c.n, .keys = c.keys, .probabilities = at, .method = static_cast<quantile_method>(c.n % 5)},
      c.where};
  std::vector<double> numbers(at.size() * c.where.count, -7), right(numbers);
  q.arrays.results = numbers.data();
  const gpu::device_ranks quantiles(q, {}, {}, {});
  guarded_buffer space(quantiles.workspace_bytes(), 0, 99);
  quantiles.launch(simt::queue::executor(device), space.data());
  q.arrays.results = right.data();
  run(q, {.engine = "cpu"});
  ASSERT_EQ(space.damage(), "") << c.text;
  for (std::size_t i = 0; i < right.size(); ++i)
    ASSERT_TRUE(numbers[i] == right[i] || (std::isnan(numbers[i]) && std::isnan(right[i])))
        << c.text << ": quantile " << i % at.size() << " of segment " << i / at.size() << " is " << numbers[i]
        << ", not " << right[i];
}

TEST(DeviceSegments, RanksAndQuantilesUnderManySchedules) {
  const unsigned schedules = testing::unless_short(24, 8);
  constexpr key_type types[] = {key_type::u32, key_type::f64, key_type::i16, key_type::f32,
                                key_type::u8,  key_type::i64, key_type::f16, key_type::u128};
  for (unsigned seed = 1; seed <= schedules; ++seed) {
    const key_type type = types[seed % std::size(types)];
    const std::size_t n = 2000 + 3000 * (seed % 4) + (seed == 5 ? 30'000 : 0) + seed % 10;
    guarded_buffer keys(n * key_bytes(type), key_bytes(type), seed);
    const char* const workload = seed % 2 == 0 ? "few:50" : "uniform";
    testing::workload_named(workload).fill({type, n, seed}, 0, n, keys.data());
    const std::vector<std::uint64_t> wide = cuts_of(n, seed);
    const std::vector<std::uint32_t> narrow(wide.begin(), wide.end());
    std::vector<std::uint64_t> begins(wide.rbegin() + 1, wide.rend()), ends(wide.rbegin(), wide.rend() - 1);
    const struct {
      const char* name;
      segments where;
    } all[] = {{"offsets of 64 bits", segments::by_offsets(wide)},
               {"offsets of 32 bits", segments::by_offsets(narrow)},
               {"ranges", segments::by_ranges(begins, ends)},
               {"columns", segments::columns(n / 9, 8, 9)},
               {"rows", segments::rows(n / 100, 90, 100)}};
    const auto& cut = all[seed % std::size(all)];
    executor::device device({.seed = seed, .checks = executor::all_checks});
    segmented_case c{.type = type, .n = n, .keys = keys.data(), .where = cut.where};
    c.opts.order = seed % 3 == 0 ? order::descending : order::ascending;
    if (type == key_type::u32)
      c.opts.bits = {4, 20};
    c.text = std::string(cut.name) + " of " + std::to_string(n) + " " + std::string(name(type)) +
             ", SORTILE_EXECUTOR_SEED=" + std::to_string(seed);
    check_segments_on(device, c);
    if (HasFatalFailure())
      return;
  }
}

/// In device memory nobody refuses offsets: ends before their beginnings are empty segments, and what reaches beyond
/// the array is cut off.
TEST(DeviceSegments, OffsetsThatMakeNoSegment) {
  const std::vector<float> keys{3, 1, 2, 9, 8};
  const std::vector<std::uint32_t> begins{0, 4, 2, 7, 0xffffffffu}, ends{2, 1, 99, 9, 3};
  const double half = 0.5;
  const std::size_t first[] = {0};
  std::vector<double> middle(5);
  std::vector<float> least(5, -1);
  const segments where = segments::by_ranges(begins, ends);
  executor::device device({.seed = 3, .checks = executor::all_checks});
  const auto launch = [&](const auto& request) {
    const gpu::device_ranks work(request, {}, {}, {});
    guarded_buffer workspace(work.workspace_bytes(), 0, 9);
    work.launch(simt::queue::executor(device), workspace.data());
  };
  launch(segmented_quantiles_request{
      {.type = key_type::f32, .n = 5, .keys = keys.data(), .probabilities = {&half, 1}, .results = middle.data()},
      where});
  launch(segmented_ranks_request{
      {.type = key_type::f32, .n = 5, .keys = keys.data(), .ranks = first, .keys_out = least.data()}, where});
  EXPECT_EQ(middle[0], 2);
  EXPECT_EQ(middle[2], 8);
  EXPECT_TRUE(std::isnan(middle[1]) && std::isnan(middle[3]) && std::isnan(middle[4]));
  EXPECT_EQ(least, (std::vector<float>{1, -1, 2, -1, -1}));
}

/// Through the front door: partial sorts and nth_element are sorts within segments; ranks and quantiles of all
/// segments.
TEST(DeviceSegments, ByOtherCallsOnTheExecutor) {
  const options by_kernels{.engine = "executor"}, by_cpu{.engine = "cpu"};
  const std::size_t n = 3000, k = 7;
  const auto keys = testing::make_keys<std::uint32_t>("few:500", n, 1);
  const std::vector<std::uint32_t> offsets{0, 5, 5, 1000, 2990};
  const segments parts = segments::by_offsets(offsets), rows = segments::rows(10, 299, 300);
  for (const segments& where : {parts, rows, segments::columns(299, 10, 10)}) {
    std::vector<std::uint32_t> first = keys, nth = keys, wanted = keys, values(n);
    std::iota(values.begin(), values.end(), 0u);
    segment_partial_sort_by_key(first, values, k, where, by_kernels);
    segment_nth_element(nth, k, where, by_kernels);
    segment_sort(wanted, where);
    EXPECT_EQ(first, wanted); // all of each segment is in order
    EXPECT_EQ(nth, wanted);
    for (std::size_t i = 0; i < n; ++i)
      EXPECT_EQ(first[i], keys[values[i]]);
  }
  for (const segments& where : {parts, rows, segments::columns(300, 10)}) {
    EXPECT_EQ(segment_keys_at_ranks(keys, {k, 0, 298}, where, by_kernels),
              segment_keys_at_ranks(keys, {k, 0, 298}, where, by_cpu));
    const auto found = segment_quantiles(keys, {0.1, 0.5}, where, quantile_method::linear, by_kernels);
    const auto wanted = segment_quantiles(keys, {0.1, 0.5}, where, quantile_method::linear, by_cpu);
    for (std::size_t i = 0; i < wanted.size(); ++i)
      EXPECT_TRUE(found[i] == wanted[i] || (std::isnan(found[i]) && std::isnan(wanted[i])));
  }
  EXPECT_TRUE(std::isnan(segment_median(std::vector<int>(), segments::rows(1, 0), by_kernels).front()));
  const std::vector<std::uint32_t> too_far{0, 3001};
  testing::expect_invalid([&] { (void)segment_median(keys, segments::by_offsets(too_far), by_kernels); },
                          {"segment 0", "reaches beyond"});

  const double half = 0.5;
  const segmented_quantiles_request medians{{.type = key_type::f32, .n = 100'000, .probabilities = {&half, 1}},
                                            segments::rows(100, 1000)};
  EXPECT_EQ(explain(medians, by_kernels).engine, "executor");
  EXPECT_EQ(explain(medians, by_kernels).steps.back().name, "interpolate");
  EXPECT_EQ(workspace_bytes(medians, by_kernels), 0u); // in host memory it allocates its own
  segmented_quantiles_request of_parts = medians;
  of_parts.where = parts;
  EXPECT_EQ(explain(of_parts, by_kernels).steps.back().detail,
            "1 quantile of each segment, between the keys beside it");
  EXPECT_EQ(explain(of_parts, by_kernels).steps.front().name, "classify");
  const options on_device{.memory = memory::device};
  EXPECT_GT(workspace_bytes(of_parts, on_device), 400'000u);
  EXPECT_EQ(explain(of_parts, on_device).workspace_bytes, workspace_bytes(of_parts, on_device));
  const segmented_nth_element_request middle{{.type = key_type::f32, .n = 100'000, .nth = 500}, parts};
  EXPECT_EQ(explain(middle, by_kernels).steps.front().name,
            explain(segmented_request{{.type = key_type::f32, .n = 100'000}, parts}, by_kernels).steps.front().name);
}

} // namespace
} // namespace sortile
