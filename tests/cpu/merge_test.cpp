// Merges of sorted runs against the stable order of their concatenation.
#include "cpu/cpu_engine.hpp"
#include "testing/guarded_buffer.hpp"
#include "testing/oracle.hpp"
#include "testing/workloads.hpp"
#include "tests/rising_progress.hpp"
#include "tests/short_tests.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <numeric>
#include <random>

namespace sortile {
namespace {

using testing::guarded_buffer;

// Also where both are empty, and a pointer may be null.
bool same_bytes(const void* a, const void* b, std::size_t count) {
  return count == 0 || std::memcmp(a, b, count) == 0;
}

struct merge_trial {
  key_type type;
  std::vector<std::size_t> lengths;
  std::size_t value_bytes;
  std::string workload;
  options opts;
};

// Keys of all runs one after another, each run sorted; and values that tell their place.
struct prepared_runs {
  std::vector<std::byte> keys, values;
  std::vector<sorted_run> runs;
  std::size_t n = 0;
};

prepared_runs prepare(const merge_trial& t, std::uint64_t seed) {
  prepared_runs r;
  const std::size_t key = key_bytes(t.type);
  for (const std::size_t length : t.lengths) {
    guarded_buffer keys(length * key);
    testing::workload_named(t.workload).fill({t.type, length, seed++}, 0, length, keys.data());
    const auto order = testing::stable_order({t.type, t.opts.order, t.opts.bits}, keys.data(), length);
    const auto sorted = testing::gather(keys.data(), key, order);
    r.keys.insert(r.keys.end(), sorted.begin(), sorted.end());
    r.n += length;
  }
  r.values.resize(r.n * t.value_bytes);
  for (std::size_t i = 0; i < r.n; ++i)
    if (t.value_bytes > 0)
      std::memcpy(r.values.data() + i * t.value_bytes, &i, std::min(sizeof i, t.value_bytes));
  std::size_t at = 0;
  for (const std::size_t length : t.lengths) {
    r.runs.push_back(
        {r.keys.data() + at * key, t.value_bytes > 0 ? r.values.data() + at * t.value_bytes : nullptr, length});
    at += length;
  }
  return r;
}

void check(const merge_trial& t, std::uint64_t seed, unsigned threads) {
  SCOPED_TRACE(std::string(name(t.type)) + " runs=" + std::to_string(t.lengths.size()) + " " + t.workload +
               " value_bytes=" + std::to_string(t.value_bytes) + " seed=" + std::to_string(seed));
  const std::size_t key = key_bytes(t.type);
  const prepared_runs in = prepare(t, seed);
  guarded_buffer keys(in.n * key, key % 64), values(in.n * t.value_bytes, 1);
  cpu::merge({t.type, in.runs, keys.data(), t.value_bytes, values.data()}, t.opts, threads);
  const auto order = testing::stable_order({t.type, t.opts.order, t.opts.bits}, in.keys.data(), in.n);
  const auto wanted_keys = testing::gather(in.keys.data(), key, order);
  ASSERT_TRUE(same_bytes(keys.data(), wanted_keys.data(), wanted_keys.size()));
  const auto wanted_values = testing::gather(in.values.data(), t.value_bytes, order);
  ASSERT_TRUE(same_bytes(values.data(), wanted_values.data(), wanted_values.size()));
  EXPECT_EQ(keys.damage() + values.damage(), "");
}

TEST(Merge, RandomRuns) {
  std::mt19937_64 random(5);
  static constexpr std::size_t sizes[] = {0, 1, 4, 7, 8, 16, 24};
  static constexpr const char* workloads[] = {"uniform", "few", "equal", "zipf", "sorted"};
  for (int i = 0; i < 300 && !::testing::Test::HasFatalFailure(); ++i) {
    merge_trial t{all_key_types[random() % std::size(all_key_types)],
                  {},
                  sizes[random() % std::size(sizes)],
                  workloads[random() % std::size(workloads)],
                  {}};
    for (std::size_t runs = random() % 12; runs > 0; --runs)
      t.lengths.push_back(random() % 4 == 0 ? 0 : random() % 400);
    t.opts.order = random() % 2 == 0 ? order::ascending : order::descending;
    if (random() % 3 == 0)
      t.opts.bits = {key_bits(t.type) / 4, key_bits(t.type) / 2};
    check(t, random(), 1 + static_cast<unsigned>(random() % 3));
  }
}

// The keys of one run are the first and the last of all, so that both ends take from it alone until it is used up.
TEST(Merge, OneRunAroundTheOther) {
  for (std::size_t around = 2; around <= 40; ++around)
    for (const std::uint32_t last : {50u, 100u}) // equal to the inner run's keys, or larger
      for (const bool is_first : {false, true}) {
        std::vector<std::uint32_t> outer(around, last), inner(60, 50);
        std::fill(outer.begin(), outer.begin() + static_cast<std::ptrdiff_t>(around / 2), last == 50u ? 50u : 0u);
        std::vector<std::uint32_t> all = is_first ? outer : inner;
        const auto& second = is_first ? inner : outer;
        const std::size_t first_n = all.size();
        all.insert(all.end(), second.begin(), second.end());
        std::vector<std::uint32_t> places(all.size());
        std::iota(places.begin(), places.end(), 0u);
        const std::vector<sorted_run> runs{{all.data(), places.data(), first_n},
                                           {all.data() + first_n, places.data() + first_n, second.size()}};
        guarded_buffer keys(all.size() * 4), values(all.size() * 4);
        cpu::merge({key_type::u32, runs, keys.data(), 4, values.data()}, {}, 1);
        const auto order = testing::stable_order({key_type::u32, order::ascending, {}}, all.data(), all.size());
        const auto wanted = testing::gather(all.data(), 4, order),
                   wanted_places = testing::gather(places.data(), 4, order);
        ASSERT_TRUE(same_bytes(keys.data(), wanted.data(), wanted.size())) << around << last << is_first;
        ASSERT_TRUE(same_bytes(values.data(), wanted_places.data(), wanted_places.size()))
            << around << last << is_first;
        EXPECT_EQ(keys.damage() + values.damage(), "");
      }
}

TEST(Merge, PiecesOfManyThreads) {
  check({key_type::u32, {60'000, 70'001}, 4, "uniform", {}}, 1, 3);
  check({key_type::f32, {30'000, 0, 40'001, 1, 30'000}, 0, "few", {}}, 2, 2);
  check({key_type::i64, {40'000, 40'000, 40'000}, 8, "equal", {}}, 3, 4);
  check({key_type::u128, {20'000, 50'000, 9'000}, 3, "uniform", {}}, 4, 2);
}

// Nothing but the output is written, and each element comes out once.
void check_out_of_order(key_type type, const std::vector<std::size_t>& lengths, bool falling, const options& opts,
                        unsigned threads) {
  SCOPED_TRACE(std::string(name(type)) + " runs=" + std::to_string(lengths.size()) +
               " falling=" + std::to_string(falling) + " threads=" + std::to_string(threads));
  const std::size_t key = key_bytes(type);
  const std::size_t n = std::accumulate(lengths.begin(), lengths.end(), std::size_t{0});
  guarded_buffer all(n * key);
  testing::workload_named(falling          ? "reversed"
                          : is_float(type) ? "specials"
                                           : "uniform")
      .fill({type, n, 7}, 0, n, all.data());
  std::vector<std::uint32_t> places(n);
  std::iota(places.begin(), places.end(), 0u);
  std::vector<std::vector<std::byte>> apart; // so that a memory checker sees what leaves a run
  std::vector<sorted_run> runs;
  std::size_t at = 0;
  for (const std::size_t length : lengths) {
    apart.emplace_back(all.data() + at * key, all.data() + (at + length) * key);
    runs.push_back({apart.back().data(), places.data() + at, length});
    at += length;
  }
  for (const std::size_t value_bytes : {std::size_t{4}, std::size_t{0}}) {
    guarded_buffer keys(n * key), values(n * value_bytes);
    cpu::merge({type, runs, keys.data(), value_bytes, values.data()}, opts, threads);
    ASSERT_EQ(keys.damage() + values.damage(), "");
    if (value_bytes == 0)
      continue;
    std::vector<std::uint32_t> seen(n);
    std::memcpy(seen.data(), values.data(), n * 4);
    for (const std::uint32_t place : seen)
      ASSERT_LT(place, n);
    for (std::size_t i = 0; i < n; ++i)
      ASSERT_TRUE(same_bytes(keys.data() + i * key, all.data() + seen[i] * key, key)) << i;
    std::sort(seen.begin(), seen.end());
    ASSERT_EQ(seen, places);
  }
}

TEST(Merge, OfRunsThatAreNotInOrderStaysWithinTheArrays) {
  testing::one_in taken(5);
  const std::vector<std::vector<std::size_t>> shapes = {{5, 4},         {50, 50},         {500, 300},
                                                        {40, 1, 0, 70}, {60'000, 70'001}, {30'000, 5, 20'000, 40'000}};
  for (const key_type type : all_key_types)
    for (const std::vector<std::size_t>& lengths : shapes)
      for (const bool falling : {false, true}) {
        if (!taken())
          continue;
        check_out_of_order(type, lengths, falling, {}, 1);
        check_out_of_order(type, lengths, falling, {.order = order::descending}, 3);
      }
}

TEST(Merge, ReportsProgressAndCancels) {
  const merge_trial t{key_type::u32, {100'000, 100'000}, 0, "uniform", {}};
  const prepared_runs in = prepare(t, 9);
  guarded_buffer keys(in.n * 4);
  testing::rising_progress progress;
  options opts;
  opts.progress = progress.callback();
  cpu::merge({t.type, in.runs, keys.data(), 0, nullptr}, opts, 2);
  EXPECT_EQ(progress.last(), 1.0);
  opts.progress = [](double) { return false; };
  EXPECT_THROW(cpu::merge({t.type, in.runs, keys.data(), 0, nullptr}, opts, 2), cancelled);
}

} // namespace
} // namespace sortile
