// Steps that the Python package queues beside selections: checks of the order, top-k with NaN last, quantiles of rows
// with a NaN; and groups of short arrays, in one launch. On the executor, with every check.
#include "gpu/device_groups.hpp"
#include "kernels/groups/find_groups.hpp"
#include "kernels/order/check_order.hpp"
#include "kernels/ranks/spread_nan.hpp"
#include "kernels/select/select_rows.hpp"
#include "primitives/with_word.hpp"
#include "simt/executor/device.hpp"
#include "tests/select/groups_plans.hpp"
#include "tests/short_tests.hpp"

#include "testing/guarded_buffer.hpp"
#include "testing/oracle.hpp"
#include "testing/workloads.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

namespace sortile {
namespace {

using testing::guarded_buffer;

std::uint64_t drawn(std::uint64_t seed, unsigned what) {
  return testing::random_bits(seed, what);
}

/// Keys of a seed: of few values mostly, so that some rows are in order.
guarded_buffer drawn_keys(key_type type, std::size_t n, std::uint64_t seed) {
  const std::size_t width = key_bytes(type);
  guarded_buffer keys(n * width, width, seed);
  const char* const workloads[] = {"uniform", "few:2", "equal", "sorted", "few:5"};
  testing::workload_named(workloads[drawn(seed, 1) % 5]).fill({type, n, seed}, 0, n, keys.data());
  return keys;
}

TEST(DeviceOrder, IsThatOfTheOracle) {
  const std::uint64_t cases = testing::unless_short(300, 60);
  for (std::uint64_t seed = 0; seed < cases; ++seed) {
    const key_type type = all_key_types[drawn(seed, 2) % std::size(all_key_types)];
    const order direction = drawn(seed, 3) % 2 == 0 ? order::ascending : order::descending;
    const std::size_t rows = 1 + drawn(seed, 4) % 3, n = 1 + drawn(seed, 5) % (seed % 5 == 0 ? 30'000 : 40);
    const guarded_buffer keys = drawn_keys(type, rows * n, seed);
    guarded_buffer answer(8, 8, seed);
    std::memset(answer.data(), 0, 8);
    const std::size_t width = key_bytes(type);
    bool wanted = true;
    for (std::size_t i = 0; i + 1 < rows * n; ++i)
      if ((i + 1) % n != 0 &&
          testing::comes_before({type, direction, {}}, keys.data() + (i + 1) * width, keys.data() + i * width))
        wanted = false;
    executor::device device({.seed = seed, .checks = executor::all_checks});
    with_word(type, [&]<class Word>(Word) {
      kernels::check_order(simt::queue::executor(device),
                           kernels::check_order_request<Word>{.keys = reinterpret_cast<const Word*>(keys.data()),
                                                              .rows = rows,
                                                              .n = n,
                                                              .codec = make_key_codec<Word>(type, direction, {}),
                                                              .answer = answer.as<std::uint64_t>().data()});
    });
    const std::uint64_t found = answer.as<std::uint64_t>()[0];
    const bool says_so = n > 1 && rows * n <= kernels::answers_always;
    ASSERT_EQ(found, !wanted   ? kernels::out_of_order
                     : says_so ? kernels::in_order
                               : 0)
        << "seed " << seed << ", n = " << n << ", rows " << rows;
    ASSERT_EQ(answer.damage(), "");
  }
}

/// Numbers of which some are NaN, of both signs, some zeros of both signs, some infinite.
std::vector<float> some_numbers(std::size_t n, std::uint64_t seed) {
  std::vector<float> x(n);
  const float special[] = {
      std::numeric_limits<float>::quiet_NaN(), -std::numeric_limits<float>::quiet_NaN(), 0.0f, -0.0f,
      std::numeric_limits<float>::infinity(),  -std::numeric_limits<float>::infinity()};
  for (std::size_t i = 0; i < n; ++i) {
    const std::uint64_t bits = drawn(seed, static_cast<unsigned>(i) + 10);
    x[i] = bits % 4 == 0 ? special[bits / 4 % 6] : static_cast<float>(bits / 4 % 100) - 50;
  }
  return x;
}

TEST(DeviceOrder, WithTheSignTurnedRoundNaNComesLast) {
  const auto in_order = [](std::vector<float> x) {
    std::uint64_t answer = 0;
    executor::device device({.checks = executor::all_checks});
    kernels::check_order(simt::queue::executor(device),
                         kernels::check_order_request<std::uint32_t>{
                             .keys = reinterpret_cast<const std::uint32_t*>(x.data()),
                             .rows = 1,
                             .n = x.size(),
                             .codec = make_key_codec<std::uint32_t>(key_type::f32, order::ascending, {}),
                             .flips = 0x80000000u,
                             .answer = &answer});
    return answer == kernels::in_order;
  };
  const float nan = std::numeric_limits<float>::quiet_NaN();
  EXPECT_TRUE(in_order({3, 3, 0.0f, -0.0f, 0.0f, -5, nan, -nan}));
  EXPECT_FALSE(in_order({nan, 3}));
  EXPECT_FALSE(in_order({1, 2}));
}

TEST(DeviceSelectRows, NaNLastInADescendingOrder) {
  const std::uint64_t cases = testing::unless_short(60, 15);
  for (std::uint64_t seed = 0; seed < cases; ++seed) {
    const std::size_t sizes[] = {7, 200, 900, 5000}, n = sizes[seed % 4], rows = 1 + seed % 3;
    const std::size_t k = 1 + drawn(seed, 6) % std::min<std::size_t>(n, 300);
    const auto x = some_numbers(rows * n, seed);
    std::vector<float> keys(rows * k);
    std::vector<std::uint64_t> positions(rows * k);
    executor::device device({.seed = seed, .checks = executor::all_checks});
    kernels::select_rows(simt::queue::executor(device),
                         kernels::select_rows_request<std::uint32_t>{
                             .keys = reinterpret_cast<const std::uint32_t*>(x.data()),
                             .rows = rows,
                             .n = n,
                             .stride = n,
                             .k = k,
                             .codec = make_key_codec<std::uint32_t>(key_type::f32, order::descending, {}),
                             .keys_out = reinterpret_cast<std::uint32_t*>(keys.data()),
                             .positions_out = positions.data(),
                             .position_bytes = 8,
                             .nan_last = true});
    for (std::size_t row = 0; row < rows; ++row) {
      std::vector<std::uint64_t> wanted(n);
      for (std::size_t i = 0; i < n; ++i)
        wanted[i] = i;
      const float* const of = x.data() + row * n;
      std::stable_sort(wanted.begin(), wanted.end(), [of](std::uint64_t a, std::uint64_t b) {
        return std::isnan(of[b]) ? !std::isnan(of[a]) : of[a] > of[b];
      });
      for (std::size_t i = 0; i < k; ++i) {
        ASSERT_EQ(positions[row * k + i], wanted[i]) << "seed " << seed << ", n = " << n << ", place " << i;
        ASSERT_EQ(std::memcmp(&keys[row * k + i], of + wanted[i], 4), 0) << "seed " << seed;
      }
    }
  }
}

TEST(DeviceSelectRows, NaNLastInADescendingOrderOfSegments) {
  const std::uint64_t cases = testing::unless_short(60, 15);
  for (std::uint64_t seed = 0; seed < cases; ++seed) {
    constexpr std::size_t segments_count = 5;
    const std::size_t k = 1 + drawn(seed, 6) % 200;
    std::vector<std::uint32_t> offsets{std::uint32_t(drawn(seed, 7) % 9)}, counts;
    for (std::size_t i = 0; i < segments_count; ++i) {
      const std::size_t longest[] = {0, 7, 200, 900, 5000};
      offsets.push_back(offsets.back() + std::uint32_t(drawn(seed, unsigned(20 + i)) % (longest[(seed + i) % 5] + 1)));
      counts.push_back(std::uint32_t(drawn(seed, unsigned(30 + i)) % (k + 3)));
    }
    const auto x = some_numbers(offsets.back() + 3, seed);
    constexpr float untouched = -77;
    std::vector<float> keys(segments_count * k, untouched);
    std::vector<std::uint64_t> positions(segments_count * k, 77);
    executor::device device({.seed = seed, .checks = executor::all_checks});
    kernels::select_rows(simt::queue::executor(device),
                         kernels::select_rows_request<std::uint32_t>{
                             .keys = reinterpret_cast<const std::uint32_t*>(x.data()),
                             .rows = segments_count,
                             .n = x.size(),
                             .k = k,
                             .codec = make_key_codec<std::uint32_t>(key_type::f32, order::descending, {}),
                             .keys_out = reinterpret_cast<std::uint32_t*>(keys.data()),
                             .positions_out = positions.data(),
                             .position_bytes = 8,
                             .results = {seed % 2 == 0 ? counts.data() : nullptr, 4},
                             .where = segments::by_offsets(offsets),
                             .nan_last = true});
    for (std::size_t segment = 0; segment < segments_count; ++segment) {
      const float* const of = x.data() + offsets[segment];
      std::vector<std::uint64_t> wanted(offsets[segment + 1] - offsets[segment]);
      for (std::size_t i = 0; i < wanted.size(); ++i)
        wanted[i] = i;
      std::stable_sort(wanted.begin(), wanted.end(), [of](std::uint64_t a, std::uint64_t b) {
        return std::isnan(of[b]) ? !std::isnan(of[a]) : of[a] > of[b];
      });
      const std::size_t most = seed % 2 == 0 ? counts[segment] : k, found = std::min({wanted.size(), most, k});
      for (std::size_t i = 0; i < k; ++i) {
        const std::size_t place = segment * k + i;
        ASSERT_EQ(positions[place], i < found ? wanted[i] : 77) << "seed " << seed << ", " << segment << ", " << i;
        ASSERT_EQ(std::memcmp(&keys[place], i < found ? of + wanted[i] : &untouched, 4), 0) << "seed " << seed;
      }
    }
  }
}

TEST(DeviceSelectRows, EachNaNKeepsItsBits) {
  constexpr std::size_t n = 3000, k = 200;
  std::vector<std::uint32_t> x(n);
  for (std::size_t i = 0; i < n; ++i) // a NaN of its own, of either sign; one number in fifty
    x[i] = i % 50 == 0 ? 0x3f800000u + std::uint32_t(i) : 0x7fc00000u + std::uint32_t(i) + (i % 2 == 0 ? 0 : 1u << 31);
  for (const order direction : {order::ascending, order::descending})
    for (const bool last : {false, true}) {
      std::vector<std::uint32_t> keys(k), positions(k);
      executor::device device({.checks = executor::all_checks});
      kernels::select_rows(simt::queue::executor(device),
                           kernels::select_rows_request<std::uint32_t>{
                               .keys = x.data(),
                               .rows = 1,
                               .n = n,
                               .stride = n,
                               .k = k,
                               .codec = make_key_codec<std::uint32_t>(key_type::f32, direction, {}),
                               .keys_out = keys.data(),
                               .positions_out = positions.data(),
                               .position_bytes = 4,
                               .nan_last = last});
      for (std::size_t i = 0; i < k; ++i)
        ASSERT_EQ(keys[i], x[positions[i]]) << int(direction) << ", last " << last << ", place " << i;
    }
}

TEST(DeviceQuantiles, ANaNSpreadsToItsRow) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  guarded_buffer numbers(9 * sizeof(double), sizeof(double), 1);
  const double given[] = {1, 2, 3, 4, 5, nan, 7, 8, 9};
  std::memcpy(numbers.data(), given, sizeof given);
  executor::device device({.checks = executor::all_checks});
  kernels::spread_nan(simt::queue::executor(device), {.numbers = numbers.as<double>().data(), .rows = 3, .count = 3});
  const auto found = numbers.as<double>();
  for (std::size_t i = 0; i < 9; ++i)
    EXPECT_TRUE(i / 3 == 1 ? std::isnan(found[i]) : found[i] == given[i]) << i;
  EXPECT_EQ(numbers.damage(), "");
}

template <class Result>
void check_told_numbers() {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  guarded_buffer numbers(9 * sizeof(double), sizeof(double), 1), told(6 * sizeof(Result), sizeof(Result), 2);
  const double given[] = {1, 2, 3, 4, 5, nan, 7, 8, 9};
  std::memcpy(numbers.data(), given, sizeof given);
  executor::device device({.checks = executor::all_checks});
  kernels::spread_nan(simt::queue::executor(device), {.numbers = numbers.as<double>().data(),
                                                      .rows = 3,
                                                      .count = 3,
                                                      .results = told.data(),
                                                      .result_bytes = sizeof(Result)});
  const auto found = told.as<Result>();
  for (std::size_t i = 0; i < 6; ++i)
    EXPECT_TRUE(i / 2 == 1 ? std::isnan(found[i]) : found[i] == Result(given[i / 2 * 3 + i % 2])) << i;
  EXPECT_EQ(std::memcmp(numbers.data(), given, sizeof given), 0);
  EXPECT_EQ(numbers.damage() + told.damage(), "");
}

TEST(DeviceQuantiles, NumbersThatAreToldElsewhere) {
  check_told_numbers<double>();
  check_told_numbers<float>();
}

TEST(DeviceGroups, ShortOnesUnderManySchedules) {
  const unsigned schedules = testing::unless_short(12, 4);
  for (unsigned seed = 1; seed <= schedules; ++seed)
    for (const std::size_t n : {std::size_t{1}, std::size_t{33}, std::size_t{2047}, std::size_t{2048}}) {
      const auto keys = testing::make_keys<std::uint64_t>(seed % 3 == 0   ? "few:300"
                                                          : seed % 3 == 1 ? "equal"
                                                                          : "uniform",
                                                          n, seed);
      guarded_buffer distinct(n * 8), counts(n * 8), offsets((n + 1) * 8), inverse(n * 8), found(8);
      groups_request request{.type = key_type::u64,
                             .n = n,
                             .keys = keys.data(),
                             .keys_out = distinct.data(),
                             .counts = counts.data(),
                             .offsets = offsets.data(),
                             .inverse = inverse.data(),
                             .device_groups = found.as<std::uint64_t>().data()};
      const gpu::device_groups groups(request, {}, {}, gpu::workspace_for::this_call);
      ASSERT_EQ(groups.workspace_bytes(), 0u);
      executor::device device({.seed = seed, .checks = executor::all_checks});
      groups.launch(simt::queue::executor(device), nullptr);
      ASSERT_EQ(distinct.damage() + counts.damage() + offsets.damage() + inverse.damage() + found.damage(), "");
      std::vector<std::uint64_t> e_distinct(n), e_counts(n), e_offsets(n + 1), e_inverse(n);
      request.keys_out = e_distinct.data();
      request.counts = e_counts.data();
      request.offsets = e_offsets.data();
      request.inverse = e_inverse.data();
      request.device_groups = nullptr;
      const std::size_t wanted = run(request, {.engine = "cpu"});
      ASSERT_EQ(found.as<std::uint64_t>()[0], wanted) << "SORTILE_EXECUTOR_SEED=" << seed;
      ASSERT_EQ(std::memcmp(distinct.data(), e_distinct.data(), wanted * 8), 0);
      ASSERT_EQ(std::memcmp(counts.data(), e_counts.data(), wanted * 8), 0);
      ASSERT_EQ(std::memcmp(offsets.data(), e_offsets.data(), (wanted + 1) * 8), 0);
      ASSERT_EQ(std::memcmp(inverse.data(), e_inverse.data(), n * 8), 0);
    }
}

/// A call computes what it uses itself, not what is enough for all shorter ones too.
TEST(DeviceWorkspace, OfACallIsWithinWhatIsEnough) {
  constexpr gpu::device_facts h100{90, 132};
  for (std::size_t n = 1; n < (std::size_t{1} << 24); n = n * 5 / 3 + 1)
    for (const key_type type : {key_type::u8, key_type::f32, key_type::u64, key_type::u128}) {
      std::uint64_t groups = 0;
      auto* const at = reinterpret_cast<std::byte*>(std::uintptr_t{1} << 50); // compared, never followed
      const groups_request request{
          .type = type, .n = n, .keys = at, .counts = at + (std::uint64_t{1} << 40), .device_groups = &groups};
      EXPECT_LE(gpu::device_groups(request, {}, h100, gpu::workspace_for::this_call).workspace_bytes(),
                gpu::device_groups(request, {}, h100).workspace_bytes())
          << n;
    }
}

TEST(DeviceGroups, Plans) {
  testing::check_plans_of_groups("executor");
  std::vector<std::uint16_t> keys(1000);
  std::vector<std::uint32_t> first(1000);
  const groups_request short_one{
      .type = key_type::u16, .n = 1000, .keys = keys.data(), .index_bytes = 4, .first = first.data()};
  EXPECT_EQ(explain(short_one, {.engine = "executor"}).steps.size(), 1u); // one launch
}

} // namespace
} // namespace sortile
