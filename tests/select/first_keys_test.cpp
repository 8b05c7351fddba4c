// The first few of many keys, which one read against a falling bound finds: every type, order and payload by every
// instruction set, orders of keys that let each of them pass the bound, samples that mislead, threads whose finds are
// merged, and calls that are cancelled.
#include "cpu/radix_job.hpp"
#include "cpu/select_layout.hpp"
#include "tests/select/in_place_case.hpp"
#include "tests/select/told_steps.hpp"
#include "tests/short_tests.hpp"

#include "testing/workloads.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <numeric>

namespace sortile {
namespace {

using testing::check;
using testing::top_k_case;

constexpr std::size_t least_keys = cpu::first_search_layout::least_keys;

void expect_first(const top_k_case& c) {
  const auto first = check(c);
  EXPECT_TRUE(first) << first.complaint;
  if (c.rows > 1)
    return;
  top_k_case in_place = c;
  if (c.carries == payload::indices)
    in_place.carries = payload::none;
  const auto moved = testing::check_partial_sort(in_place);
  EXPECT_TRUE(moved) << moved.complaint;
}

/// Lengths at which the ways part: the shortest, chunks that are not whole, on the stack and beyond.
struct lengths {
  std::size_t n, k;
};
constexpr lengths all_lengths[] = {{least_keys, 1}, {least_keys + 1, 16}, {1003, 10},    {4096, 128},  {4161, 130},
                                   {65'537, 2048},  {16'385, 1},          {20'011, 100}, {70'001, 300}};

TEST(FirstKeys, OfEveryTypeByEveryInstructionSet) {
  const cpu::radix_tuning before = cpu::tuning();
  testing::one_in some(7);
  std::uint64_t seed = 0;
  for (const cpu::instruction_set set : cpu::all_instruction_sets) {
    if (!cpu::has(set))
      continue;
    cpu::tuning().widest = set;
    for (const key_type type : all_key_types)
      for (const char* const workload : {"uniform", "sorted", "reversed", "few:1", "few:3", "nan:0.5", "nan:0.999"})
        for (const lengths& l : all_lengths) {
          ++seed;
          if ((std::strncmp(workload, "nan", 3) == 0 && !is_float(type)) || !some())
            continue;
          const payload carries = static_cast<payload>(seed % 3);
          const std::size_t values[] = {4, 8, 3, 70};
          top_k_case c{.type = type, .n = l.n, .k = l.k, .workload = workload, .seed = seed, .carries = carries};
          c.direction = seed % 2 == 0 ? order::ascending : order::descending;
          c.value_bytes = carries == payload::none      ? 0
                          : carries == payload::indices ? 4 + seed % 2 * 4
                                                        : values[seed % 4];
          c.keys_wanted = carries != payload::indices || seed % 4 < 2;
          if (seed % 5 == 0)
            c.bits = {1, key_bits(type) - 2};
          SCOPED_TRACE(cpu::name(set));
          expect_first(c);
        }
  }
  cpu::tuning() = before;
}

/// Zeros of both signs, infinities and NaNs of both signs around the place of the bound.
TEST(FirstKeys, FloatsAtTheBound) {
  const cpu::radix_tuning before = cpu::tuning();
  const double special[] = {0.0,
                            -0.0,
                            std::numeric_limits<double>::denorm_min(),
                            -std::numeric_limits<double>::denorm_min(),
                            std::numeric_limits<double>::infinity(),
                            -std::numeric_limits<double>::infinity(),
                            std::numeric_limits<double>::quiet_NaN(),
                            -std::numeric_limits<double>::quiet_NaN()};
  constexpr std::size_t n = 3000;
  const auto check_type = [&]<class F>(F, key_type type, std::uint64_t seed, std::size_t used, order direction) {
    std::vector<std::byte> bytes(n * sizeof(F));
    for (std::size_t i = 0; i < n; ++i) {
      const std::uint64_t random = testing::random_bits(seed, i);
      double key = special[(random >> 8) % used + (seed % (9 - used))];
      if (sizeof(F) == 4 && key != 0 && key - key == 0) // the least float
        key = std::copysign(static_cast<double>(std::numeric_limits<float>::denorm_min()), key);
      const auto f = static_cast<F>(key);
      std::memcpy(bytes.data() + i * sizeof(F), &f, sizeof(F));
    }
    for (const std::size_t k : {1u, 100u, 300u}) {
      const auto found = check({.type = type,
                                .n = n,
                                .k = k,
                                .workload = "special floats",
                                .seed = seed,
                                .direction = direction,
                                .carries = payload::indices,
                                .value_bytes = 4},
                               bytes);
      EXPECT_TRUE(found) << found.complaint;
    }
  };
  for (const cpu::instruction_set set : cpu::all_instruction_sets) {
    if (!cpu::has(set))
      continue;
    cpu::tuning().widest = set;
    for (std::uint64_t seed = 0; seed < testing::unless_short(64u, 24u); ++seed)
      for (const order direction : {order::ascending, order::descending}) {
        SCOPED_TRACE(cpu::name(set));
        check_type(float{}, key_type::f32, seed, 1 + seed % 8, direction);
        check_type(double{}, key_type::f64, seed, 1 + seed % 8, direction);
      }
  }
  cpu::tuning() = before;
}

/// The rows that the sample takes hold the only low keys, fewer than are wanted: all others lie above the bound.
TEST(FirstKeys, SamplesThatMislead) {
  constexpr std::size_t n = 200'000, k = 2000, width = 64 / sizeof(std::uint32_t);
  const cpu::first_search_layout::sample sample(sizeof(std::uint32_t), n, k);
  const std::size_t rows = sample.blocks * sample.rows, step = (n - width) / (rows - 1);
  std::vector<std::uint32_t> keys(n);
  for (std::size_t i = 0; i < n; ++i)
    keys[i] = 1'000'000 + static_cast<std::uint32_t>(testing::random_bits(1, i) % 1'000'000);
  for (std::size_t block = 0; block < sample.blocks; ++block)
    for (std::size_t column = 0; column < width; ++column)
      keys[block * step + column] = static_cast<std::uint32_t>(testing::random_bits(2, block * width + column) % 1000);
  ASSERT_LT(sample.blocks * width, k);
  std::vector<std::uint32_t> sorted = keys, first(k);
  std::stable_sort(sorted.begin(), sorted.end());
  for (const unsigned threads : {1u, 2u}) {
    options opts;
    opts.threads = threads;
    opts.progress = [](double) { return true; };
    const auto steps = testing::steps_of([&] { top_k(keys, first, opts); });
    EXPECT_TRUE(testing::names(steps, "fallback"));
    EXPECT_TRUE(std::equal(first.begin(), first.end(), sorted.begin()));
    std::vector<std::uint32_t> moved = keys;
    partial_sort(moved, k, opts);
    EXPECT_TRUE(std::equal(moved.begin(), moved.begin() + k, sorted.begin()));
  }
}

/// What several threads collect from different pieces is merged by position.
TEST(FirstKeys, OfSeveralThreads) {
  testing::one_in some(5);
  std::uint64_t seed = 0;
  for (const key_type type : {key_type::f64, key_type::u128}) // wide ones: what threads share has many bytes
    for (const char* const workload : {"uniform", "reversed", "few:2", "few:200"})
      for (const std::size_t k : {std::size_t{1}, std::size_t{200}, std::size_t{9000}}) {
        if (!some())
          continue;
        const std::size_t n = (std::size_t{7} << 20) / key_bytes(type) + 77;
        ASSERT_GE(cpu::first_search_layout(key_bytes(type), n, k, 3).workers, k < 1000 ? 3u : 2u);
        expect_first({.type = type,
                      .n = n,
                      .k = k,
                      .workload = workload,
                      .seed = ++seed,
                      .direction = seed % 2 == 0 ? order::ascending : order::descending,
                      .carries = payload::values,
                      .value_bytes = 8,
                      .threads = 3});
      }
}

TEST(FirstKeys, OfManyRows) {
  for (const std::size_t n : {least_keys, std::size_t{1000}, std::size_t{5000}})
    for (const payload carries : {payload::none, payload::indices, payload::values})
      expect_first({.type = key_type::f16,
                    .n = n,
                    .k = 20,
                    .rows = 30,
                    .gap = 1,
                    .workload = "nan:0.2",
                    .seed = n,
                    .direction = order::descending,
                    .carries = carries,
                    .value_bytes = carries == payload::none ? 0u : 8u,
                    .threads = 2,
                    .own_workspace = true});
}

/// At whatever report: nothing was written.
TEST(FirstKeys, CancelledCallsHaveWrittenNothing) {
  const std::vector<std::uint64_t> keys = testing::make_keys<std::uint64_t>("uniform", 1'000'000, 3);
  constexpr std::size_t k = 500;
  for (const unsigned threads : {1u, 3u}) {
    bool is_cancelled = true;
    unsigned reports = 0;
    for (unsigned stop = 1; is_cancelled; ++stop) {
      std::vector<std::uint64_t> moved = keys, first(k, 77);
      unsigned told = 0;
      options opts;
      opts.threads = threads;
      opts.progress = [&](double) { return ++told < stop; };
      is_cancelled = false;
      try {
        partial_sort(moved, k, opts);
      } catch (const cancelled&) {
        is_cancelled = true;
        EXPECT_EQ(moved, keys) << "cancelled at report " << stop;
      }
      reports = stop;
      told = 0;
      try {
        top_k(keys, first, opts);
      } catch (const cancelled&) {
        EXPECT_EQ(first, std::vector<std::uint64_t>(k, 77)) << "cancelled at report " << stop;
      }
    }
    EXPECT_GT(reports, 3u) << "progress is told within";
  }
}

} // namespace
} // namespace sortile
