// Merges by kernels, on the executor; and what is asked of device memory without a device.
#include "gpu/device_merge.hpp"
#include "kernels/merge/merge_runs.hpp"
#include "simt/executor/device.hpp"
#include "tests/expect_refusal.hpp"
#include "tests/merge/merge_case.hpp"
#include "tests/short_tests.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <numeric>

namespace sortile::testing {
namespace {

void expect_right(merge_case c) {
  c.engine = "executor";
  const verdict v = check_merge(c);
  ASSERT_TRUE(v) << v.complaint;
}

TEST(DeviceMerge, RandomCases) {
  for (std::uint64_t seed = 0; seed < unless_short(400u, 120u); ++seed) {
    merge_case c = random_merge(seed, 30'000);
    c.engine = "executor";
    const verdict v = check_merge(c);
    ASSERT_TRUE(v) << v.complaint;
  }
}

TEST(DeviceMerge, EveryTypeAndDirection) {
  for (const key_type type : all_key_types)
    for (const order direction : {order::ascending, order::descending})
      for (const std::size_t value_bytes : {0, 4, 8, 5})
        expect_right({.by = {type, direction},
                      .lengths = {700, 0, 1, 4000, 33},
                      .value_bytes = value_bytes,
                      .workload = is_float(type) ? "specials" : "few:9",
                      .seed = value_bytes * 2 + 1});
}

TEST(DeviceMerge, ShapesOfRuns) {
  const std::vector<std::vector<std::size_t>> shapes = {
      {},
      {0},
      {5},
      {0, 0, 0},
      {0, 9000, 0},
      {1, 1},
      {0, 7, 0, 3, 0},
      {20'000, 1},
      {1, 20'000},
      {9000, 9000},
      {1664, 1664}, // two tiles of u32 with u32
      {1663, 1666},
      {3000, 3000, 3000, 3000, 3000, 3000, 3000, 3000}, // eight at once
      {100, 200, 300, 400, 500, 600, 700, 800, 900},    // of u128 two passes, a table
      std::vector<std::size_t>(64, 300),
      std::vector<std::size_t>(65, 70), // a sort of all types
      std::vector<std::size_t>(500, 11),
      std::vector<std::size_t>(513, 11),
      std::vector<std::size_t>(5000, 1)};
  for (std::vector<std::size_t> lengths : shapes)
    for (const key_type type : {key_type::u32, key_type::u64, key_type::u128})
      for (const char* workload : {"uniform", "few:1"})
        expect_right({.by = {type}, .lengths = lengths, .value_bytes = 4, .workload = workload});
  for (const std::size_t length : {250'000, 600'000}) // tiles of more threads
    expect_right({.by = {key_type::u32}, .lengths = {length, 300'001}, .value_bytes = 4, .workload = "few:100"});
  std::vector<std::size_t> huge_and_tiny(40, 2);
  huge_and_tiny[17] = 40'000;
  for (const std::uint64_t seed : {0, 1, 2, 3})
    expect_right(
        {.by = {key_type::f32}, .lengths = huge_and_tiny, .value_bytes = 8, .workload = "specials", .seed = seed});
}

TEST(DeviceMerge, WindowsOfEveryWidth) {
  for (const key_type type : {key_type::i32, key_type::f64, key_type::u128, key_type::u8})
    for (const bit_window bits : {bit_window{0, 0}, bit_window{3, 8}, bit_window{5, 7}, bit_window{key_bits(type) - 3}})
      for (const order direction : {order::ascending, order::descending})
        expect_right({.by = {type, direction, bits}, .lengths = {2900, 1500, 0, 77}, .value_bytes = 4});
}

/// A merge with values, by the planner's way, on the executor with this seed and all checks.
template <class Word>
void merge_under(std::uint64_t seed, const std::vector<std::size_t>& lengths, std::size_t value_bytes) {
  const std::size_t n = std::accumulate(lengths.begin(), lengths.end(), std::size_t{0});
  std::vector<Word> keys(n), out(n);
  std::vector<std::byte> values(n * value_bytes), values_out(n * value_bytes);
  std::vector<sorted_run> runs;
  std::size_t begin = 0;
  for (const std::size_t length : lengths) {
    for (std::size_t i = begin; i < begin + length; ++i)
      keys[i] = Word(random_bits(seed, i) % 50);
    std::sort(keys.begin() + std::ptrdiff_t(begin), keys.begin() + std::ptrdiff_t(begin + length));
    runs.push_back({keys.data() + begin, values.data() + begin * value_bytes, length});
    begin += length;
  }
  for (std::size_t i = 0; i < n; ++i)
    std::memcpy(values.data() + i * value_bytes, &i, std::min(value_bytes, sizeof i));
  const merge_request request{.type = key_type_of<Word>,
                              .runs = runs,
                              .keys_out = out.data(),
                              .value_bytes = value_bytes,
                              .values_out = values_out.data()};
  const gpu::device_merge merge(request, {}, gpu::any_device, {.sorted_up_to = 0});
  guarded_buffer space(merge.workspace_bytes());
  space.poison(seed);
  executor::device device({.seed = seed, .checks = executor::all_checks});
  merge.launch(simt::queue::executor(device), space.data());
  ASSERT_EQ(space.damage(), "");
  std::vector<std::size_t> expected(n);
  std::iota(expected.begin(), expected.end(), 0u);
  std::stable_sort(expected.begin(), expected.end(), [&](std::size_t a, std::size_t b) { return keys[a] < keys[b]; });
  for (std::size_t i = 0; i < n; ++i) {
    std::size_t value = 0;
    std::memcpy(&value, values_out.data() + i * value_bytes, std::min(value_bytes, sizeof value));
    ASSERT_EQ(value, expected[i]) << "place " << i << ", seed " << seed;
    ASSERT_EQ(out[i], keys[expected[i]]) << "place " << i << ", seed " << seed;
  }
}

TEST(DeviceMerge, WhateverTheSchedule) {
  const std::vector<std::size_t> many(70, 12);
  for (std::uint64_t seed = 1; seed <= unless_short(12u, 4u); ++seed) {
    merge_under<std::uint64_t>(seed, {1500, 0, 900, 40}, 8);
    merge_under<std::uint32_t>(seed, {400, 3, 500, 2, 90, 0, 700, 11}, 4);
    merge_under<std::uint64_t>(seed, {900, 3, 70, 500, 0, 2}, 12);               // values by number
    merge_under<uint128>(seed, {400, 3, 500, 2, 90, 80, 1, 700, 300, 0, 11}, 4); // two passes
    merge_under<uint128>(seed, std::vector<std::size_t>(60, 12), 12);            // and values by number
    merge_under<std::uint64_t>(seed, many, 12);                                  // end to end from a table
    merge_under<std::uint16_t>(seed, {300, 0, 500}, 5);                          // end to end, and a sort
  }
}

/// Runs of floats in descending order with NaN, of both signs, behind all others.
template <class Float, class Word>
void merge_with_nan_last(std::uint64_t seed, key_type type, const std::vector<std::size_t>& lengths) {
  const std::size_t n = std::accumulate(lengths.begin(), lengths.end(), std::size_t{0});
  const auto later = [](Float a, Float b) { return std::isnan(b) ? !std::isnan(a) : a > b; };
  std::vector<Float> keys(n), out(n);
  std::vector<sorted_run> runs;
  std::uint64_t listed = 0;
  for (std::size_t begin = 0; const std::size_t length : lengths) {
    for (std::size_t i = begin; i < begin + length; ++i) {
      const std::uint64_t bits = random_bits(seed, i);
      const Float special[] = {
          std::numeric_limits<Float>::quiet_NaN(), -std::numeric_limits<Float>::quiet_NaN(), Float(0), -Float(0),
          std::numeric_limits<Float>::infinity(),  -std::numeric_limits<Float>::infinity()};
      keys[i] = bits % 3 == 0 ? special[bits / 3 % 6] : Float(bits / 3 % 60) - 30;
    }
    std::stable_sort(keys.begin() + std::ptrdiff_t(begin), keys.begin() + std::ptrdiff_t(begin + length), later);
    runs.push_back({keys.data() + begin, nullptr, length});
    listed += length > 0;
    begin += length;
  }
  const auto plan = kernels::list_merge_plan::of(n, listed, sizeof(Word), 0);
  guarded_buffer space(plan.bytes);
  space.poison(seed);
  executor::device device({.seed = seed, .checks = executor::all_checks});
  kernels::merge_runs(simt::queue::executor(device),
                      kernels::merge_runs_request<Word>{.runs = runs,
                                                        .codec = make_key_codec<Word>(type, order::descending, {}),
                                                        .nan_last = true,
                                                        .keys_out = reinterpret_cast<Word*>(out.data()),
                                                        .plan = plan,
                                                        .workspace = space.data()});
  ASSERT_EQ(space.damage(), "");
  std::vector<Float> expected = keys;
  std::stable_sort(expected.begin(), expected.end(), later);
  ASSERT_EQ(std::memcmp(out.data(), expected.data(), n * sizeof(Float)), 0) << "seed " << seed;
}

TEST(DeviceMerge, NaNLastInADescendingOrder) {
  for (std::uint64_t seed = 1; seed <= unless_short(10u, 3u); ++seed) {
    merge_with_nan_last<float, std::uint32_t>(seed, key_type::f32, {1500, 0, 900, 40});
    merge_with_nan_last<float, std::uint32_t>(seed, key_type::f32, {0, 2500, 1700});
    merge_with_nan_last<double, std::uint64_t>(seed, key_type::f64, {7, 1900});
    merge_with_nan_last<double, std::uint64_t>(seed, key_type::f64, {400, 3, 500, 2, 90, 0, 700, 11});
    merge_with_nan_last<float, std::uint32_t>(seed, key_type::f32, std::vector<std::size_t>(20, 60)); // two passes
  }
}

std::vector<sorted_run> runs_of(std::size_t count, std::size_t length) {
  return std::vector<sorted_run>(count, sorted_run{nullptr, nullptr, length});
}

TEST(DeviceMerge, PlansSayWhichWay) {
  const options opts{.engine = "cuda", .memory = memory::device};
  const auto steps_of = [&](key_type type, std::size_t count, std::size_t length, std::size_t value_bytes) {
    const auto runs = runs_of(count, length);
    std::string names;
    for (const plan_step& step :
         explain(merge_request{.type = type, .runs = runs, .value_bytes = value_bytes}, opts).steps)
      names += (names.empty() ? "" : " ") + step.name;
    return names;
  };
  EXPECT_EQ(steps_of(key_type::u32, 0, 0, 0), "");
  EXPECT_EQ(steps_of(key_type::u32, 5, 0, 0), "");
  EXPECT_EQ(steps_of(key_type::u32, 1, 10, 4), "copy");
  EXPECT_EQ(steps_of(key_type::u32, 2, 1, 0), "merge");
  EXPECT_EQ(steps_of(key_type::u32, 4, 1024, 0).substr(0, 5), "copy ");
  EXPECT_EQ(steps_of(key_type::u32, 3, 2048, 0), "merge");
  EXPECT_EQ(steps_of(key_type::u32, 2, 1'000'000, 0), "merge");
  EXPECT_EQ(steps_of(key_type::i32, 8, 1'000'000, 0), "merge");
  EXPECT_EQ(steps_of(key_type::u64, 8, 1'000'000, 16), "merge gather");
  EXPECT_EQ(steps_of(key_type::u128, 64, 1'000'000, 0), "merge merge");
  EXPECT_EQ(steps_of(key_type::u128, 9, 1'000'000, 16), "merge merge gather");
  EXPECT_EQ(steps_of(key_type::u32, 9, 1'000'000, 0).substr(0, 5), "copy ");
  EXPECT_EQ(steps_of(key_type::u64, 9, 1'000'000, 8).substr(0, 5), "copy ");
  EXPECT_EQ(steps_of(key_type::u128, 65, 100'000, 0).substr(0, 5), "copy ");
  EXPECT_EQ(steps_of(key_type::u16, 2, 1'000'000, 0).substr(0, 5), "copy ");
}

TEST(DeviceMerge, WorkspaceIsAFewBytesASlabAndAnArrayBetweenPasses) {
  const options opts{.engine = "cuda", .memory = memory::device};
  const std::size_t n = std::size_t{1} << 24;
  const auto bytes_of = [&](std::size_t count, std::size_t value_bytes, key_type type = key_type::u64) {
    const auto runs = runs_of(count, n / count);
    return workspace_bytes(merge_request{.type = type, .runs = runs, .value_bytes = value_bytes}, opts);
  };
  EXPECT_LT(bytes_of(2, 0), n * 8 / 300);
  EXPECT_LT(bytes_of(8, 8), n * 16 / 300);
  EXPECT_GE(bytes_of(64, 8, key_type::u128), n * 24);
  EXPECT_LT(bytes_of(64, 8, key_type::u128), n * 24 * 101 / 100);
  EXPECT_GE(bytes_of(2, 3), n * 4); // numbers
}

TEST(DeviceMerge, AWorkspaceOneByteTooSmallIsRefused) {
  std::vector<std::uint64_t> keys(1000), out(9000);
  const std::vector<sorted_run> runs(9, sorted_run{keys.data(), nullptr, 1000});
  const merge_request request{.type = key_type::u64, .runs = runs, .keys_out = out.data()};
  options opts{.engine = "executor"};
  guarded_buffer space(workspace_bytes(request, opts));
  opts.workspace = space.bytes().first(space.size() - 1);
  expect_refusal<workspace_too_small>([&] { run(request, opts); }, status::workspace_too_small,
                                      {std::to_string(space.size() - 1), std::to_string(space.size())});
  opts.workspace = space.bytes();
  run(request, opts);
  EXPECT_EQ(space.damage(), "");
}

TEST(DeviceMerge, RefusesWhatItCannotDo) {
  std::vector<std::uint32_t> a = {1, 2}, b = {3, 4}, out(4);
  const std::vector<sorted_run> runs = {{a.data(), nullptr, 2}, {b.data(), nullptr, 2}};
  const merge_request right{.runs = runs, .keys_out = out.data()};
  options opts{.engine = "executor"};
  merge_request changed = right;
  changed.keys_out = a.data();
  expect_invalid([&] { run(changed, opts); }, {"run 0", "keys_out", "overlap"});
  guarded_buffer space(workspace_bytes(right, opts) + 8);
  opts.workspace = space.bytes();
  const std::vector<sorted_run> within = {runs[0], {space.data(), nullptr, 2}};
  changed = right;
  changed.runs = within;
  expect_invalid([&] { run(changed, opts); }, {"run 1", "workspace", "overlap"});
  opts = {.engine = "cuda", .memory = memory::device};
  opts.progress = [](double) { return true; };
  expect_invalid([&] { explain(right, opts); }, {"progress", "device memory"});
  expect_invalid([&] { explain(right, {.stream = &out}); }, {"stream", "host memory"});
}

TEST(DeviceMerge, TellsItsProgressAndCanBeCancelled) {
  const std::vector<std::uint64_t> keys(3000, 7);
  std::vector<std::uint64_t> out(6000, 9);
  const std::vector<sorted_run> runs(2, sorted_run{keys.data(), nullptr, keys.size()});
  const merge_request request{.type = key_type::u64, .runs = runs, .keys_out = out.data()};
  std::vector<double> told;
  options opts{.engine = "executor"};
  opts.progress = [&](double share) {
    told.push_back(share);
    return false;
  };
  EXPECT_THROW(run(request, opts), cancelled);
  EXPECT_EQ(out, std::vector<std::uint64_t>(6000, 9));
  opts.progress = [&](double share) {
    told.push_back(share);
    return true;
  };
  run(request, opts);
  EXPECT_EQ(out, std::vector<std::uint64_t>(6000, 7));
  EXPECT_EQ(told.back(), 1.0);
}

TEST(DeviceMerge, RunsOutOfOrderTouchNothingElse) {
  for (const std::size_t n :
       {std::size_t{40'000}, std::size_t{250'000}}) // borders checked by one block, and by several
    for (const std::size_t count : {2, 3}) {
      std::vector<std::uint32_t> keys(n);
      for (std::size_t i = 0; i < n; ++i)
        keys[i] = static_cast<std::uint32_t>(random_bits(5, i));
      std::vector<sorted_run> runs = {{keys.data(), nullptr, 15'000}, {keys.data() + 15'000, nullptr, n - 15'000}};
      if (count == 3)
        runs = {runs[0], {keys.data() + 15'000, nullptr, 10'000}, {keys.data() + 25'000, nullptr, n - 25'000}};
      guarded_buffer out(n * 4);
      run(merge_request{.runs = runs, .keys_out = out.data()}, {.engine = "executor"});
      EXPECT_EQ(out.damage(), "");
      auto found = out.as<std::uint32_t>();
      std::sort(found.begin(), found.end());
      std::sort(keys.begin(), keys.end());
      EXPECT_TRUE(std::equal(keys.begin(), keys.end(), found.begin())) << "of " << n << " keys one was lost";
    }
}

} // namespace
} // namespace sortile::testing
