// Selections of arrays above what one thread selects from at once: by vectors, in pieces, with any number of threads,
// where samples mislead, within little memory, and with progress told in between.
#include "cpu/radix_job.hpp"
#include "cpu/ranks_plan.hpp"
#include "cpu/select_keys.hpp"
#include "cpu/small_select.hpp"
#include "tests/rising_progress.hpp"
#include "tests/select/told_steps.hpp"
#include "tests/short_tests.hpp"

#include "testing/workloads.hpp"

#include <sortile/select.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <limits>
#include <numeric>

namespace sortile {
namespace {

constexpr std::size_t long_n = cpu::most_alone + 12'345;

template <class K>
bool same_bits(const std::vector<K>& a, const std::vector<K>& b) {
  return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size() * sizeof(K)) == 0;
}

/// Of the keys, whatever their order is.
template <class K>
std::uint64_t hash_of(const std::vector<K>& keys) {
  std::uint64_t sum = 0;
  for (const K key : keys)
    sum +=
        testing::random_bits(3, std::bit_cast<std::conditional_t<sizeof(K) == 4, std::uint32_t, std::uint64_t>>(key));
  return sum;
}

/// Keys, and what a stable sort makes of them.
template <class K>
struct known_keys {
  std::vector<K> keys, sorted;
  std::uint64_t hash;
  options opts;

  known_keys(std::vector<K> of, order direction) : keys(std::move(of)), sorted(keys), hash(hash_of(keys)) {
    opts.order = direction;
    sort(sorted, opts);
  }

  void expect_ranks(const std::vector<std::size_t>& ranks, unsigned threads, const std::string& text) {
    opts.threads = threads;
    std::vector<K> found(ranks.size()), wanted(ranks.size());
    run(ranks_request{key_type_of<K>, keys.size(), keys.data(), ranks, found.data()}, opts);
    std::transform(ranks.begin(), ranks.end(), wanted.begin(), [this](std::size_t rank) { return sorted[rank]; });
    EXPECT_TRUE(same_bits(found, wanted)) << text << ", ranks from " << ranks.front() << ", " << threads << " threads";
  }

  /// The keys as nth_element has left them.
  std::vector<K> expect_nth(std::size_t nth, unsigned threads, const std::string& text) {
    opts.threads = threads;
    std::vector<K> left = keys;
    nth_element(left, nth, opts);
    EXPECT_EQ(std::memcmp(&left[nth], &sorted[nth], sizeof(K)), 0) << text << ", rank " << nth;
    EXPECT_EQ(hash_of(left), hash) << text << ", rank " << nth << ": other keys than before";
    std::vector<K> in_order = left; // on each side: equal ones that differ in bits may stand in another order
    sort(std::span(in_order).first(nth), opts);
    sort(std::span(in_order).subspan(nth), opts);
    for (std::size_t i = 0; i < in_order.size(); ++i)
      if (!is_equal(in_order[i], sorted[i])) {
        ADD_FAILURE() << text << ", rank " << nth << ": place " << i << " has a key of the other side";
        break;
      }
    return left;
  }

