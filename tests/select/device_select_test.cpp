// Top-k by kernels: on the executor through the front door, and under many schedules with every check; on the GPU where
// there is one.
#include "gpu/device_groups.hpp"
#include "gpu/device_select.hpp"
#include "kernels/sample_place.hpp"
#include "kernels/select/filter.hpp"
#include "kernels/select/select_rows.hpp"
#include "primitives/sample_ranks.hpp"
#include "simt/executor/device.hpp"
#include "tests/select/groups_case.hpp"
#include "tests/short_tests.hpp"

#include "testing/oracle.hpp"
#include "testing/workloads.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <numeric>

namespace sortile {
namespace {

using testing::check;
using testing::guarded_buffer;
using testing::top_k_case;

TEST(DeviceSelect, RandomCasesOnTheExecutor) {
  const std::uint64_t cases = testing::unless_short(400, 80);
  for (std::uint64_t seed = 0; seed < cases; ++seed) {
    const auto found = check(testing::random_top_k(seed, "executor", seed % 10 == 0 ? 150'000 : 20'000));
    ASSERT_TRUE(found) << found.complaint;
  }
}

/// Longer than a block takes: the filter, and for large k a sort of all.
TEST(DeviceSelect, LongArraysOfEveryDistribution) {
  std::uint64_t seed = 0;
  for (const testing::workload_info& info : testing::all_workloads()) {
    const key_type type = seed % 2 == 0 || info.floats_only ? key_type::f32 : key_type::u64;
    if (!testing::workload_named(info.name).suits(type))
      continue;
    for (const std::size_t k : testing::a_few<std::size_t>(1, {1, 60'000, 3000})) {
      const auto found = check(top_k_case{.type = type,
                                          .n = 100'001,
                                          .k = k,
                                          .workload = std::string(info.name),
                                          .seed = ++seed,
                                          .direction = seed % 3 == 0 ? order::ascending : order::descending,
                                          .carries = seed % 2 == 0 ? payload::none : payload::indices,
                                          .value_bytes = seed % 2 == 0 ? 0u : 4u,
                                          .engine = "executor",
                                          .own_workspace = true});
      ASSERT_TRUE(found) << found.complaint;
    }
  }
}

TEST(DeviceSelect, Rows) {
  for (const std::size_t n : {1u, 31u, 1024u, 1025u, 9000u, 70'000u})
    for (const std::size_t k : {std::size_t{1}, std::min<std::size_t>(n, 33), std::min<std::size_t>(n, 1500)})
      for (const payload carries : {payload::none, payload::indices, payload::values}) {
        const auto found = check(top_k_case{.type = n % 2 == 0 ? key_type::f16 : key_type::i32,
                                            .n = n,
                                            .k = k,
                                            .rows = 5,
                                            .gap = 3,
                                            .workload = k % 2 == 0 ? "few" : "uniform",
                                            .seed = n + k,
                                            .carries = carries,
                                            .value_bytes = carries == payload::none ? 0u : 8u,
                                            .engine = "executor"});
        ASSERT_TRUE(found) << found.complaint;
      }
}

/// Rows that a warp holds, of every length and k that changes the way.
TEST(DeviceSelect, ShortRows) {
  std::uint64_t seed = 0;
  for (const std::size_t n : testing::a_few<std::size_t>(4, {1, 2, 31, 33, 200, 256, 257, 1000, 1024}))
    for (const std::size_t k : {1u, 7u, 16u, 17u, 32u, 33u, 64u}) {
      if (k > n)
        continue;
      constexpr key_type types[] = {key_type::u8, key_type::f16, key_type::u32, key_type::i64};
      constexpr const char* workloads[] = {"uniform", "few:3", "sorted", "eight-dup", "zipf"};
      const char* const workload = workloads[++seed % std::size(workloads)];
      const auto found = check(top_k_case{.type = types[seed % std::size(types)],
                                          .n = n,
                                          .k = k,
                                          .rows = 9,
                                          .gap = seed % 4,
                                          .workload = workload,
                                          .seed = seed,
                                          .direction = seed % 2 == 0 ? order::ascending : order::descending,
                                          .carries = payload::indices,
                                          .value_bytes = 4,
                                          .engine = "executor"});
      ASSERT_TRUE(found) << found.complaint;
    }
}

/// The keys, and their positions in a top-k, as device_select gives them on one executor. With `of_rows` each row has
/// as many as this says, and what lies behind them is not written.
void check_on(executor::device& device, const std::vector<std::uint32_t>& keys, std::size_t rows, std::size_t k,
              const std::string& text, const std::vector<std::uint64_t>& of_rows = {}) {
  const std::size_t n = keys.size() / rows;
  guarded_buffer out(rows * k * 4), positions(rows * k * 4);
  const guarded_buffer out_before = guarded_buffer::copy_of(out.data(), out.size()),
                       positions_before = guarded_buffer::copy_of(positions.data(), positions.size());
  const top_k_request request{.type = key_type::u32,
                              .n = n,
                              .k = k,
                              .keys_in = keys.data(),
                              .keys_out = out.data(),
                              .carries = payload::indices,
                              .value_bytes = 4,
                              .values_out = positions.data(),
                              .rows = rows,
                              .row_k = of_rows.empty() ? nullptr : of_rows.data()};
  const gpu::device_select select(request, {}, {});
  guarded_buffer workspace(select.workspace_bytes(), 0, 99); // nothing may depend on what was there
  select.launch(simt::queue::executor(device), workspace.data());
  ASSERT_EQ(out.damage() + positions.damage() + workspace.damage(), "") << text;
  for (std::size_t row = 0; row < rows; ++row) {
    const auto order = testing::stable_order({key_type::u32}, keys.data() + row * n, n);
    const std::size_t results =
        of_rows.empty() ? k : static_cast<std::size_t>(std::min<std::uint64_t>(k, of_rows[row]));
    const std::size_t behind = (row * k + results) * 4, bytes = (k - results) * 4;
    ASSERT_EQ(std::memcmp(out.data() + behind, out_before.data() + behind, bytes), 0) << text << ", row " << row;
    ASSERT_EQ(std::memcmp(positions.data() + behind, positions_before.data() + behind, bytes), 0) << text;
    for (std::size_t i = 0; i < results; ++i) {
      ASSERT_EQ(positions.as<std::uint32_t>()[row * k + i], order[i]) << text << ", row " << row << ", place " << i;
      ASSERT_EQ(out.as<std::uint32_t>()[row * k + i], keys[row * n + order[i]]) << text;
    }
  }
}

/// More keys up to a warp's bound than it sorts at once, the smallest behind those that equal the bound.
TEST(DeviceSelect, ShortRowsWithTooManyCandidates) {
  std::vector<std::uint32_t> keys(512, 9);
  for (std::size_t i = 0; i < 20; ++i)
    keys[i] = keys[40 + i] = 5;
  for (std::size_t i = 20; i < 30; ++i)
    keys[i] = 1;
  executor::device device({.seed = 1, .checks = executor::all_checks});
  check_on(device, keys, 1, 16, "too many candidates");
}

/// More of a row's smallest keys in two neighbouring lanes than these keep.
TEST(DeviceSelect, ShortRowsWhoseSmallestShareTwoLanes) {
  for (const std::size_t n : {224u, 256u})
    for (const std::uint32_t small : {33u, 48u, 64u}) {
      std::vector<std::uint32_t> keys(5 * n);
      std::uint32_t given[5] = {};
      for (std::size_t i = 0; i < keys.size(); ++i) {
        const bool in_two = i % n / 4 % 8 / 2 == i / n % 4; // of the last row in the first two lanes again
        keys[i] = 1000 + static_cast<std::uint32_t>(testing::random_bits(small, i) % 1'000'000);
        if (in_two && given[i / n]++ < small && i / n < 4)
          keys[i] %= 900;
      }
      executor::device device({.seed = small, .checks = executor::all_checks});
      check_on(device, keys, 5, 64, std::to_string(small) + " small keys of " + std::to_string(n));
    }
}

/// Candidates of which nearly all fall into one bin, or many.
TEST(DeviceSelect, RowsWithSkewedCandidates) {
  const std::size_t n = 20'000;
  for (const std::uint32_t range : {1u, 30u, 5000u, 0x10000000u}) {
    std::vector<std::uint32_t> keys(2 * n);
    for (std::size_t i = 0; i < keys.size(); ++i)
      keys[i] = 0x80000000u + static_cast<std::uint32_t>(testing::random_bits(range, i) % range);
    keys[n / 3] = 5; // in one of both rows
    for (const std::size_t k : {1u, 100u, 2000u}) {
      executor::device device({.seed = range, .checks = executor::all_checks});
      check_on(device, keys, 2, k, "candidates of " + std::to_string(range) + " values");
    }
  }
}

/// What is sorted are the first bits of images: keys that differ in the last bits alone, beside one that is far away,
/// by the bits that are cut; all of the result's, or those on either side of its end.
TEST(DeviceSelect, ShortRowsThatDifferInTheLastBits) {
  for (const std::size_t n : {200u, 256u, 900u, 1024u})
    for (const std::uint32_t range : {1u, 7u, 600u, 70'000u})
      for (const std::size_t k : testing::a_few<std::size_t>(2, {5, 16, 20, 32, 50, 64})) {
        std::vector<std::uint32_t> keys(4 * n);       // the last row has none that is far away
        for (std::size_t i = 0; i < keys.size(); ++i) // the second row has as many that are far away as there is room
          keys[i] = (i / n == 1 && i % n >= k - 1 ? 0x40000000u : 0x10000000u) +
                    static_cast<std::uint32_t>(testing::random_bits(k, i) % range);
        keys[n / 2] = 3;
        keys[n + n / 2] = 0xf0000000u;
        keys[2 * n + n / 2] = 0xffffffffu;
        executor::device device({.seed = range, .checks = executor::all_checks});
        check_on(device, keys, 4, k, std::to_string(n) + " keys of " + std::to_string(range) + " values");
      }
}

/// Zeros, whose signs do not count, and NaNs have images of their own: rows with and without them, in one warp.
TEST(DeviceSelect, ShortRowsOfUnusualFloats) {
  std::uint64_t seed = 0;
  for (const key_type type : {key_type::f16, key_type::bf16, key_type::f32, key_type::f64})
    for (const char* const workload : {"specials", "nan:0.003", "zeros:0.004", "normal"})
      for (const std::size_t n : {100u, 256u, 1024u}) {
        const auto found = check(top_k_case{.type = type,
                                            .n = n,
                                            .k = std::array{13u, 32u, 64u}[seed % 3],
                                            .rows = 6,
                                            .workload = workload,
                                            .seed = ++seed,
                                            .direction = seed % 2 == 0 ? order::ascending : order::descending,
                                            .carries = payload::indices,
                                            .value_bytes = 4,
                                            .engine = "executor"});
        ASSERT_TRUE(found) << found.complaint;
      }
}

TEST(DeviceSelect, RowsWithAKOfTheirOwn) {
  std::uint64_t seed = 0;
  for (const std::size_t n : testing::a_few<std::size_t>(5, {1, 100, 256, 1000, 1025, 9000, 70'000}))
    for (const std::size_t k :
         {std::size_t{1}, std::min<std::size_t>(n, 20), std::min<std::size_t>(n, 64), (n + 1) / 2, n})
      for (const payload carries : {payload::none, payload::indices, payload::values}) {
        const auto found = check(top_k_case{.type = std::array{key_type::f32, key_type::u64, key_type::i8}[++seed % 3],
                                            .n = n,
                                            .k = k,
                                            .rows = 5,
                                            .gap = seed % 3,
                                            .workload = seed % 2 == 0 ? "few" : "uniform",
                                            .seed = seed,
                                            .carries = carries,
                                            .value_bytes = carries == payload::none ? 0u : 8u,
                                            .engine = "executor",
                                            .own_workspace = true,
                                            .row_k = testing::random_row_k(seed, 5, k),
                                            .row_k_bytes = seed % 2 == 0 ? 4u : 8u});
        ASSERT_TRUE(found) << found.complaint;
      }
}

TEST(DeviceSelect, OneRowWithAKOfItsOwn) {
  for (const std::size_t n : {1000u, 40'000u, 120'000u})
    for (const std::size_t k : {std::size_t{40}, n / 4, n - 1})
      for (const std::uint64_t wanted : testing::a_few<std::uint64_t>(2, {0, k / 2, 1, k, 2 * k})) {
        executor::device device({.seed = wanted + 1, .checks = executor::all_checks});
        check_on(device, testing::make_keys<std::uint32_t>(k % 2 == 0 ? "few:30" : "uniform", n, k), 1, k,
                 std::to_string(wanted) + " of " + std::to_string(k) + " of " + std::to_string(n), {wanted});
      }
}

TEST(DeviceSelect, RandomSegmentsOnTheExecutor) {
  const std::uint64_t cases = testing::unless_short(240, 60);
  for (std::uint64_t seed = 0; seed < cases; ++seed) {
    const auto found = check(testing::random_segmented_top_k(seed, "executor", seed % 10 == 0 ? 100'000 : 8000));
    ASSERT_TRUE(found) << found.complaint;
  }
}

/// Segments whose lengths ask for each way of a block: all keys are candidates, a sample, and one that is misled.
TEST(DeviceSelect, SegmentsOfABlock) {
  const unsigned schedules = testing::unless_short(6, 2);
  for (unsigned seed = 1; seed <= schedules; ++seed)
    for (const char* const workload : {"uniform", "few:5", "equal"})
      for (const std::size_t k : {1u, 300u, 8192u}) {
        const std::vector<std::uint64_t> offsets{0, 0, 5, 1000, 1000, 3000, 12'000, 82'000, 82'001};
        const std::size_t n = offsets.back(), count = offsets.size() - 1;
        const auto keys = testing::make_keys<std::uint32_t>(workload, n, seed);
        guarded_buffer out(count * k * 4), positions(count * k * 8);
        const guarded_buffer before = guarded_buffer::copy_of(positions.data(), positions.size());
        const segmented_top_k_request request{{.type = key_type::u32,
                                               .n = n,
                                               .k = k,
                                               .keys_in = keys.data(),
                                               .keys_out = out.data(),
                                               .carries = payload::indices,
                                               .value_bytes = 8,
                                               .values_out = positions.data()},
                                              segments::by_offsets(offsets)};
        const gpu::device_select select(request, {}, gpu::any_device);
        EXPECT_EQ(select.workspace_bytes(), 0u); // a block a segment
        executor::device device({.seed = seed, .checks = executor::all_checks});
        select.launch(simt::queue::executor(device), nullptr);
        ASSERT_EQ(out.damage() + positions.damage(), "");
        for (std::size_t i = 0; i < count; ++i) {
          const std::size_t begin = offsets[i], length = offsets[i + 1] - begin, results = std::min(k, length);
          const auto order = testing::stable_order({key_type::u32}, keys.data() + begin, length);
          for (std::size_t j = 0; j < results; ++j)
            ASSERT_EQ(positions.as<std::uint64_t>()[i * k + j], order[j])
                << workload << ", k = " << k << ", segment " << i << ", place " << j << ", seed " << seed;
          const std::size_t behind = (i * k + results) * 8;
          ASSERT_EQ(std::memcmp(positions.data() + behind, before.data() + behind, (k - results) * 8), 0);
        }
      }
}

/// Offsets that only the device reads: an end before its beginning makes an empty segment, what reaches beyond the
/// array is cut off.
TEST(DeviceSelect, SegmentsThatAreNone) {
  const std::vector<std::uint32_t> keys{9, 4, 6, 1, 8, 7, 3, 2};
  for (const std::size_t copies : {1u, 200u}) { // short ones on average, and of the length for a block each
    std::vector<std::uint32_t> all;
    for (std::size_t i = 0; i < copies; ++i)
      all.insert(all.end(), keys.begin(), keys.end());
    const auto n = static_cast<std::uint32_t>(all.size());
    const std::vector<std::uint32_t> begins{2, 6, 5, n + 100}, ends{5, 3, n + 7, n + 300};
    guarded_buffer out(4 * 2 * 4);
    const guarded_buffer before = guarded_buffer::copy_of(out.data(), out.size());
    const segmented_top_k_request request{
        {.type = key_type::u32, .n = n, .k = 2, .keys_in = all.data(), .keys_out = out.data()},
        segments::by_ranges(begins, ends)};
    const gpu::device_select select(request, {}, gpu::any_device);
    guarded_buffer workspace(select.workspace_bytes(), 0, 99);
    EXPECT_EQ(workspace.size() == 0, copies > 1);
    executor::device device({.seed = 1, .checks = executor::all_checks});
    select.launch(simt::queue::executor(device), workspace.data());
    ASSERT_EQ(out.damage() + workspace.damage(), "");
    const auto found = out.as<std::uint32_t>();
    EXPECT_EQ(found[0], 1u); // 6 1 8
    EXPECT_EQ(found[1], 6u);
    EXPECT_EQ(std::memcmp(out.data() + 8, before.data() + 8, 8), 0); // from 6 to 3
    EXPECT_EQ(found[4], copies > 1 ? 1u : 2u);                       // 7 3 2 and what follows
    EXPECT_EQ(found[5], copies > 1 ? 1u : 3u);
    EXPECT_EQ(std::memcmp(out.data() + 24, before.data() + 24, 8), 0); // beyond the end
  }
}

/// What a sort of them leaves is unspecified, and may name places behind a segment's end: nothing outside the arrays is
/// read or written.
TEST(DeviceSelect, SegmentsThatOverlapStayWithinTheArrays) {
  std::vector<std::uint32_t> keys(100);
  std::iota(keys.begin(), keys.end(), 0u);
  const std::vector<std::uint64_t> values(keys.begin(), keys.end());
  const std::vector<std::uint32_t> offsets{0, 100, 90, 100}; // the second one ends before it begins
  const std::size_t k = 10, results = (offsets.size() - 1) * k;
  for (const bool rising : {true, false})
    for (unsigned seed = 1; seed <= 4; ++seed) {
      guarded_buffer out(results * 4), moved(results * 8);
      const guarded_buffer before = guarded_buffer::copy_of(moved.data(), moved.size());
      const segmented_top_k_request request{{.type = key_type::u32,
                                             .n = keys.size(),
                                             .k = k,
                                             .keys_in = keys.data(),
                                             .keys_out = out.data(),
                                             .carries = payload::values,
                                             .value_bytes = 8,
                                             .values_in = values.data(),
                                             .values_out = moved.data()},
                                            segments::by_offsets(offsets)};
      const gpu::device_select select(request, {.order = rising ? order::ascending : order::descending},
                                      gpu::any_device);
      guarded_buffer workspace(select.workspace_bytes(), 0, 99);
      ASSERT_NE(workspace.size(), 0u); // a sort
      executor::device device({.seed = seed, .checks = executor::all_checks});
      ASSERT_NO_THROW(select.launch(simt::queue::executor(device), workspace.data())) << seed;
      ASSERT_EQ(out.damage() + moved.damage() + workspace.damage(), "");
      EXPECT_EQ(std::memcmp(moved.data() + k * 8, before.data() + k * 8, k * 8), 0); // of the empty one
    }
}

TEST(DeviceSelect, UnderManySchedules) {
  const unsigned schedules = testing::unless_short(16, 4);
  for (unsigned seed = 1; seed <= schedules; ++seed) {
    executor::device device({.seed = seed, .checks = executor::all_checks});
    const char* const workload = seed % 3 == 0 ? "few:5" : seed % 3 == 1 ? "uniform" : "sorted";
    const std::string text = std::string(workload) + ", SORTILE_EXECUTOR_SEED=" + std::to_string(seed);
    check_on(device, testing::make_keys<std::uint32_t>(workload, 70'000, seed), 1, 300, "filter " + text);
    check_on(device, testing::make_keys<std::uint32_t>(workload, 3 * 3000, seed), 3, 40, "rows " + text);
    check_on(device, testing::make_keys<std::uint32_t>(workload, 7 * 300, seed), 7, 20, "short rows " + text);
    check_on(device, testing::make_keys<std::uint32_t>(workload, 7 * 250, seed), 7, 40, "shorter rows " + text);
    check_on(device, testing::make_keys<std::uint32_t>(workload, 4 * 9000, seed), 4, 40, "rows with a k " + text,
             testing::random_row_k(seed, 4, 40));
    check_on(device, testing::make_keys<std::uint32_t>(workload, 7 * 250, seed), 7, 40, "short rows with a k " + text,
             testing::random_row_k(seed, 7, 40));
  }
}

/// Keys of which the sample says the opposite of the truth. Where the samples look follows from n alone: all keys
/// but those of one residue are made to agree with them, so that they are wrong for any places.
TEST(DeviceSelect, SamplesThatMislead) {
  const std::size_t n = 80'000;
  // The places at which a filter of n keys looks: keys that are their own positions tell, by a pivot of each rank.
  std::vector<std::uint32_t> keys(n);
  for (const bool low : {false, true})
    for (const std::size_t k : {1u, 900u, 20'000u}) {
      const std::size_t m = kernels::filter_sample::of(4, n, k).keys();
      for (std::size_t i = 0; i < n; ++i)
        keys[i] = 1000 + static_cast<std::uint32_t>(testing::random_bits(3, i) % 5000);
      for (std::size_t i = 0; i < m; ++i)
        keys[kernels::sample_place(i, m, n)] =
            low ? static_cast<std::uint32_t>(i % 3) : 0xffff0000u + static_cast<std::uint32_t>(i);
      for (unsigned seed = 1; seed <= 3; ++seed) {
        executor::device device({.seed = seed, .checks = executor::all_checks});
        check_on(device, keys, 1, k, std::string(low ? "low" : "high") + " sample, k = " + std::to_string(k));
      }
    }
}

/// Candidates ranked by comparison with all: more of them than shared storage holds, several rows of 32 a block, images
/// that are equal, fewer than k below the pivot. Many results are sorted by launches of their own.
TEST(DeviceSelect, CandidatesAreRanked) {
  const std::size_t n = 120'000;
  unsigned seed = 0;
  for (const char* const workload : {"uniform", "range:3000", "sorted", "few:40"})
    for (const std::size_t k : testing::a_few<std::size_t>(2, {31, 9000, 3000})) {
      ASSERT_TRUE(kernels::filter_finishes(4, n, k));
      executor::device device({.seed = ++seed, .checks = executor::all_checks});
      check_on(device, testing::make_keys<std::uint32_t>(workload, n, seed), 1, k,
               workload + std::string(", k = ") + std::to_string(k));
    }
  EXPECT_FALSE(kernels::filter_finishes(4, n, 40'000));
}

/// Of many results, which are sorted, a sample is not made larger for what it costs more than the candidates that it
/// saves; of few it is.
TEST(DeviceSelect, SamplesAreWorthTheirCandidates) {
  const auto many = kernels::filter_sample::of(4, 1u << 24, 65'536),
             few = kernels::filter_sample::of(4, 1u << 24, 1024);
  EXPECT_LE(many.keys(), 1u << 17);
  EXPECT_LE(many.expected, 85'000u);
  EXPECT_LE(many.capacity, 100'000u);
  EXPECT_GE(few.keys(), 1u << 17);
  EXPECT_LE(few.expected, 4000u);
}

/// Room for the candidates of a sample of as many groups as there can be, the least of any number of keys in each.
std::uint64_t least_room(std::size_t key_bytes, std::uint64_t n, std::uint64_t k) {
  const std::uint64_t most = kernels::detail::filter_shape::most_groups(key_bytes);
  const std::uint64_t groups =
      k <= 8192 ? std::clamp<std::uint64_t>(n / 4096, 1024, most / 2) : std::clamp<std::uint64_t>(n / 256, 1024, most);
  std::uint64_t least = n;
  for (std::uint64_t m = groups; m <= std::max(groups, std::min(n / 32, 32 * groups)); m *= 2)
    if (const std::uint64_t rank = primitives::sample_rank_behind(k, n, m); m == groups || rank < groups)
      least = std::min(least, primitives::most_between(primitives::rank_of_smallest(rank, groups, m / groups), n, m));
  return std::max(k, least);
}

/// A sample that costs less takes little more room, and never so much that all keys are sorted in place of a filter.
TEST(DeviceSelect, CheaperSamplesTakeLittleRoom) {
  for (const std::size_t width : {1u, 4u, 8u, 16u})
    for (const std::uint64_t n : {70'000u, 300'000u, 1'000'000u, 1u << 20, 1u << 24, 1u << 28})
      for (std::uint64_t k = 1; k < n; k += k / 50 + 1) {
        const std::uint64_t least = least_room(width, n, k), room = kernels::filter_sample::of(width, n, k).capacity;
        ASSERT_LE(room, least + least * 3 / 20) << "n = " << n << ", k = " << k;
        ASSERT_EQ(kernels::filter_sample::of(width, n, k).is_worth_it(n), least < n / 2)
            << "n = " << n << ", k = " << k;
      }
  EXPECT_TRUE(kernels::filter_sample::of(4, 1'000'000, 399'583).is_worth_it(1'000'000)); // at the border
  EXPECT_TRUE(kernels::filter_sample::of(4, 300'000, 97'268).is_worth_it(300'000));
}

/// Of u32 keys with positions of 32 bits, on an H100.
TEST(DeviceSelect, WorkspaceOfManyResults) {
  const auto workspace_of = [](std::size_t n, std::size_t k) {
    const top_k_request r{.n = n, .k = k, .carries = payload::indices, .value_bytes = 4};
    return gpu::device_select(r, {}, {.architecture = 90, .multiprocessors = 132}).workspace_bytes();
  };
  EXPECT_LE(workspace_of(1u << 20, 100'000), 4'700'000u);
  EXPECT_LE(workspace_of(1u << 24, 16'385), 970'000u);
  EXPECT_LE(workspace_of(1u << 24, 65'536), 3'100'000u);
  EXPECT_LE(workspace_of(1u << 28, 16'385), 2'200'000u);
}

/// However an array is arranged, the smallest keys of the sample fall into different groups: the pivot stays so low
/// that the candidates have room, and no fallback reads the array again.
TEST(DeviceSelect, ArrangementsDoNotMisleadTheSample) {
  const std::size_t n = 36 * 16'384, k = 50;
  const auto sample = kernels::filter_sample::of(4, n, k);
  ASSERT_EQ(sample.keys(), 16'384u); // all parts of the array are as long, so that teeth can agree with them
  ASSERT_GT(sample.each, 1u);
  for (const std::string workload : {"uniform", "sorted", "reversed", "teeth"}) {
    auto keys = testing::make_keys<std::uint32_t>(workload == "teeth" ? "uniform" : workload, n, 3);
    if (workload == "teeth") // as many rising parts as a group has keys
      for (std::size_t i = 0; i < n; ++i)
        keys[i] = static_cast<std::uint32_t>(i % (n / sample.each) * sample.each + i / (n / sample.each));
    executor::device device({.seed = 1, .checks = executor::check::counters});
    check_on(device, keys, 1, k, workload);
    EXPECT_EQ(device.counted().grid_barriers, 0u) << workload; // a fallback has some
  }
}

TEST(DeviceSelect, RowsWhoseSamplesMislead) {
  const std::uint32_t n = 9000, m = 1024;
  ASSERT_EQ(kernels::detail::select_rows_sample::of(4, n, 5).of_row.keys(), m);
  for (const bool low : {false, true}) {
    std::vector<std::uint32_t> keys(n);
    for (std::uint32_t i = 0; i < n; ++i)
      keys[i] = 1000 + i % 100;
    for (std::uint32_t i = 0; i < m; ++i)
      keys[kernels::sample_place(i, m, n)] = low ? i % 2 : 0xfffffff0u;
    for (const std::size_t k : {5u, 1000u}) {
      executor::device device({.seed = 5, .checks = executor::all_checks});
      check_on(device, keys, 1, k, low ? "a low sample" : "a high sample");
    }
  }
}

TEST(DeviceGroups, RandomCasesOnTheExecutor) {
  const std::uint64_t cases = testing::unless_short(200, 50);
  for (std::uint64_t seed = 0; seed < cases; ++seed) {
    const auto found =
        testing::check_groups(testing::random_top_k(seed, "executor", seed % 10 == 0 ? 60'000 : 10'000),
                              seed % 2 == 0 ? 4 : 8, static_cast<unsigned>(testing::random_bits(seed, 99) % 64));
    ASSERT_TRUE(found) << found.complaint;
  }
}

TEST(DeviceGroups, UnderManySchedules) {
  const std::size_t n = 9000; // three tiles
  const unsigned schedules = testing::unless_short(12, 4);
  for (unsigned seed = 1; seed <= schedules; ++seed) {
    const auto keys = testing::make_keys<std::uint32_t>(seed % 2 == 0 ? "few:300" : "equal", n, seed);
    guarded_buffer counts(n * 4), inverse(n * 4), found(8);
    const groups_request request{.type = key_type::u32,
                                 .n = n,
                                 .keys = keys.data(),
                                 .index_bytes = 4,
                                 .counts = counts.data(),
                                 .inverse = inverse.data(),
                                 .device_groups = found.as<std::uint64_t>().data()};
    const gpu::device_groups groups(request, {}, {});
    guarded_buffer workspace(groups.workspace_bytes(), 0, 99);
    executor::device device({.seed = seed, .checks = executor::all_checks});
    groups.launch(simt::queue::executor(device), workspace.data());
    ASSERT_EQ(counts.damage() + inverse.damage() + found.damage() + workspace.damage(), "");
    std::vector<std::uint32_t> wanted_counts(n), wanted_inverse(n);
    const std::size_t wanted = run(groups_request{.type = key_type::u32,
                                                  .n = n,
                                                  .keys = keys.data(),
                                                  .index_bytes = 4,
                                                  .counts = wanted_counts.data(),
                                                  .inverse = wanted_inverse.data()},
                                   {.engine = "cpu"});
    ASSERT_EQ(found.as<std::uint64_t>()[0], wanted) << "SORTILE_EXECUTOR_SEED=" << seed;
    ASSERT_EQ(std::memcmp(inverse.data(), wanted_inverse.data(), n * 4), 0) << "SORTILE_EXECUTOR_SEED=" << seed;
    ASSERT_EQ(std::memcmp(counts.data(), wanted_counts.data(), wanted * 4), 0) << "SORTILE_EXECUTOR_SEED=" << seed;
  }
}

TEST(DeviceSelect, ExplainsItsWays) {
  options opts;
  opts.engine = "executor";
  const auto first_step = [&](std::size_t n, std::size_t k, std::size_t rows) {
    return explain(top_k_request{.type = key_type::u32, .n = n, .k = k, .rows = rows}, opts).steps.front().name;
  };
  EXPECT_EQ(first_step(1'000'000, 100, 1), "sample");
  EXPECT_EQ(first_step(1000, 100, 50), "select");
  EXPECT_EQ(first_step(50'000, 40, 1), "select");
  EXPECT_NE(first_step(1'000'000, 900'000, 1), "sample");
  const auto steps_of_segments = [&](std::size_t n, std::size_t k, std::size_t count) {
    return explain(segmented_top_k_request{{.type = key_type::u32, .n = n, .k = k},
                                           {.form = segment_form::offsets, .count = count}},
                   opts)
        .steps;
  };
  EXPECT_EQ(steps_of_segments(1'000'000, 100, 50).front().name, "select");
  EXPECT_EQ(steps_of_segments(1'000'000, 100, 50'000).back().name, "copy");
  EXPECT_EQ(steps_of_segments(1'000'000, 9000, 50).back().name, "copy");
}

TEST(DeviceSelect, WorkspacesDoNotDependOnTheArrays) {
  options opts;
  opts.engine = "executor";
  for (const std::size_t n : {100'000u, 1'000'000u})
    for (const std::size_t k : {10u, 50'000u})
      EXPECT_LT(workspace_bytes(top_k_request{.type = key_type::u32, .n = n, .k = k}, opts), 40 * n);
}

} // namespace
} // namespace sortile
