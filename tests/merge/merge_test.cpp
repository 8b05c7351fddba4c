// Merges of any number of runs against the oracle: a stable sort of the runs laid end to end.
#include "tests/differential/usable_engines.hpp"
#include "tests/expect_refusal.hpp"
#include "tests/merge/merge_case.hpp"

#include <sortile/sortile.hpp>

#include <gtest/gtest.h>

namespace sortile::testing {
namespace {

TEST(merge, of_two_ranges) {
  const std::vector<float> a = {1, 3, 5}, b = {2, 3, 4, 9};
  std::vector<float> out(7);
  sortile::merge(a, b, out);
  EXPECT_EQ(out, (std::vector<float>{1, 2, 3, 3, 4, 5, 9}));
}

TEST(merge, of_a_list_of_ranges) {
  const std::vector<std::vector<int>> runs = {{3, 9}, {}, {1, 3, 8}, {2}};
  std::vector<int> out(6);
  sortile::merge(runs, out);
  EXPECT_EQ(out, (std::vector<int>{1, 2, 3, 3, 8, 9}));
  std::vector<double> whole = {5, 1, 6, 4, 2, 0}, merged(6);
  sortile::merge(std::array{std::span(whole).first(2), std::span(whole).last(4)}, merged, {.order = order::descending});
  EXPECT_EQ(merged, (std::vector<double>{6, 5, 4, 2, 1, 0}));
  sortile::merge(std::vector<std::vector<int>>{}, std::span<int>());
  expect_invalid([&] { sortile::merge(runs, std::span(out).first(5)); },
                 {"merge", "all runs together", "6", "out", "5"});
}

TEST(merge, of_any_number_of_runs) {
  const std::vector<std::vector<std::size_t>> shapes = {
      {},
      {0},
      {5},
      {0, 0, 0},
      {1, 1},
      {0, 7, 0, 3, 0},
      {1000, 1},
      {1, 1000},
      {100, 100},
      {64, 65, 63},
      {1, 2, 3, 4, 5, 6, 7, 8, 9},
      {5000, 0, 7000, 12, 1},
      std::vector<std::size_t>(100, 37),
      {120'000 / slow_build, 90'000 / slow_build},
      {70'000 / slow_build, 10, 80'000 / slow_build, 30'000 / slow_build}};
  for (const key_type type : {key_type::u8, key_type::u32, key_type::f64, key_type::i128, key_type::bf16})
    for (const std::vector<std::size_t>& lengths : shapes)
      for (const std::size_t value_bytes : {0u, 4u, 12u})
        for (const order direction : {order::ascending, order::descending})
          for (const char* workload : {"uniform", "few:5"}) {
            const verdict v = check_merge({{type, direction}, lengths, value_bytes, workload, lengths.size() + 1});
            ASSERT_TRUE(v) << v.complaint;
          }
}

TEST(merge, is_stable_with_floats_and_windows) {
  for (const unsigned threads : {1u, 2u, 3u}) {
    for (const order direction : {order::ascending, order::descending}) {
      verdict v = check_merge({{key_type::f32, direction}, {40'000, 30'000, 5, 20'000}, 8, "specials", 4, threads});
      EXPECT_TRUE(v) << v.complaint;
      v = check_merge({{key_type::u64, direction, {10, 13}}, {40'000, 30'000, 5, 20'000}, 3, "uniform", 4, threads});
      EXPECT_TRUE(v) << v.complaint;
    }
  }
}

TEST(merge, has_a_plan) {
  const std::vector<sorted_run> runs = {{nullptr, nullptr, 100}, {nullptr, nullptr, 7}};
  const merge_request planned{.type = key_type::u64, .runs = runs, .value_bytes = 4};
  const plan p = explain(planned);
  EXPECT_EQ(p.engine, "cpu");
  ASSERT_EQ(p.steps.size(), 1u);
  EXPECT_EQ(p.steps[0].bytes_read, 107u * 12);
  EXPECT_EQ(workspace_bytes(planned), 0u);
}

TEST(merge, refuses_misuse_by_name) {
  std::vector<std::uint32_t> a = {1, 2}, b = {3, 4}, out(4), values(4);
  const std::vector<sorted_run> runs = {{a.data(), values.data(), 2}, {b.data(), values.data() + 2, 2}};
  const auto refuse = [&](std::vector<sorted_run> changed, merge_request r, const std::vector<std::string>& words) {
    r.runs = changed;
    expect_invalid([&] { run(r); }, words);
  };
  const merge_request right{.keys_out = out.data()};
  refuse(runs, {.keys_out = nullptr}, {"keys_out", "null"});
  refuse({runs[0], {nullptr, nullptr, 2}}, right, {"run 1", "null"});
  refuse({runs[0], {b.data(), nullptr, 2}}, {.keys_out = out.data(), .value_bytes = 4, .values_out = values.data()},
         {"run 1", "values", "null"});
  refuse(runs, {.keys_out = a.data() - 0}, {"run 0", "keys_out", "overlap"});
  refuse(runs, {.keys_out = out.data(), .value_bytes = 4, .values_out = nullptr}, {"values_out", "null"});
  refuse(runs, {.keys_out = out.data(), .value_bytes = 4, .values_out = values.data()}, {"overlap"});
  refuse(runs, {.keys_out = reinterpret_cast<std::byte*>(out.data()) + 1}, {"aligned"});
}

} // namespace
} // namespace sortile::testing
