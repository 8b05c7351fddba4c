// The calls of sortile/segments.hpp: what they do, what they refuse and by which words, plans, workspace, cancellation.
#include "tests/expect_refusal.hpp"

#include <sortile/sortile.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

namespace sortile::testing {
namespace {

using keys = std::vector<std::uint32_t>;
using offsets = std::vector<std::uint64_t>;

TEST(segment_calls, sort_each_segment) {
  keys k{5, 3, 4, 9, 1, 8, 7, 2};
  const offsets three{0, 3, 3, 8};
  segment_sort(k, segments::by_offsets(three));
  EXPECT_EQ(k, (keys{3, 4, 5, 1, 2, 7, 8, 9}));
  const std::vector<std::int32_t> two{0, 3, 8};
  segment_sort(k, segments::by_offsets(two), {.order = order::descending});
  EXPECT_EQ(k, (keys{5, 4, 3, 9, 8, 7, 2, 1}));
}

TEST(segment_calls, sort_apart_leaves_what_lies_between) {
  const keys in{5, 3, 4, 9, 1};
  keys out(5, 77);
  const offsets begins{3, 0}, ends{5, 2};
  segment_sort(in, out, segments::by_ranges(begins, ends));
  EXPECT_EQ(out, (keys{3, 5, 77, 1, 9}));
}

TEST(segment_calls, rows_and_columns) {
  const std::vector<float> matrix{3, 1, 2, 6, 5, 4, 9, 7, 8};
  std::vector<float> rows = matrix, columns = matrix;
  segment_sort(rows, segments::rows(3, 3));
  EXPECT_EQ(rows, (std::vector<float>{1, 2, 3, 4, 5, 6, 7, 8, 9}));
  segment_sort(columns, segments::columns(3, 3), {.order = order::descending});
  EXPECT_EQ(columns, (std::vector<float>{9, 7, 8, 6, 5, 4, 3, 1, 2}));
}

TEST(segment_calls, pairs_and_positions) {
  keys k{2, 1, 1, 5, 4};
  std::string values = "abcde";
  const offsets two{0, 3, 5};
  const std::vector<std::uint32_t> order = segment_argsort<std::uint32_t>(k, segments::by_offsets(two));
  EXPECT_EQ(order, (std::vector<std::uint32_t>{1, 2, 0, 1, 0}));
  segment_sort_by_key(k, values, segments::by_offsets(two));
  EXPECT_EQ(k, (keys{1, 1, 2, 4, 5}));
  EXPECT_EQ(values, "bcaed");
}

TEST(segment_calls, nothing_to_do) {
  keys none, k{2, 1};
  segment_sort(none, segments{});
  segment_sort(k, segments{});
  const offsets no_offset, one_offset{1};
  segment_sort(k, segments::by_offsets(no_offset));
  segment_sort(k, segments::by_offsets(one_offset));
  segment_sort(k, segments::rows(5, 0));
  segment_sort(k, segments::columns(0, 5));
  EXPECT_EQ(k, (keys{2, 1}));
  EXPECT_TRUE(segment_argsort(none, segments::rows(0, 7)).empty());
}

void expect_refused(const segments& where, const std::vector<std::string>& words) {
  keys k(100);
  std::iota(k.rbegin(), k.rend(), 0u);
  const keys before = k;
  expect_invalid([&] { segment_sort(k, where); }, words);
  EXPECT_EQ(k, before) << "moved before it was refused";
}

TEST(segment_calls, offsets_that_make_no_segments_are_refused_by_name) {
  const offsets falling{0, 7, 5, 9}, too_far{0, 7, 101};
  const std::vector<std::int64_t> negative{0, 7, -1};
  expect_refused(segments::by_offsets(falling), {"segment 1", "7", "5", "must not decrease"});
  expect_refused(segments::by_offsets(too_far), {"segment 1", "[7, 101)", "100"});
  expect_refused(segments::by_offsets(negative), {"segment 1", "reaches beyond"});
  const offsets begins{9, 0}, ends{5, 2}, others{5, 0, 9}, their_ends{9, 6, 12};
  expect_refused(segments::by_ranges(begins, ends), {"segment 0", "9", "5", "before it begins"});
  expect_refused(segments::by_ranges(others, their_ends), {"segments 1, [0, 6)", "0, [5, 9)", "overlap"});
  expect_invalid([&] { static_cast<void>(segments::by_ranges(others, ends)); }, {"by_ranges", "begins", "ends"});
}

TEST(segment_calls, a_wrong_offset_among_many_is_found) {
  std::vector<std::uint32_t> many(300'000);
  std::iota(many.begin(), many.end(), 0u);
  std::vector<std::uint16_t> k(many.size());
  many[200'001] = 199'999;
  expect_invalid([&] { segment_sort(k, segments::by_offsets(many), {.threads = 4}); }, {"segment 200000", "199999"});
}

TEST(segment_calls, ranges_in_any_order_that_touch_are_taken) {
  keys k{4, 3, 2, 1, 0};
  const offsets begins{3, 2, 0, 2}, ends{5, 3, 2, 2};
  segment_sort(k, segments::by_ranges(begins, ends));
  EXPECT_EQ(k, (keys{3, 4, 2, 0, 1}));
}

TEST(segment_calls, strides_may_interleave_segments_that_share_no_element) {
  for (const segments& where : {segments{.count = 2, .length = 5, .stride = 3, .step = 2},
                                segments{.count = 4, .length = 3, .stride = 6, .step = 9},
                                segments{.count = 3, .length = 4, .stride = 10, .step = 4}}) {
    keys k(40), expected;
    for (std::size_t i = 0; i < k.size(); ++i)
      k[i] = std::uint32_t(i * 37 % 41);
    expected = k;
    std::vector<bool> taken(k.size());
    bool apart = true;
    for (std::size_t i = 0; i < where.count; ++i) {
      keys one;
      for (std::size_t j = 0; j < where.length; ++j) {
        const std::size_t at = i * where.stride + j * where.step;
        apart = apart && !taken[at];
        taken[at] = true;
        one.push_back(k[at]);
      }
      std::sort(one.begin(), one.end());
      for (std::size_t j = 0; j < where.length; ++j)
        expected[i * where.stride + j * where.step] = one[j];
    }
    if (apart) {
      segment_sort(k, where);
      EXPECT_EQ(k, expected) << where.stride;
    } else {
      expect_invalid([&] { segment_sort(k, where); }, {"overlap"});
    }
  }
}

TEST(segment_calls, strides_that_do_not_fit_are_refused) {
  expect_refused(segments::rows(11, 10), {"11 segments of 10", "beyond", "100"});
  expect_refused(segments::rows(3, 10, 9), {"overlap", "stride"});
  expect_refused({.count = 3, .length = 2, .stride = 0, .step = 1}, {"overlap"});
  expect_refused({.count = 3, .length = 2, .stride = 5, .step = 0}, {"overlap"});
  expect_refused({.count = ~std::size_t{0}, .length = ~std::size_t{0}, .stride = ~std::size_t{0}, .step = 2},
                 {"beyond"});
  expect_refused({.form = static_cast<segment_form>(7)}, {"form", "7"});
  expect_refused({.form = segment_form::offsets, .count = 2}, {"begins", "null"});
  const offsets some{0, 1, 2};
  expect_refused({.form = segment_form::offsets, .count = 2, .begins = some.data(), .offset_bytes = 2},
                 {"2 bytes", "4 and 8"});
  expect_refused({.form = segment_form::offsets, .count = 1, .begins = reinterpret_cast<const char*>(some.data()) + 2},
                 {"begins", "aligned"});
}

TEST(segment_calls, what_a_sort_of_segments_has_no_use_for_is_refused) {
  keys a(10), b(10);
  const std::uint64_t number = 3;
  std::uint32_t status = 0;
  segmented_request r{{.n = 10, .keys_in = a.data(), .keys_out = b.data()}, segments::rows(2, 5)};
  r.arrays.input_is_scratch = true;
  expect_invalid([&] { run(r); }, {"input_is_scratch", "double buffer"});
  r.arrays.input_is_scratch = false;
  r.arrays.device_n = &number;
  expect_invalid([&] { run(r); }, {"device_n"});
  r.arrays.device_n = nullptr;
  r.arrays.device_status = &status;
  expect_invalid([&] { run(r); }, {"device_status", "memory::device"});
  r.arrays.device_status = nullptr;
  expect_invalid([&] { run(r, {.workspace_limit = 1 << 20}); }, {"workspace_limit"});
  const auto* const inside = reinterpret_cast<const std::uint32_t*>(b.data());
  r.where = {.form = segment_form::offsets, .count = 2, .begins = inside, .offset_bytes = 4};
  expect_invalid([&] { run(r); }, {"begins", "keys_out", "overlap"});
}

TEST(segment_calls, an_engine_without_them_is_refused_by_name) {
  keys k(10);
  EXPECT_THROW(segment_sort(k, segments::rows(2, 5), {.engine = "abacus"}), unknown_engine);
  expect_refusal<engine_unusable>([&] { segment_sort(k, segments::rows(2, 5), {.memory = memory::device}); },
                                  status::engine_unusable, {"device memory"});
}

TEST(segment_calls, plans_say_what_is_done) {
  const segmented_request rows{{.n = 1 << 20}, segments::rows(1 << 10, 1 << 10)};
  const plan p = explain(rows);
  EXPECT_EQ(p.engine, "cpu");
  ASSERT_FALSE(p.steps.empty());
  EXPECT_EQ(p.steps.back().name, "local");
  EXPECT_EQ(p.workspace_bytes, workspace_bytes(rows));
  const plan columns = explain({{.n = 1 << 20}, segments::columns(1 << 10, 1 << 10)});
  EXPECT_EQ(columns.steps.front().name, "transpose");
  EXPECT_EQ(columns.steps.back().name, "transpose");
  EXPECT_GE(columns.workspace_bytes, std::size_t{4} << 20);
}

TEST(segment_calls, too_small_a_workspace_is_refused) {
  std::vector<std::uint64_t> k(100'000);
  std::iota(k.rbegin(), k.rend(), 0u);
  alignas(workspace_alignment) static std::byte space[256];
  options opts;
  opts.workspace = space;
  EXPECT_THROW(segment_sort(k, segments::columns(1000, 100), opts), workspace_too_small);
}

TEST(segment_calls, cancelled_between_tasks) {
  std::vector<std::uint64_t> k(3'000'000), values(k.size());
  std::iota(k.rbegin(), k.rend(), 0u);
  int calls = 0;
  options opts{.threads = 2, .progress = [&calls](double) { return ++calls < 3; }};
  EXPECT_THROW(segment_sort_by_key(k, values, segments::rows(3000, 1000), opts), cancelled);
  EXPECT_EQ(calls, 3);
}

} // namespace
} // namespace sortile::testing
