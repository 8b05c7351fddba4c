// The CPU engine's ways with few and with heavy keys: values that are counted, heavy keys that are taken out, chains of
// values; also where samples mislead them.
#include "cpu/chain_sort.hpp"
#include "cpu/split_choice.hpp"
#include "tests/cpu/engine_trials.hpp"

#include <cmath>
#include <numeric>

namespace sortile {
namespace {

using namespace cpu_tests;
using testing::guarded_buffer;

/// What keys of a trial are where samples find them, what instead of "specials" where those are no floats, and what
/// they are elsewhere.
struct named_keys {
  const char *found, *of_integers, *between;
};

/// The trial becomes one of pairs, one in three with a bit window.
void make_pairs(trial& t, random_trials& trials, const named_keys& keys) {
  t.workload = std::string(keys.found) != "specials" || is_float(t.type) ? keys.found : keys.of_integers;
  t.between = keys.between;
  t.bits = trials.below(3) != 0 ? bit_window{} : bit_window{key_bits(t.type) / 4, key_bits(t.type) / 4 * 3};
  if (t.carries == payload::none)
    t.carries = payload::values;
  if (t.carries == payload::indices)
    t.value_bytes = 4 << trials.below(2);
}

// Pairs of heavy keys with and without others, below and above the local limit, in all forms; with others where the
// sample does not look, which are so many that what has been done is undone, and with −0 beside 0.
TEST(CpuFewKeys, PairsBesideHeavyKeys) {
  random_trials trials(23);
  testing::one_in taken(under_thread_sanitizer ? 5 : 1);
  enum class late { nothing, others, minus_zero };
  for (const key_type type : {key_type::u32, key_type::i32, key_type::f32, key_type::u64, key_type::i64, key_type::f64})
    for (const char* workload : {"two-values", "few:7", "few:16", "zeros:0.5", "mostly-equal:0.95", "mostly-equal:0.5",
                                 "range:5", "range:13", "zipf:2"})
      for (const late what : {late::nothing, late::others, late::minus_zero})
        for (const std::size_t local_bytes : {std::size_t{16} << 10, std::size_t{1} << 20}) {
          const small_tuning sizes(local_bytes, std::size_t{1} << 16,
                                   trials.below(2) == 0 ? cpu::instruction_set::avx512 : cpu::instruction_set::avx2);
          trial t = trials.next(1);
          t.type = type;
          t.n = 3000 + trials.below(30'000);
          t.workload = workload;
          t.carries = trials.below(3) == 0 ? payload::indices : payload::values;
          t.value_bytes = 4 << trials.below(2);
          t.bits = {};
          t.limit = 0;
          std::vector<bool> met(t.n);
          for (std::size_t s = 0; s < 3; ++s) // samples of heavy_pairs
            for (std::size_t i = 0; i < 16; ++i)
              for (std::size_t j = 0; j < 4; ++j)
                met[64 * s + cpu::sampled_position(i, 16, t.n - 64 * s - 3) + j] = true;
          if (what != late::nothing)
            t.change = [&, key = key_bytes(type)](std::byte* keys) {
              for (std::size_t i = t.n / 3; i < t.n; i += what == late::others ? 1 + trials.below(3) : 1000) {
                const std::uint64_t other =
                    what == late::others ? trials.below(std::size_t{1} << 40) * 0x9e3779b97f4a7c15 : 0;
                if (met[i])
                  continue;
                std::memcpy(keys + i * key, &other, key);
                if (what == late::minus_zero)
                  keys[(i + 1) * key - 1] = std::byte{0x80};
              }
            };
          if (taken())
            check(t);
          if (::testing::Test::HasFatalFailure())
            return;
        }
}

// Few values in a sample, others (or −0, or NaNs) wherever it does not look: tables that overflow, heavy keys that are
// none, or beside which zeros and NaNs are set aside, and floats that have to be as they were for the sort that takes
// over.
TEST(CpuFewKeys, SamplesThatMislead) {
  random_trials trials(17);
  testing::one_in taken(under_thread_sanitizer ? 5 : 1);
  for (const key_type type : {key_type::u32, key_type::f32, key_type::i64, key_type::f64})
    for (const char* met :
         {"equal", "two-values", "few:16", "few:60", "zeros:1", "range:500", is_float(type) ? "specials" : "few:3"})
      for (const char* between : {"uniform", "few:30", "few:700", "few:5000", "zeros:1", "range:4000",
                                  is_float(type) ? "specials" : "sorted"}) {
        const small_tuning sizes(std::size_t{16} << 10, std::size_t{1} << 14,
                                 trials.below(2) == 0 ? cpu::instruction_set::avx512 : cpu::instruction_set::avx2);
        trial t = trials.next(1);
        t.type = type;
        t.n = 64 * cpu::key_sample<std::uint32_t>::least + trials.below(20'000);
        t.workload = met;
        t.between = between;
        t.carries = payload::none;
        t.keys_wanted = true;
        t.bits = {};
        if (taken())
          check(t);
        if (::testing::Test::HasFatalFailure())
          return;
      }
}

// Heavy keys in long stretches, which may stand where they belong already, and a few others that move them.
TEST(CpuFewKeys, LongStretchesOfHeavyKeys) {
  random_trials trials(23);
  for (const key_type type : {key_type::u32, key_type::i64, key_type::f32})
    for (const std::size_t values : {1u, 2u, 5u})
      for (const std::size_t others : {0u, 1u, 3u, 200u})
        for (const bool ordered : {false, true}) {
          const small_tuning sizes(std::size_t{16} << 10, std::size_t{1} << 14,
                                   trials.below(2) == 0 ? cpu::instruction_set::avx512 : cpu::instruction_set::avx2);
          const std::size_t n = 40'000 + trials.below(30'000), key = key_bytes(type);
          trial t{type,
                  n,
                  "uniform",
                  payload::none,
                  0,
                  trials.below(3) == 0 ? form::out_of_place : form::in_place,
                  true,
                  trials.below(3) == 0 ? order::descending : order::ascending,
                  {},
                  1 + static_cast<unsigned>(trials.below(4)),
                  trials.below(1000)};
          t.change = [&](std::byte* keys) { // the first keys are the values, some of the uniform ones stay
            std::vector<std::byte> value(keys, keys + values * key);
            for (std::size_t i = 0, v = 0; i < n; ++v)
              for (const std::size_t end = ordered ? (v + 1) * n / values : std::min(n, i + 1 + trials.below(9000));
                   i < end; ++i)
                std::memcpy(keys + i * key, value.data() + v % values * key, key);
            for (std::size_t i = 0; i < others; ++i)
              for (std::size_t at = trials.below(n) * key, k = 0; k < key; ++k)
                keys[at + k] ^= std::byte{static_cast<unsigned char>(k + 1 < key ? trials.below(256) : 0)};
          };
          check(t);
          if (::testing::Test::HasFatalFailure())
            return;
        }
}

// Few others, which are met late: on their way they stand in front, where the one value had its place already.
TEST(CpuFewKeys, OthersPassThroughWhatStands) {
  for (const cpu::instruction_set set : {cpu::instruction_set::avx512, cpu::instruction_set::avx2})
    for (const unsigned threads : {1u, 3u})
      for (const std::size_t others : {1u, 2u, 40u, 3000u}) {
        const small_tuning sizes(std::size_t{16} << 10, std::size_t{1} << 14, set);
        trial t{key_type::u32, 60'000,           "equal", payload::none, 0, form::in_place,
                true,          order::ascending, {},      threads,       3};
        t.change = [&](std::byte* keys) {
          for (std::size_t i = 0; i < others; ++i)
            std::memset(keys + (t.n - 1 - 5 * i) * 4, i % 3 == 1 ? 0 : 0xff, 4);
        };
        check(t);
        if (::testing::Test::HasFatalFailure())
          return;
      }
}

// Puts some keys of an array, and their neighbours now and then, into many places of it.
template <class K>
void make_heavy(K* keys, std::size_t n, std::size_t heavies, double share, std::uint64_t seed) {
  std::vector<K> heavy(keys, keys + heavies);
  for (std::size_t i = 0; i < n; ++i) {
    const std::uint64_t bits = testing::random_bits(i, seed);
    if (static_cast<double>(bits >> 32) < share * 0x1p32)
      keys[i] =
          static_cast<K>(heavy[bits % heavies] + static_cast<K>(bits % 4093 == 0) - static_cast<K>(bits % 4091 == 0));
  }
}

// Heavy keys among others, which vectors take out of the blocks that are counted and moved: the least, the greatest and
// any others, alone and together, in every form, with spare arrays and within a limit.
TEST(CpuFewKeys, HeavyKeysAmongOthers) {
  random_trials trials(53);
  for (const key_type type : {key_type::u32, key_type::i32, key_type::f32, key_type::u64, key_type::i64, key_type::f64})
    for (const char* others : {"uniform", "lognormal", "zipf-spread", "zeros:0.3"})
      for (const double share : {0.2, 0.6, 0.95})
        for (const unsigned threads : {1u, 3u}) {
          const small_tuning sizes(std::size_t{2048} << trials.below(4), std::size_t{1} << (10 + trials.below(8)),
                                   cpu::all_instruction_sets[trials.below(3)]);
          trial t = trials.next(1);
          t.type = type;
          t.n = 20'000 + trials.below(20'000);
          t.workload = others;
          t.carries = trials.below(3) != 0 ? payload::values : payload::indices;
          t.value_bytes = t.carries == payload::values && trials.below(6) == 0 ? 16 : 4 << trials.below(2);
          t.bits = trials.below(6) != 0 ? bit_window{} : bit_window{4, key_bits(type)};
          t.threads = threads;
          if (trials.below(3) == 0) {
            t.n += 20'000;
            t.limit = (std::size_t{1200} << 10) + (t.keys_wanted ? 0 : t.n * key_bytes(type));
          }
          const std::size_t heavies = 1 + trials.below(share > 0.5 ? 5 : 2), n = t.n;
          const std::uint64_t seed = t.seed;
          t.change = [=](std::byte* keys) {
            key_bytes(type) == 4 ? make_heavy(reinterpret_cast<std::uint32_t*>(keys), n, heavies, share, seed)
                                 : make_heavy(reinterpret_cast<std::uint64_t*>(keys), n, heavies, share, seed);
          };
          check(t);
        }
}

// The same of so few pairs that a partition within a limit has room for them beside the array, in a cache; apart, and
// in place.
TEST(CpuFewKeys, HeavyKeysWithinACache) {
  random_trials trials(59);
  for (const key_type type : {key_type::u32, key_type::f32, key_type::u64, key_type::i64})
    for (const cpu::instruction_set set : cpu::all_instruction_sets)
      for (const char* others : {"uniform", "zipf-spread", "sorted"})
        for (const std::size_t value_bytes : {4u, 8u}) {
          const small_tuning sizes(std::size_t{768} << 10, std::size_t{512} << 10, set);
          trial t = trials.next(1);
          const std::size_t pair = key_bytes(type) + value_bytes;
          t.type = type;
          t.workload = others;
          t.carries = trials.below(3) != 0 ? payload::values : payload::indices;
          t.value_bytes = value_bytes;
          t.n = (std::size_t{768} << 10) / pair + 1 + trials.below((std::size_t{256} << 10) / pair);
          t.threads = 1;
          t.keys_wanted = true;
          t.how = static_cast<form>(trials.below(2));
          t.bits = {};
          t.limit = std::size_t{2} << 20;
          EXPECT_GT(plan_of(t).workspace_bytes, t.limit);
          const std::size_t n = t.n;
          const std::uint64_t seed = t.seed;
          t.change = [=](std::byte* keys) {
            key_bytes(type) == 4 ? make_heavy(reinterpret_cast<std::uint32_t*>(keys), n, 2, 0.6, seed)
                                 : make_heavy(reinterpret_cast<std::uint64_t*>(keys), n, 2, 0.6, seed);
          };
          check(t);
          if (::testing::Test::HasFatalFailure())
            return;
        }
}

// Which keys are taken out: those that fill an eighth of the sample, where vectors can.
TEST(CpuFewKeys, HeavyKeysAreTakenOut) {
  constexpr std::size_t n = 100'000;
  for (const bool has_zeros : {false, true})
    for (const bool others_are_even : {false, true}) {
      std::vector<std::uint64_t> keys(n);
      for (std::size_t i = 0; i < n; ++i) {
        const std::uint64_t bits = testing::random_bits(i, 3),
                            more = testing::random_bits(i, 4) & testing::random_bits(i, 5);
        keys[i] = bits % 10 < 3     ? (has_zeros ? 0 : std::uint64_t{1} << 60)
                  : bits % 10 < 5   ? 12345
                  : others_are_even ? bits
                                    : bits & more;
      }
      const cpu::key_image<std::uint64_t> image(key_type::i64, order::descending, {});
      const cpu::radix_layout layout(8, 8, n, 1);
      for (const cpu::instruction_set set : cpu::all_instruction_sets) {
        const small_tuning sizes(8192, 4096, set);
        cpu::splitter_tree<std::uint64_t> tree;
        const auto split = cpu::split_choice<std::uint64_t>(layout, image, 8).guess(keys.data(), n, tree);
        if (!cpu::uses(cpu::instruction_set::avx2)) {
          EXPECT_EQ(tree.heavy_keys, 0u);
          continue;
        }
        // A splitter's number of 32 bits tells 64-bit keys apart near the heaviest one alone.
        ASSERT_EQ(split.tree, &tree);
        ASSERT_EQ(tree.has_map(), others_are_even);
        ASSERT_EQ(tree.heavy_keys, has_zeros || others_are_even ? 2u : 1u);
        for (std::size_t h = 0; h < tree.heavy_keys; ++h) {
          EXPECT_TRUE(split.is_of_equals(tree.heavy_bucket[h]));
          EXPECT_TRUE(tree.heavy[h] == 12345 || tree.heavy[h] == (has_zeros ? 0 : std::uint64_t{1} << 60));
        }
        cpu::splitter_tree<std::uint64_t> wide;
        cpu::split_choice<std::uint64_t>(layout, image, 16).guess(keys.data(), n, wide);
        EXPECT_EQ(wide.heavy_keys, 0u);
        const cpu::in_place_layout within(8, 8, n, 1, std::size_t{4} << 20);
        cpu::splitter_tree<std::uint64_t> few;
        const auto in_place = cpu::split_choice<std::uint64_t>(within, 8, image, 8)
                                  .final_in_place(keys.data(), n, {}, ~std::uint64_t{0}, few);
        ASSERT_EQ(in_place.tree, &few);
        EXPECT_LE(in_place.buckets(), 256u);
        EXPECT_EQ(few.heavy_keys, tree.heavy_keys);
      }
    }
}

// Pairs whose keys have few values: all types and widths, values that the sample does not meet, keys with one image but
// other bits (zeros, NaNs, bit windows), blocks of every alignment.
TEST(CpuFewKeys, PairsOfFewValues) {
  random_trials trials(37);
  testing::one_in taken(under_thread_sanitizer ? 5 : 1);
  for (const key_type type : all_key_types)
    for (const char* workload :
         {"equal", "two-values", "few:3", "few:16", "few:30", "few:200", "few:2500", "zipf", "specials"})
      for (const char* between : {"", "few:5", "few:300", "uniform"}) {
        const small_tuning sizes(std::size_t{2048} << trials.below(7), std::size_t{1} << (10 + trials.below(6)),
                                 cpu::all_instruction_sets[trials.below(3)]);
        trial t = trials.next(1);
        t.type = type;
        t.n = 600 + trials.below(30'000);
        make_pairs(t, trials, {workload, "equal", between});
        if (taken())
          check(t);
      }
}

// How many values an array has is told by those that come twice in a sample: of patterns too, of which samples at
// distances that lie evenly see too many. Where none comes twice there may be any number.
TEST(CpuFewKeys, WhatSamplesSayOfValues) {
  const auto sampled = [](const char* workload, std::size_t n) {
    std::vector<std::uint32_t> keys(n);
    testing::workload_named(workload).fill({key_type::u32, n, 1}, 0, n, keys.data());
    return cpu::value_frequencies<std::uint32_t>(
        cpu::key_sample<std::uint32_t>(keys.data(), n, cpu::key_image<std::uint32_t>(key_type::u32, {}, {})));
  };
  for (const std::size_t n : {std::size_t{1'000'000}, std::size_t{2'000'000}})
    for (const char* workload : {"few:1000", "sawtooth:1000", "root-dup"}) {
      const auto found = sampled(workload, n);
      EXPECT_TRUE(found.are_few(4096)) << workload << ", " << found.about();
      EXPECT_GE(found.about(), 700u) << workload;
    }
  for (const char* workload : {"mostly-equal:0.95", "zeros:0.5", "uniform"})
    EXPECT_FALSE(sampled(workload, 100'000).are_few(4096)) << workload;
}

// Few values are not moved by digits, and what chains cannot sort is left as it was.
TEST(CpuFewKeys, ChainsOfFewValues) {
  constexpr std::size_t n = under_thread_sanitizer ? 80'000 : 200'000;
  for (const unsigned threads : {1u, 2u, 5u})
    for (const bool has_both_zeros : {false, true})
      // The longer equal keys stand together, the farther a run of them reaches beyond what is collected.
      for (const auto& [different, together] : {std::pair{2u, 1u}, {3u, 1u}, {16u, 1u}, {30u, 23u}, {250u, 1u}}) {
        if (under_thread_sanitizer && threads == 1)
          continue;
        std::vector<float> keys(n);
        std::vector<std::uint32_t> values(n);
        for (std::size_t i = 0; i < n; ++i) {
          keys[i] = static_cast<float>(testing::random_bits(i / together, 5) % different) * 1.5F;
          values[i] = static_cast<std::uint32_t>(i);
        }
        keys[n / 2 + 1] = has_both_zeros ? -0.0F : 0.0F;
        const std::vector<float> before = keys;
        cpu::radix_job job{.type = key_type::f32, .n = n, .value_width = 4};
        const cpu::radix_layout layout(4, 4, n, threads);
        std::vector<std::uint32_t> spare_keys(n), spare_values(n);
        guarded_buffer scratch(layout.bytes, 0, 1);
        progress_meter progress(nullptr, 4 * n);
        job.keys_in = job.keys_out = keys.data();
        job.values_in = job.values_out = values.data();
        job.spare_keys = spare_keys.data(), job.spare_values = spare_values.data();
        job.threads = threads, job.progress = &progress, job.scratch = scratch.data();
        const cpu::lanes<std::uint32_t> result{reinterpret_cast<std::uint32_t*>(keys.data()),
                                               reinterpret_cast<std::byte*>(values.data()), 4},
            spare{spare_keys.data(), reinterpret_cast<std::byte*>(spare_values.data()), 4};
        const bool sorted =
            cpu::chain_sorter<std::uint32_t>(job, layout, {job.type, order::ascending, {}}, result, spare).run();
        EXPECT_EQ(scratch.damage(), "");
        ASSERT_EQ(sorted, !has_both_zeros) << different;
        for (std::size_t i = 0; i < n; ++i) {
          ASSERT_EQ(std::bit_cast<std::uint32_t>(keys[i]), std::bit_cast<std::uint32_t>(before[values[i]]));
          ASSERT_TRUE(!sorted || i == 0 || keys[i - 1] < keys[i] ||
                      (keys[i - 1] == keys[i] && values[i - 1] < values[i]))
              << i;
        }
      }
}

// The same of few pairs, within the scratch of a local sort: few values, and more of them than there is room for.
TEST(CpuFewKeys, ChainsWithinALocalSort) {
  for (const std::size_t n : {2048u, 5000u, 16'384u, 90'000u})
    for (const std::size_t different : {2u, 5u, 30u, 250u}) {
      std::vector<std::uint64_t> keys(n);
      std::vector<std::uint32_t> values(n);
      for (std::size_t i = 0; i < n; ++i) {
        keys[i] = testing::random_bits(i, 5) % different << 40;
        values[i] = static_cast<std::uint32_t>(i);
      }
      cpu::radix_job job{.type = key_type::u64, .n = n, .value_width = 4};
      const std::size_t lane_keys = (n + 63) / 64 * 64;
      guarded_buffer scratch(sizeof(std::uint32_t) * cpu::max_local_digits * cpu::max_buckets + 3 * lane_keys * 12, 0,
                             1);
      progress_meter progress(nullptr, 4 * n);
      job.keys_in = job.keys_out = keys.data();
      job.values_in = job.values_out = values.data();
      job.progress = &progress, job.scratch = scratch.data();
      const cpu::lanes<std::uint64_t> result{keys.data(), reinterpret_cast<std::byte*>(values.data()), 4};
      const std::vector<std::uint64_t> before = keys;
      const bool sorted =
          cpu::chain_sorter<std::uint64_t>(job, cpu::local_scratch<std::uint64_t>(scratch.data(), lane_keys, 4),
                                           {job.type, order::ascending, {}}, result)
              .run();
      EXPECT_EQ(scratch.damage(), "");
      EXPECT_TRUE(sorted || different >= 30) << n << ", " << different;
      for (std::size_t i = 0; i < n; ++i) {
        ASSERT_EQ(keys[i], before[values[i]]);
        ASSERT_TRUE(!sorted || i == 0 || keys[i - 1] < keys[i] || (keys[i - 1] == keys[i] && values[i - 1] < values[i]))
            << i;
      }
    }
}

// Requests of about as many pairs as a local sort takes: the sample may have seen all values, or few of them.
TEST(CpuFewKeys, FewPairsOfFewValues) {
  random_trials trials(41);
  testing::one_in taken(under_thread_sanitizer ? 5 : 1);
  for (const key_type type : all_key_types)
    for (const char* workload : {"two-values", "few:5", "few:30", "few:200", "mostly-equal", "specials"})
      for (const char* between : {"", "few:300", "uniform"}) {
        trial t = trials.next(1);
        t.type = type;
        t.n = 2000 + trials.below(trials.below(2) == 0 ? 3000 : 60'000);
        make_pairs(t, trials, {workload, "few:3", between});
        if (taken())
          check(t);
      }
}

// The same without spare arrays, over keys that have been read, or where keys are not to be kept: what is given up,
// since a −0 comes or too many values do, has all pairs in the result, in an order that sorts as that of the input.
TEST(CpuFewKeys, ChainsOverReadKeys) {
  constexpr std::size_t n = under_thread_sanitizer ? 80'000 : 200'000;
  enum class late { nothing, minus_zero, strangers };
  testing::one_in taken_now(5);
  for (const unsigned threads : {1u, 2u, 5u})
    for (const late met : {late::nothing, late::minus_zero, late::strangers})
      for (const bool apart : {false, true})
        for (const bool positions : {false, true})
          for (const std::size_t different : {2u, 3u, 16u, 250u}) {
            if (!taken_now() || (under_thread_sanitizer && threads == 1))
              continue;
            SCOPED_TRACE(std::to_string(threads) + " threads, " + std::to_string(static_cast<int>(met)) +
                         (apart ? ", apart, " : ", in place, ") + (positions ? "positions, " : "values, ") +
                         std::to_string(different) + " values");
            std::vector<float> keys(n), keys_out(n);
            for (std::size_t i = 0; i < n; ++i)
              keys[i] = static_cast<float>(testing::random_bits(i, 5) % different) * 1.5F;
            const std::vector<bool> taken = sampled(n);
            for (std::size_t i = n / 2 + 1; met != late::nothing && i < n; ++i)
              if (!taken[i] && (met == late::strangers || i == n / 2 + 7))
                keys[i] = met == late::strangers ? static_cast<float>(i % 20'000) : -0.0F;
            const std::vector<float> before = keys;
            std::vector<std::uint32_t> values(n);
            std::iota(values.begin(), values.end(), 0u);
            guarded_buffer values_out(n * (positions ? 8 : 4), 0, 2);
            cpu::radix_job job{.type = key_type::f32, .n = n, .value_width = positions ? 8u : 4u};
            const cpu::in_place_layout layout(4, job.value_width, n, threads, std::size_t{8} << 20);
            guarded_buffer scratch(layout.bytes, 0, 1);
            progress_meter progress(nullptr, 4 * n);
            job.keys_in = keys.data(), job.values_in = positions ? nullptr : values.data();
            job.keys_out = apart ? keys_out.data() : keys.data();
            job.values_out = positions || apart ? static_cast<void*>(values_out.data()) : values.data();
            job.threads = threads, job.progress = &progress;
            job.scratch = scratch.data(), job.scratch_room = layout.bytes;
            cpu::chain_sorter<std::uint32_t> chains(
                job, layout, {job.type, order::ascending, {}},
                {static_cast<std::uint32_t*>(job.keys_out), static_cast<std::byte*>(job.values_out), job.value_width});
            const bool sorted = chains.run();
            EXPECT_EQ(scratch.damage(), "");
            EXPECT_EQ(values_out.damage(), "");
            ASSERT_EQ(sorted, met == late::nothing);
            ASSERT_NE(sorted, chains.has_moved());
            if (apart) {
              ASSERT_TRUE(keys == before);
            }
            const float* const found = static_cast<const float*>(job.keys_out);
            const auto position = [&](std::size_t i) -> std::size_t {
              return positions ? static_cast<const std::uint64_t*>(job.values_out)[i]
                               : static_cast<const std::uint32_t*>(job.values_out)[i];
            };
            std::vector<std::size_t> order_found(n), expected(n);
            std::iota(order_found.begin(), order_found.end(), 0);
            std::iota(expected.begin(), expected.end(), 0);
            if (!sorted)
              std::stable_sort(order_found.begin(), order_found.end(),
                               [&](std::size_t a, std::size_t b) { return found[a] < found[b]; });
            std::stable_sort(expected.begin(), expected.end(),
                             [&](std::size_t a, std::size_t b) { return before[a] < before[b]; });
            for (std::size_t i = 0; i < n; ++i) {
              ASSERT_EQ(position(order_found[i]), expected[i]) << i;
              ASSERT_EQ(std::bit_cast<std::uint32_t>(found[order_found[i]]),
                        std::bit_cast<std::uint32_t>(before[expected[i]]));
            }
          }
}

// Few values within a limit, of every type and width, and where the sample misleads.
TEST(CpuFewKeys, PairsOfFewValuesWithinALimit) {
  random_trials trials(61);
  testing::one_in taken(under_thread_sanitizer ? 5 : 1);
  std::size_t in_place = 0;
  for (const key_type type : all_key_types)
    for (const char* workload : {"equal", "two-values", "few:3", "few:30", "few:200", "few:2500", "specials"})
      for (const char* between : {"", "few:5", "few:300", "uniform"}) {
        const small_tuning sizes(std::size_t{1024} << trials.below(5), std::size_t{1} << (10 + trials.below(6)),
                                 cpu::all_instruction_sets[trials.below(3)]);
        cpu::tuning().block_bytes = std::size_t{64} << trials.below(6);
        trial t = trials.next(1);
        t.type = type;
        t.n = 3000 + trials.below(60'000);
        t.workload = std::string(workload) != "specials" || is_float(type) ? workload : "equal";
        t.between = between;
        t.bits = trials.below(5) != 0 ? bit_window{} : bit_window{key_bits(type) / 4, key_bits(type) / 4 * 3};
        if (t.carries == payload::none)
          t.carries = payload::values;
        t.value_bytes = std::size_t{4} << trials.below(t.carries == payload::values ? 3 : 2);
        t.keys_wanted = t.carries != payload::indices || trials.below(2) == 0;
        t.how = !t.keys_wanted ? form::out_of_place : static_cast<form>(trials.below(2));
        const std::size_t usual = plan_of(t).workspace_bytes, least = std::size_t{1200} << 10;
        t.limit = least + (t.keys_wanted ? 0 : t.n * key_bytes(type)) + trials.below(std::size_t{1} << 20);
        in_place += usual > t.limit;
        if (taken())
          check(t);
        if (::testing::Test::HasFatalFailure())
          return;
      }
  EXPECT_GT(in_place, std::size(all_key_types) * 10);
}

// Vectors of AVX2 look 64-bit keys up by numbers of 32 bits: keys that share one are not taken for each other, whether
// all are known or strangers come.
TEST(CpuFewKeys, WideKeysOfOneNumber) {
  constexpr std::size_t n = 50'000, different = 10;
  const auto key = [](std::uint64_t high, std::uint32_t number) {
    return high << 32 | (number ^ static_cast<std::uint32_t>(high * 0x9e3779b1u));
  };
  const std::vector<bool> met = sampled(n);
  for (const bool is_of_one : {false, true})
    for (const std::size_t strangers : {0u, 1u, 40u}) {
      std::vector<std::uint64_t> keys(n);
      std::vector<std::uint32_t> positions(n);
      for (std::size_t i = 0; i < n; ++i) {
        const auto which = static_cast<std::uint32_t>(testing::random_bits(i, 3) % different);
        keys[i] = is_of_one ? key(1 + which, 77) : key(1, 1000 * which);
        positions[i] = static_cast<std::uint32_t>(i);
      }
      for (std::size_t i = 0; i < strangers; ++i)
        if (const std::size_t at = n / 2 + 599 * i; !met[at])
          keys[at] = key(500, is_of_one ? 77 : static_cast<std::uint32_t>(1000 * (i % different)));
      std::vector<std::uint32_t> expected = positions;
      std::stable_sort(expected.begin(), expected.end(),
                       [&](std::uint32_t a, std::uint32_t b) { return keys[a] < keys[b]; });
      for (const auto widest : cpu::all_instruction_sets)
        for (const unsigned threads : {1u, 3u}) {
          if (under_thread_sanitizer && threads == 1)
            continue;
          const small_tuning sizes(std::size_t{64} << 10, std::size_t{1} << 14, widest);
          std::vector<std::uint64_t> sorted(n);
          std::vector<std::uint32_t> values(n);
          options o;
          o.threads = threads;
          sort_by_key(keys, positions, sorted, values, o);
          ASSERT_TRUE(values == expected) << is_of_one << ' ' << strangers << ' ' << threads;
          ASSERT_TRUE(std::is_sorted(sorted.begin(), sorted.end()));
        }
    }
}

// Few values that are in order from the first on, to the end or not.
TEST(CpuFewKeys, FewValuesInOrder) {
  random_trials trials(41);
  testing::one_in taken(under_thread_sanitizer ? 5 : 1);
  for (const key_type type : {key_type::u32, key_type::f32, key_type::f64})
    for (const std::size_t different : {1u, 2u, 20u})
      for (const std::size_t odd_from_end : {0u, 1u, 9'000u}) // 0: none
        for (const double odd : {0.0, -0.0, -3.0, static_cast<double>(NAN)})
          for (const auto widest : cpu::all_instruction_sets) {
            if (odd_from_end == 0 && odd != -3.0)
              continue;
            const small_tuning sizes(8192, 8192, widest);
            trial t = trials.next(1);
            t.type = type;
            t.n = 30'000;
            t.workload = "equal";
            t.carries = trials.below(2) == 0 ? payload::values : payload::indices;
            t.value_bytes = 4 << trials.below(2);
            t.bits = {};
            t.change = [&](std::byte* keys) {
              for (std::size_t i = 0; i < t.n; ++i) {
                const bool is_odd = i + odd_from_end == t.n && odd_from_end > 0;
                const double x = is_odd ? odd : static_cast<double>(i * different / t.n);
                if (type == key_type::f64) {
                  std::memcpy(keys + 8 * i, &x, 8);
                } else if (type == key_type::f32) {
                  const auto y = static_cast<float>(x);
                  std::memcpy(keys + 4 * i, &y, 4);
                } else {
                  const std::uint32_t y = is_odd ? 12 : static_cast<std::uint32_t>(10 + 5 * x);
                  std::memcpy(keys + 4 * i, &y, 4);
                }
              }
            };
            if (taken())
              check(t);
          }
}

// Values of what the sample says is the least key go to their places at once: where lesser keys follow, and where the
// sort gives up after it has moved them.
TEST(CpuFewKeys, LeastKeysInPlace) {
  constexpr std::size_t n = 50'000;
  testing::one_in taken(under_thread_sanitizer ? 7 : 1);
  for (const std::size_t different : {2u, 4u, 9u, 300u})
    for (const std::size_t others : {0u, 1u, 70u, 9'000u}) // which the sample does not meet, in the second half
      for (const bool are_less : {false, true}) {
        std::vector<std::uint32_t> keys(n), positions(n);
        for (std::size_t i = 0; i < n; ++i) {
          keys[i] = static_cast<std::uint32_t>(1'000'000 + 5 * (testing::random_bits(i, 7) % different));
          positions[i] = static_cast<std::uint32_t>(i);
        }
        const std::vector<bool> met = sampled(n);
        for (std::size_t i = 0; i < others; ++i)
          if (!met[n / 2 + 2 * i])
            keys[n / 2 + 2 * i] = static_cast<std::uint32_t>(are_less ? i : 2'000'000 + i);
        std::vector<std::uint32_t> expected = positions;
        std::stable_sort(expected.begin(), expected.end(),
                         [&](std::uint32_t a, std::uint32_t b) { return keys[a] < keys[b]; });
        for (const auto widest : cpu::all_instruction_sets)
          for (const unsigned way : {0u, 1u, 2u, 3u}) {
            if ((under_thread_sanitizer && way % 2 == 0) || !taken()) // one thread
              continue;
            const small_tuning sizes(std::size_t{64} << 10, std::size_t{1} << 14, widest);
            std::vector<std::uint32_t> keys_here = keys, values_here = positions, keys_there(n), values_there(n);
            const bool in_place = way < 2;
            std::vector<std::uint32_t>&sorted = in_place ? keys_here : keys_there,
            &values = in_place ? values_here : values_there;
            options o;
            o.threads = way % 2 != 0 ? 3 : 1;
            sort_by_key(keys_here, values_here, sorted, values, o);
            ASSERT_TRUE(values == expected) << different << ' ' << others << ' ' << are_less << ' ' << way;
            ASSERT_TRUE(std::is_sorted(sorted.begin(), sorted.end()));
          }
      }
}

// A sort by chains that gives up in place has done nothing of what is told: the whole is told where all is sorted.
TEST(CpuFewKeys, GivingUpInPlaceIsNoProgress) {
  constexpr std::size_t n = 50'000;
  const std::vector<bool> met = sampled(n);
  for (const auto widest : cpu::all_instruction_sets)
    for (const unsigned threads : {1u, 3u}) {
      const small_tuning sizes(std::size_t{64} << 10, std::size_t{1} << 14, widest);
      std::vector<std::uint32_t> keys(n), values(n);
      for (std::size_t i = 0; i < n; ++i) {
        keys[i] = static_cast<std::uint32_t>(1'000'000 + 5 * (testing::random_bits(i, 7) % 4));
        values[i] = static_cast<std::uint32_t>(i);
      }
      for (std::size_t i = 0; i < 9'000; ++i)
        if (!met[n / 2 + 2 * i])
          keys[n / 2 + 2 * i] = static_cast<std::uint32_t>(2'000'000 + i);
      const std::vector<std::uint32_t> before = keys;
      double last = 0;
      options o;
      o.threads = threads;
      o.progress = [&](double done) {
        EXPECT_GE(done, last);
        if (done == 1.0 && threads == 1) { // others' writes are seen when the call has returned
          EXPECT_TRUE(std::is_sorted(keys.begin(), keys.end()));
        }
        last = done;
        return true;
      };
      sort_by_key(keys, values, o);
      EXPECT_EQ(last, 1.0);
      for (std::size_t i = 0; i < n; ++i)
        ASSERT_EQ(keys[i], before[values[i]]);
    }
}

// Sorts pairs in place, of which few have rare keys: the last two near an end of what is written at once, 256 bytes of
// values or a multiple.
template <class K, class V>
void check_rare_keys(std::size_t key_offset, std::size_t value_offset, std::uint64_t seed) {
  constexpr std::size_t n = 3000, rare = 4, in_vector = 64 / sizeof(V), in_window = 256 / sizeof(V);
  constexpr K frequent = 5, others[] = {9, 7, 3};
  guarded_buffer key_bytes(n * sizeof(K), key_offset), value_bytes(n * sizeof(V), value_offset);
  const std::span<K> keys = key_bytes.as<K>();
  const std::span<V> values = value_bytes.as<V>();
  const std::uint64_t bits = testing::random_bits(seed, 11);
  const std::size_t skipped = reinterpret_cast<std::uintptr_t>(values.data()) / sizeof(V) % in_window;
  const std::size_t end = (6 + bits % (n / in_window - 8)) * in_window - skipped;
  const std::size_t places[rare] = {1, 2, end - 1 - (bits >> 20) % in_vector, end + (bits >> 30) % in_vector};
  std::fill(keys.begin(), keys.end(), frequent);
  for (std::size_t r = 0; r < rare; ++r)
    keys[places[r]] = (bits >> 50) % 3 == 0 ? others[0] : others[(bits >> (40 + r)) % 3];
  std::iota(values.begin(), values.end(), V{0});
  const std::vector<K> before(keys.begin(), keys.end());
  std::vector<V> expected(values.begin(), values.end());
  std::stable_sort(expected.begin(), expected.end(), [&](V a, V b) { return before[a] < before[b]; });
  options o;
  o.threads = 1;
  sort_by_key(keys, values, o);
  const auto wrong = std::mismatch(expected.begin(), expected.end(), values.begin());
  ASSERT_EQ(wrong.first - expected.begin(), std::ptrdiff_t{n}) << places[2] << ' ' << places[3];
  ASSERT_TRUE(std::is_sorted(keys.begin(), keys.end()));
  ASSERT_EQ(key_bytes.damage() + value_bytes.damage(), "");
}

template <class K, class V>
void check_rare_keys() {
  std::uint64_t seed = 0;
  constexpr std::size_t step =
      under_thread_sanitizer ? 16 : 0; // one thread, of which ThreadSanitizer has nothing to say
  for (const auto widest : cpu::all_instruction_sets) {
    const small_tuning sizes(4096, std::size_t{1} << 14, widest);
    for (std::size_t keys_at = 0; keys_at < 64; keys_at += std::max(2 * step, sizeof(K)))
      for (std::size_t values_at = 0; values_at < 64; values_at += std::max(step, sizeof(V)))
        for (std::size_t i = 0; i < testing::unless_short(8u, 1u); ++i)
          ASSERT_NO_FATAL_FAILURE((check_rare_keys<K, V>(keys_at, values_at, ++seed)))
              << "keys at " << keys_at << ", values at " << values_at << ", kernels " << static_cast<int>(widest);
  }
}

// What is written in place must have been read, wherever arrays begin.
TEST(CpuFewKeys, RareKeysInPlaceAtEveryAlignment) {
  EXPECT_NO_FATAL_FAILURE((check_rare_keys<std::uint32_t, std::uint32_t>()));
  EXPECT_NO_FATAL_FAILURE((check_rare_keys<std::uint64_t, std::uint64_t>()));
  EXPECT_NO_FATAL_FAILURE((check_rare_keys<std::uint32_t, std::uint64_t>()));
  EXPECT_NO_FATAL_FAILURE((check_rare_keys<std::uint64_t, std::uint32_t>()));
}

} // namespace
} // namespace sortile