  static bool is_equal(K a, K b) { return a == b || (a != a && b != b); }
};

testing::one_in some_long(3);

template <class K>
void check_long(const std::string& text, const char* workload, std::uint64_t seed, order direction) {
  if (!some_long())
    return;
  known_keys<K> known(testing::make_keys<K>(workload, long_n, seed), direction);
  const std::size_t n = known.keys.size();
  unsigned threads = 0;
  for (const std::vector<std::size_t>& ranks : {std::vector<std::size_t>{n / 2},
                                                {(n - 1) / 2, n / 2},
                                                {0},
                                                {n - 1},
                                                {n / 100, n / 2, n - n / 10},
                                                {n - 2, n - 3, 7, 6, 5, n - 1, 6}})
    known.expect_ranks(ranks, 1 + threads++ % 3, text);
  for (const std::size_t nth : {n / 2, std::size_t{0}, n - 1, n / 100})
    known.expect_nth(nth, 1 + threads++ % 3, text);
}

TEST(LongSelections, OfEveryDistribution) {
  for (const cpu::instruction_set set : cpu::all_instruction_sets) {
    if (!cpu::has(set))
      continue;
    const cpu::instruction_set usual = std::exchange(cpu::tuning().widest, set);
    std::uint64_t seed = 0;
    for (const char* const workload :
         {"uniform", "normal", "few:1000", "few:3", "zipf", "zeros:0.3", "sorted", "reversed", "equal", "organ-pipe"}) {
      const std::string text = std::string(cpu::name(set)) + ", " + workload;
      const order direction = ++seed % 2 == 0 ? order::ascending : order::descending;
      check_long<std::uint32_t>(text, workload, seed, direction);
      check_long<std::int64_t>(text, workload, seed, direction);
      if (seed % 3 == 1)
        check_long<float>(text, workload, seed, direction);
      if (seed % 3 == 2)
        check_long<double>(text, workload, seed, direction);
    }
    for (const char* const workload : {"zeros", "nan:0.6", "nan:0.0001", "specials"})
      for (const order direction : {order::ascending, order::descending}) {
        const std::string text = std::string(cpu::name(set)) + ", " + workload;
        check_long<float>(text, workload, 5, direction);
        check_long<double>(text, workload, 6, direction);
      }
    cpu::tuning().widest = usual;
  }
}

/// The rank lies beside a frequent key, or is the first or last of one.
TEST(LongSelections, BesideFrequentKeys) {
  for (const std::size_t below : {std::size_t{0}, long_n / 8, long_n / 3}) {
    std::vector<double> keys(long_n);
    for (std::size_t i = 0; i < long_n; ++i) // the frequent key's ranks: from `below` to the middle, excluded
      keys[i] = i < below ? -1.0 - static_cast<double>(i) : i < long_n / 2 ? 0.0 : 1.0 + static_cast<double>(i);
    for (std::size_t i = long_n - 1; i > 0; --i)
      std::swap(keys[i], keys[testing::random_bits(8, i) % (i + 1)]);
    known_keys<double> known(keys, order::ascending);
    for (const std::size_t rank : {below, long_n / 2 - 1, long_n / 2}) {
      known.expect_ranks({rank}, 2, "a frequent key");
      known.expect_nth(rank, 2, "a frequent key");
    }
  }
}

TEST(LongSelections, AreTheSameWithAnyNumberOfThreads) {
  known_keys<float> known(testing::make_keys<float>("specials", cpu::shared_from + 999, 7), order::ascending);
  const std::size_t nth = known.keys.size() / 3;
  const std::vector<float> alone = known.expect_nth(nth, 1, "one thread");
  for (const unsigned threads : {2u, 3u, 4u, 7u, 16u, 33u, 64u}) {
    EXPECT_TRUE(same_bits(known.expect_nth(nth, threads, "many threads"), alone)) << threads << " threads";
    known.expect_ranks({nth, nth + 1, 12}, threads, "many threads");
  }
  known_keys<std::uint64_t> few(testing::make_keys<std::uint64_t>("few:300", cpu::shared_from, 7), order::descending);
  for (const unsigned threads : {2u, 5u}) {
    few.expect_ranks({nth, nth + 1, 12}, threads, "many threads");
    few.expect_nth(nth, threads, "many threads");
  }
  known.opts.progress = [](double) { return true; };
  EXPECT_TRUE(same_bits(known.expect_nth(nth, 2, "with progress"), alone));
}

/// What the sample of a search takes says the opposite of the truth: nothing lies between the bounds, or all does.
TEST(LongSelections, SamplesThatMislead) {
  if (!cpu::has(cpu::instruction_set::avx2))
    GTEST_SKIP() << "the processor has no vectors that select";
  const std::size_t n = long_n;
  const std::vector<std::size_t> ranks{n / 2};
  const cpu::ranks_plan plan({.type = key_type::u32, .n = n, .ranks = ranks}, {}, 1);
  ASSERT_EQ(plan.way, cpu::ranks_way::long_vectors);
  std::vector<std::uint32_t> places(n), sample(plan.in_pieces.sample);
  std::iota(places.begin(), places.end(), 0u);
  cpu::selection<std::uint32_t>(places.data(), n, cpu::exact_image<std::uint32_t>(key_type::u32, {}), 1, nullptr)
      .sample_keys(sample.data(), sample.size());
  for (const bool all_between : {false, true}) {
    std::vector<std::uint32_t> keys(n);
    for (std::size_t i = 0; i < n; ++i)
      keys[i] = 1000 + static_cast<std::uint32_t>(testing::random_bits(7, i) % 50'000'000);
    for (std::size_t i = 0; i < sample.size(); ++i) {
      const auto number = static_cast<std::uint32_t>(i);
      keys[sample[i]] = !all_between ? number % 999 : i % 2 == 0 ? number % 999 : 3'000'000'000u + number;
    }
    known_keys<std::uint32_t> known(keys, order::ascending);
    const auto steps = testing::steps_of([&] { known.expect_ranks(ranks, 1, "a sample that misleads"); });
    EXPECT_TRUE(testing::names(steps, "fallback"));
    known.expect_ranks({0, n / 2, n - 1}, 3, "a sample that misleads");
    known.expect_nth(n / 2, 2, "a sample that misleads");
  }
}

TEST(LongSelections, TakeLittleMemory) {
  if (!cpu::has(cpu::instruction_set::avx2))
    GTEST_SKIP() << "the processor has no vectors that select";
  const std::size_t n = std::size_t{1} << 26;
  const std::vector<std::size_t> middle{n / 2 - 1, n / 2}, three{n / 4, n / 2, n / 4 * 3};
  const auto bytes = [&](const std::vector<std::size_t>& ranks, unsigned threads) {
    return cpu::ranks_plan({.type = key_type::f64, .n = n, .ranks = ranks}, {}, threads).bytes;
  };
  EXPECT_LE(bytes(middle, 1), std::size_t{16} << 20);
  EXPECT_LE(bytes(middle, 64), std::size_t{32} << 20);
  EXPECT_LE(bytes(three, 1), std::size_t{48} << 20);
}

// Progress

/// A callback that cancels at the first report in the middle, and what it was told.
struct canceller {
  double told = 0;
  std::function<bool(double)> callback() {
    return [this](double done) {
      EXPECT_GE(done, told);
      told = done;
      return done <= 0 || done >= 1;
    };
  }
};

/// Calls f with options that ask for progress: with reports that rise to 1, some of them in the middle, and then with
/// one that cancels there.
template <class F>
void expect_progress_within(const std::string& text, F&& f) {
  for (const unsigned threads : {1u, 2u}) {
    options opts;
    opts.threads = threads;
    testing::rising_progress rising;
    std::size_t within = 0;
    opts.progress = [&, told = rising.callback()](double done) {
      within += done > 0 && done < 1;
      return told(done);
    };
    f(opts);
    EXPECT_EQ(rising.last(), 1.0) << text;
    if (threads == 1) { // of two, the other may have done nearly all
      EXPECT_GE(within, 20u) << text;
    }
    canceller c;
    opts.progress = c.callback();
    EXPECT_THROW(f(opts), cancelled) << text << ", " << threads << " threads";
    EXPECT_TRUE(c.told > 0 && c.told < 1) << text << ": cancelled at " << c.told;
  }
}

constexpr std::size_t told_n = std::size_t{1} << 24;

template <class K>
void expect_progress_of(const std::string& text, const std::vector<K>& keys) {
  constexpr K untouched{77};
  const std::vector<std::size_t> ranks{keys.size() / 2};
  std::vector<K> found(1);
  expect_progress_within(text + ", ranks", [&](const options& opts) {
    found[0] = untouched;
    try {
      run(ranks_request{key_type_of<K>, keys.size(), keys.data(), ranks, found.data()}, opts);
    } catch (const cancelled&) {
      EXPECT_EQ(found[0], untouched) << text << ": a result was written";
      throw;
    }
  });
  expect_progress_within(text + ", quantiles", [&](const options& opts) { (void)median(keys, opts); });
  std::vector<K> work(keys.size());
  const std::uint64_t hash = hash_of(keys);
  expect_progress_within(text + ", nth_element", [&](const options& opts) {
    work = keys;
    try {
      nth_element(work, keys.size() / 2, opts);
    } catch (const cancelled&) {
      EXPECT_EQ(hash_of(work), hash) << text << ": other keys than before";
      throw;
    }
  });
}

TEST(LongSelections, TellProgressWithin) {
  expect_progress_of("uniform", testing::make_keys<std::uint32_t>("uniform", told_n, 1));
  if (!testing::short_tests())
    expect_progress_of("few values", testing::make_keys<std::uint64_t>("few:20", told_n, 1));
  expect_progress_of("specials", testing::make_keys<float>("specials", told_n, 1));
}

/// A call that is cancelled, at whatever report, has written none of its results.
template <class K>
void expect_none_written(const std::string& text, const std::vector<K>& keys, const std::vector<std::size_t>& ranks,
                         options opts) {
  constexpr K untouched{77};
  bool is_cancelled = true;
  for (std::size_t stop = 1; is_cancelled; ++stop) {
    ASSERT_LT(stop, 10'000u) << text;
    std::vector<K> found(ranks.size(), untouched);
    std::size_t told = 0;
    double last = 0;
    opts.progress = [&](double done) {
      last = done;
      return ++told < stop;
    };
    try {
      run(ranks_request{key_type_of<K>, keys.size(), keys.data(), ranks, found.data()}, opts);
      is_cancelled = false;
      EXPECT_LT(told, stop) << text << ": told to stop, and went on";
    } catch (const cancelled&) {
      const auto left = static_cast<std::size_t>(std::count(found.begin(), found.end(), untouched));
      EXPECT_EQ(left, found.size()) << text << ", cancelled at report " << stop << ", " << last << ": " << left
                                    << " results were not written";
    }
  }
}

TEST(LongSelections, CancelledOnesHaveWrittenNothing) {
  for (const std::size_t n : {std::size_t{50}, std::size_t{1000}, std::size_t{100'000}}) { // as short ones
    expect_none_written("u32", testing::make_keys<std::uint32_t>("uniform", n, 4), {1, n / 2}, {.threads = 1});
    expect_none_written("u8", testing::make_keys<std::uint8_t>("uniform", n, 4), {1, n / 2}, {.threads = 2});
  }
  const std::size_t n = cpu::most_alone + 1000;
  std::vector<float> zeros(n);
  for (std::size_t i = 0; i < n; ++i)
    zeros[i] = i % 3 == 0 ? -0.0f : i % 3 == 1 ? 0.0f : float(testing::random_bits(3, i) % 2001) - 1000;
  expect_none_written("zeros", zeros, {10, n / 2, n / 2 + 1, n - 10}, {.engine = "cpu", .threads = 1});
  const auto low_bytes = testing::make_keys<std::uint16_t>("uniform", n, 4);
  expect_none_written("a window", low_bytes, {10, n / 2, n - 10}, {.bits = {0, 8}, .engine = "cpu", .threads = 1});
}

} // namespace
} // namespace sortile
