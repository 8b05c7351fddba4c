// Top-k on the CPU engine against the oracle: every type, payload and distribution, samples that mislead, rows.
#include "cpu/radix_job.hpp"
#include "cpu/select_keys.hpp"
#include "tests/rising_progress.hpp"
#include "tests/select/select_case.hpp"
#include "tests/short_tests.hpp"

#include "testing/workloads.hpp"

#include <gtest/gtest.h>

#include <cstring>
#include <numeric>

namespace sortile {
namespace {

using testing::check;
using testing::top_k_case;

TEST(TopK, RandomCases) {
  const std::uint64_t cases = testing::unless_short(1500, 300);
  for (std::uint64_t seed = 0; seed < cases; ++seed) {
    const auto found = check(testing::random_top_k(seed, "", 40'000));
    ASSERT_TRUE(found) << found.complaint;
  }
}

TEST(TopK, LargerArraysOfEveryDistribution) {
  std::uint64_t seed = 0;
  for (const testing::workload_info& info : testing::all_workloads()) {
    const key_type type = ++seed % 2 == 0 || info.floats_only ? key_type::f64 : key_type::u32;
    for (const std::size_t k : {1u, 1000u, 30'000u}) {
      const payload carries = (seed + k) % 3 == 0 ? payload::none : payload::indices;
      const auto found = check(top_k_case{.type = type,
                                          .n = 100'000,
                                          .k = k,
                                          .workload = std::string(info.name),
                                          .seed = seed,
                                          .direction = k == 1000 ? order::ascending : order::descending,
                                          .carries = carries,
                                          .value_bytes = carries == payload::none ? 0u : 4u,
                                          .threads = 1 + static_cast<unsigned>(seed % 4)});
      ASSERT_TRUE(found) << found.complaint;
    }
  }
}

/// The places of an array of n keys that the sample takes.
std::vector<std::uint32_t> sampled_places(std::size_t n) {
  std::vector<std::uint32_t> places(n), sample(cpu::select_sample(n));
  std::iota(places.begin(), places.end(), 0u);
  const cpu::selection<std::uint32_t> keys(places.data(), n, cpu::exact_image<std::uint32_t>(key_type::u32, {}), 1,
                                           nullptr);
  keys.sample(sample.data(), sample.size());
  return sample;
}

/// Keys of which the sample says the opposite of the truth: too few candidates, or far too many.
TEST(TopK, SamplesThatMislead) {
  const std::size_t n = 200'000;
  for (const bool sample_is_low : {false, true})
    for (const key_type type : {key_type::u32, key_type::i32, key_type::f32})
      for (const std::size_t k : {1u, 500u, 50'000u}) {
        std::vector<std::uint32_t> keys(n);
        for (std::size_t i = 0; i < n; ++i)
          keys[i] = 0x3f000000u + static_cast<std::uint32_t>(testing::random_bits(1, i) % 1000000);
        for (const std::uint32_t place : sampled_places(n))
          keys[place] = sample_is_low ? 0x3e000000u + place % 7 : 0x40000000u + place;
        std::vector<std::byte> bytes(n * sizeof(std::uint32_t));
        std::memcpy(bytes.data(), keys.data(), bytes.size());
        for (const unsigned threads : {1u, 3u}) {
          const auto found = check({.type = type,
                                    .n = n,
                                    .k = k,
                                    .workload = sample_is_low ? "a low sample" : "a high sample",
                                    .carries = payload::indices,
                                    .value_bytes = 8,
                                    .threads = threads,
                                    .own_workspace = true},
                                   bytes);
          ASSERT_TRUE(found) << found.complaint;
        }
      }
}

TEST(TopK, SamplesThatMisleadAboutWideKeys) {
  const std::size_t n = 150'000;
  std::vector<uint128> keys(n);
  for (std::size_t i = 0; i < n; ++i)
    keys[i] = (uint128{5} << 70) + testing::random_bits(2, i);
  for (const std::uint32_t place : sampled_places(n))
    keys[place] = ~uint128{place};
  std::vector<std::byte> bytes(n * sizeof(uint128));
  std::memcpy(bytes.data(), keys.data(), bytes.size());
  for (const order direction : {order::ascending, order::descending}) {
    const auto found = check(
        {.type = key_type::u128, .n = n, .k = 777, .workload = "a high sample", .direction = direction, .threads = 2},
        bytes);
    ASSERT_TRUE(found) << found.complaint;
  }
}

TEST(TopK, EveryInstructionSet) {
  for (const cpu::instruction_set set : cpu::all_instruction_sets) {
    if (!cpu::has(set))
      continue;
    const cpu::instruction_set usual = cpu::tuning().widest;
    cpu::tuning().widest = set;
    for (const key_type type : all_key_types)
      for (const char* const workload : {"uniform", "few:20"}) {
        const auto found = check(top_k_case{.type = type,
                                            .n = 10'001,
                                            .k = 40,
                                            .workload = workload,
                                            .seed = 3,
                                            .carries = payload::indices,
                                            .value_bytes = 8,
                                            .threads = 2});
        EXPECT_TRUE(found) << cpu::name(set) << ": " << found.complaint;
      }
    cpu::tuning().widest = usual;
  }
}

TEST(TopK, ManyRows) {
  for (const std::size_t n : {1u, 5u, 256u, 5000u})
    for (const payload carries : {payload::none, payload::indices, payload::values}) {
      const auto found = check(top_k_case{.type = key_type::f32,
                                          .n = n,
                                          .k = (n + 3) / 4,
                                          .rows = 100,
                                          .gap = 2,
                                          .workload = "few",
                                          .carries = carries,
                                          .value_bytes = carries == payload::none ? 0u : 8u,
                                          .threads = 3,
                                          .own_workspace = true});
      ASSERT_TRUE(found) << found.complaint;
    }
}

/// A row that wants few of many is done as if it were alone, in the workspace for the most; others are done whole.
TEST(TopK, RowsWithAKOfTheirOwn) {
  for (const std::size_t n : {1u, 100u, 2500u, 60'000u})
    for (const std::size_t k : {std::size_t{1}, n / 20 + 1, n}) {
      std::uint64_t seed = n + k;
      for (const payload carries : {payload::none, payload::indices, payload::values}) {
        const auto found = check(top_k_case{.type = key_type::i32,
                                            .n = n,
                                            .k = k,
                                            .rows = 12,
                                            .gap = 1,
                                            .workload = n % 3 == 0 ? "few" : "uniform",
                                            .seed = ++seed,
                                            .carries = carries,
                                            .value_bytes = carries == payload::none ? 0u : 4u,
                                            .threads = 2,
                                            .own_workspace = true,
                                            .row_k = testing::random_row_k(seed, 12, k),
                                            .row_k_bytes = seed % 2 == 0 ? 4u : 8u});
        ASSERT_TRUE(found) << found.complaint;
      }
    }
}

TEST(TopK, OfOneRowAKThatIsRead) {
  const std::vector<std::uint16_t> keys{5, 2, 9, 2, 7};
  for (const std::uint64_t wanted : {0u, 1u, 3u, 4u, 77u}) {
    std::vector<std::uint16_t> first(4, 1000);
    top_k(keys, first, std::span(&wanted, 1));
    std::vector<std::uint16_t> expected{2, 2, 5, 7};
    std::fill(expected.begin() + static_cast<std::ptrdiff_t>(std::min<std::uint64_t>(wanted, 4)), expected.end(),
              std::uint16_t{1000});
    EXPECT_EQ(first, expected);
  }
}

TEST(TopK, RandomSegments) {
  const std::uint64_t cases = testing::unless_short(800, 160);
  for (std::uint64_t seed = 0; seed < cases; ++seed) {
    const auto found = check(testing::random_segmented_top_k(seed, "", seed % 10 == 0 ? 100'000 : 8000));
    ASSERT_TRUE(found) << found.complaint;
  }
}

/// Long enough that all threads share one segment, among short ones.
TEST(TopK, SegmentsThatAllThreadsShare) {
  const std::size_t n = (std::size_t{1} << 21) + 5000, long_end = 100 + (std::size_t{1} << 20);
  for (const payload carries : {payload::none, payload::indices, payload::values}) {
    const auto found = check(
        top_k_case{.type = key_type::u32,
                   .n = n,
                   .k = 200,
                   .rows = 5,
                   .seed = 3,
                   .carries = carries,
                   .value_bytes = carries == payload::none ? 0u : 8u,
                   .threads = 3,
                   .row_k = {200, 150, 200, 0, 300},
                   .segments = {{0, 100}, {100, long_end}, {long_end, long_end}, {long_end, n - 50}, {n - 50, n}}});
    ASSERT_TRUE(found) << found.complaint;
  }
}

TEST(TopK, TemplatesOfRowsAndSegments) {
  const std::vector<int> keys{3, -1, 7, 0, -1, 7};
  const std::vector<std::uint32_t> counts{2, 1};
  std::vector<int> first(4, 99);
  top_k(keys, first, counts, {.order = order::descending});
  EXPECT_EQ(first, (std::vector<int>{7, 3, 7, 99}));
  std::vector<std::uint32_t> positions(4, 99);
  arg_top_k(keys, positions, counts);
  EXPECT_EQ(positions, (std::vector<std::uint32_t>{1, 0, 1, 99}));
  const std::vector<char> values{'a', 'b', 'c', 'd', 'e', 'f'};
  std::vector<int> with(4, 99);
  std::vector<char> moved(4, '-');
  top_k_by_key(keys, values, with, moved, counts);
  EXPECT_EQ(with, (std::vector<int>{-1, 3, -1, 99}));
  EXPECT_EQ(std::string(moved.begin(), moved.end()), "bae-");

  const std::vector<std::uint32_t> offsets{0, 1, 1, 6};
  const segments where = segments::by_offsets(offsets);
  std::vector<int> of_segments(6, 99);
  segment_top_k(keys, of_segments, where);
  EXPECT_EQ(of_segments, (std::vector<int>{3, 99, 99, 99, -1, -1}));
  std::vector<std::uint64_t> places(6, 99);
  segment_arg_top_k(keys, places, where, std::vector<std::uint64_t>{0, 2, 1});
  EXPECT_EQ(places, (std::vector<std::uint64_t>{99, 99, 99, 99, 0, 99}));
  std::fill(of_segments.begin(), of_segments.end(), 99);
  std::vector<char> letters(6, '-');
  segment_top_k_by_key(keys, values, of_segments, letters, where, {.order = order::descending});
  EXPECT_EQ(of_segments, (std::vector<int>{3, 99, 99, 99, 7, 7}));
  EXPECT_EQ(std::string(letters.begin(), letters.end()), "a---cf");

  const std::vector<std::uint64_t> none{0};
  EXPECT_NO_THROW(segment_top_k(keys, std::span<int>(), segments::by_offsets(none)));
  EXPECT_NO_THROW(top_k(std::span<int>(), std::span<int>(), std::span<const std::uint32_t>()));
}

TEST(TopK, Templates) {
  const std::vector<float> keys{3, -1, 7, 0, -1, 7};
  EXPECT_EQ(top_k(keys, 2, {.order = order::descending}), (std::vector<float>{7, 7}));
  EXPECT_EQ(arg_top_k(keys, 3), (std::vector<std::uint64_t>{1, 4, 3}));
  EXPECT_EQ(arg_top_k<std::uint32_t>(keys, 100), (std::vector<std::uint32_t>{1, 4, 3, 0, 2, 5}));
  const std::vector<char> values{'a', 'b', 'c', 'd', 'e', 'f'};
  std::vector<float> first(2);
  std::vector<char> with(2);
  top_k_by_key(keys, values, first, with);
  EXPECT_EQ(first, (std::vector<float>{-1, -1}));
  EXPECT_EQ(with, (std::vector<char>{'b', 'e'}));
  EXPECT_TRUE(top_k(keys, 0).empty());
}

TEST(TopK, TellsProgressAndIsCancelled) {
  const auto keys = testing::make_keys<std::uint32_t>("uniform", 3'000'000, 1);
  testing::rising_progress progress;
  options opts;
  opts.progress = progress.callback();
  EXPECT_EQ(top_k(keys, 10, opts).size(), 10u);
  EXPECT_EQ(progress.last(), 1.0);
  opts.progress = [](double) { return false; };
  EXPECT_THROW((void)top_k(keys, 10, opts), cancelled);
}

/// Calls f with a callback that cancels at its first report, then at its second, and so on, until f returns.
template <class F, class Untouched>
void cancel_at_each_report(const std::string& text, F&& f, Untouched&& is_untouched) {
  for (std::size_t stop = 1;; ++stop) {
    ASSERT_LT(stop, 100'000u) << text;
    std::vector<double> told;
    options opts;
    opts.progress = [&](double done) {
      told.push_back(done);
      return told.size() < stop;
    };
    bool is_cancelled = false;
    try {
      f(opts);
    } catch (const cancelled&) {
      is_cancelled = true;
    }
    ASSERT_TRUE(std::is_sorted(told.begin(), told.end())) << text;
    ASSERT_EQ(told.front(), 0) << text;
    ASSERT_EQ(std::count(told.begin(), std::prev(told.end()), 1.0), 0) << text << ": told 1 before the end";
    ASSERT_EQ(is_cancelled, told.size() == stop) << text << ", report " << stop;
    if (!is_cancelled) {
      ASSERT_EQ(told.back(), 1) << text;
      return;
    }
    ASSERT_TRUE(is_untouched()) << text << ": cancelled at report " << stop << ", " << told.back()
                                << ", and results are written";
  }
}

TEST(TopK, CancelledAtAnyReportHasWrittenNothing) {
  const auto all = testing::make_keys<std::uint32_t>("uniform", 3'000'000, 1);
  for (const std::size_t n : {50u, 1000u, 100'000u, 3'000'000u}) {
    const std::vector<std::uint32_t> keys(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(n));
    std::vector<std::uint32_t> out(std::min<std::size_t>(n, 1000) / 2), work = keys;
    const std::vector<std::uint32_t> before(out.size(), 77);
    const std::string text = "n = " + std::to_string(n);
    out = before;
    cancel_at_each_report(
        text, [&](const options& opts) { top_k(keys, out, opts); }, [&] { return out == before; });
    EXPECT_TRUE(std::is_sorted(out.begin(), out.end()) && out.front() != 77);
    out = before;
    cancel_at_each_report(
        text + ", positions", [&](const options& opts) { arg_top_k(keys, out, opts); }, [&] { return out == before; });
    EXPECT_NE(out, before);
    const std::uint32_t k = 10;
    out = before;
    cancel_at_each_report(
        text + ", with a k of its own", [&](const options& opts) { top_k(keys, out, std::span(&k, 1), opts); },
        [&] { return out == before; });
    cancel_at_each_report(
        text + ", partial sort", [&](const options& opts) { partial_sort(work, out.size(), opts); },
        [&] { return work == keys; });
  }
}

TEST(TopK, OfRowsTellsProgressAndIsCancelled) {
  const auto keys = testing::make_keys<std::uint32_t>("uniform", 400'000, 1);
  for (const unsigned threads : {1u, 2u})
    for (const std::size_t rows : {4u, 400u}) {
      const std::vector<std::uint32_t> counts(rows, 3);
      std::vector<std::uint32_t> out(5 * rows);
      const auto f = [&](options opts) {
        opts.threads = threads;
        top_k(keys, out, counts, opts);
      };
      cancel_at_each_report(std::to_string(rows) + " rows", f, [] { return true; });
    }
}

/// Whatever a selection does, it is told to be done; so is one that has nothing to do.
TEST(TopK, OfNothingTellsThatItIsDone) {
  std::vector<std::uint32_t> keys{3, 1, 2}, none, out(6);
  const std::vector<std::uint32_t> no_offsets{0}, offsets{0, 1, 3};
  const auto expect_told = [](const std::string& text, const auto& f) {
    std::vector<double> told;
    f(options{.progress = [&](double done) {
      told.push_back(done);
      return true;
    }});
    EXPECT_EQ(told, std::vector<double>{1}) << text;
  };
  expect_told("n = 0", [&](const options& opts) { top_k(none, none, opts); });
  expect_told("k = 0", [&](const options& opts) { top_k(keys, none, opts); });
  expect_told("no rows", [&](const options& opts) {
    run(top_k_request{.type = key_type::u32, .n = 3, .k = 1, .keys_in = keys.data(), .keys_out = out.data(), .rows = 0},
        opts);
  });
  expect_told("no segments",
              [&](const options& opts) { segment_top_k(keys, none, segments::by_offsets(no_offsets), opts); });
  expect_told("segments, k = 0",
              [&](const options& opts) { segment_top_k(keys, none, segments::by_offsets(offsets), opts); });
  expect_told("partial sort, k = 0", [&](const options& opts) { partial_sort(keys, 0, opts); });
  expect_told("nth_element, nth = n", [&](const options& opts) { nth_element(keys, 3, opts); });
  expect_told("no ranks", [&](const options& opts) { (void)keys_at_ranks(keys, std::vector<std::size_t>(), opts); });
}

TEST(TopK, OfSegmentsTellsProgressAndIsCancelled) {
  const auto keys = testing::make_keys<std::uint32_t>("uniform", 300'000, 1);
  const std::vector<std::uint64_t> offsets{0, 1000, 100'000, 300'000};
  std::vector<std::uint32_t> out(30);
  testing::rising_progress progress;
  options opts;
  opts.progress = progress.callback();
  segment_top_k(keys, out, segments::by_offsets(offsets), opts);
  EXPECT_EQ(progress.last(), 1.0);
  opts.progress = [](double) { return false; };
  EXPECT_THROW(segment_top_k(keys, out, segments::by_offsets(offsets), opts), cancelled);
}

template <class T>
void check_nth_element_tells(std::size_t n) {
  const std::vector<T> keys = testing::make_keys<T>("uniform", n, 1);
  std::vector<T> work = keys;
  testing::rising_progress progress;
  options opts;
  opts.progress = progress.callback();
  nth_element(work, n / 2, opts);
  EXPECT_EQ(progress.last(), 1.0) << n;
  opts.progress = [](double) { return false; };
  work = keys;
  EXPECT_THROW(nth_element(work, n / 2, opts), cancelled) << n;
  EXPECT_TRUE(work == keys) << "nothing has moved yet";
}
TEST(TopK, AnNthElementTellsProgressAndIsCancelled) {
  check_nth_element_tells<std::uint32_t>(40'000);
  check_nth_element_tells<std::uint16_t>(40'000);
  check_nth_element_tells<double>(100'000);
}

TEST(TopK, ExplainsWhatItDoes) {
  const top_k_request request{
      .type = key_type::u32, .n = 1'000'000, .k = 100, .carries = payload::indices, .value_bytes = 4};
  const plan p = explain(request);
  EXPECT_EQ(p.engine, "cpu");
  ASSERT_EQ(p.steps.size(), 5u);
  EXPECT_EQ(p.steps[1].name, "collect");
  EXPECT_EQ(p.steps[1].bytes_read, 4'000'000u);
  EXPECT_EQ(p.workspace_bytes, workspace_bytes(request));
  EXPECT_LT(p.workspace_bytes, 1'000'000u);
  EXPECT_EQ(explain(top_k_request{.type = key_type::u16, .n = 1000, .k = 999}).steps.front().name, "sort");
  const std::uint64_t wanted = 3;
  const plan read = explain(top_k_request{.type = key_type::u32, .n = 1'000'000, .k = 100, .row_k = &wanted});
  EXPECT_EQ(read.steps.back().detail, "as many as row_k says, 100 of a row at most");
  const plan of_segments = explain(segmented_top_k_request{{.type = key_type::u32, .n = 1'000'000, .k = 100},
                                                           {.form = segment_form::offsets, .count = 1000}});
  ASSERT_EQ(of_segments.steps.size(), 1u);
  EXPECT_EQ(of_segments.steps[0].bytes_read, 4'000'000u);
  EXPECT_EQ(of_segments.workspace_bytes, 0u);
}

/// Of segments k may be above n. The arrays need not be there for a plan, also where there are no keys.
TEST(TopK, PlansSegmentsOfNoKeys) {
  for (const payload carries : {payload::none, payload::indices, payload::values}) {
    const segmented_top_k_request none{
        {.type = key_type::u32, .n = 0, .k = 3, .carries = carries, .value_bytes = carries == payload::none ? 0u : 8u},
        {.form = segment_form::offsets, .count = 2}};
    EXPECT_EQ(workspace_bytes(none), 0u);
    EXPECT_EQ(explain(none).engine, "cpu");
  }
}

} // namespace
} // namespace sortile
