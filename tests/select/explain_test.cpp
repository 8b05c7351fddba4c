// What explain says of selections, held against the steps that are done: by vectors at once, in pieces, or by a filter,
// as type, n, k, options and instruction set have it.
#include "cpu/radix_job.hpp"
#include "cpu/small_select.hpp"
#include "tests/select/told_steps.hpp"
#include "tests/short_tests.hpp"

#include "testing/workloads.hpp"

#include <sortile/select.hpp>

#include <gtest/gtest.h>

#include <string>

namespace sortile {
namespace {

/// Each once, in the order in which they came first: runs of ranks repeat them, and partial sorts copy twice.
std::vector<std::string_view> without_repeats(const std::vector<std::string_view>& steps) {
  std::vector<std::string_view> once;
  for (const std::string_view step : steps)
    if (!testing::names(once, step))
      once.push_back(step);
  return once;
}

/// Of a plan without what is done only where a sample misleads.
std::vector<std::string_view> planned(const plan& p) {
  std::vector<std::string_view> steps;
  for (const plan_step& step : p.steps)
    if (step.name != "fallback")
      steps.push_back(step.name);
  return without_repeats(steps);
}

template <class Request>
void expect_done_as_explained(const std::string& text, const Request& request, const options& opts) {
  const plan p = explain(request, opts);
  const auto done = without_repeats(testing::steps_of([&] { run(request, opts); }));
  EXPECT_EQ(planned(p), done) << text;
  std::size_t read = 0;
  for (const plan_step& step : p.steps)
    read += step.bytes_read;
  const std::size_t keys = request.n * key_bytes(request.type);
  EXPECT_GE(read, keys) << text;
  EXPECT_LE(read, 6 * keys + 100'000) << text;
}

template <class K>
void check_explained(std::size_t n, const options& opts) {
  const key_type type = key_type_of<K>;
  const std::vector<K> keys = testing::make_keys<K>("uniform", n, 3);
  std::vector<K> work = keys, found(n);
  std::vector<double> results(2);
  const std::string text = std::string(name(type)) + ", n = " + std::to_string(n);
  for (const std::vector<std::size_t>& ranks :
       {std::vector<std::size_t>{n / 2}, {n / 4, n / 2, n / 2 + 1}, {0, n / 8, n / 4, n / 3, n / 2, n - 1}})
    expect_done_as_explained(text + ", " + std::to_string(ranks.size()) + " ranks",
                             ranks_request{type, n, keys.data(), ranks, found.data()}, opts);
  if (opts.order == order::ascending && opts.bits.end == bit_window::whole_key)
    expect_done_as_explained(text + ", quantiles",
                             quantiles_request{.type = type,
                                               .n = n,
                                               .keys = keys.data(),
                                               .probabilities = std::vector<double>{0.5, 0.9},
                                               .results = results.data()},
                             opts);
  for (const std::size_t k : {std::size_t{10}, n / 2, n}) {
    expect_done_as_explained(
        text + ", top-k, k = " + std::to_string(k),
        top_k_request{.type = type, .n = n, .k = k, .keys_in = keys.data(), .keys_out = found.data()}, opts);
    work = keys;
    expect_done_as_explained(text + ", partial sort, k = " + std::to_string(k),
                             partial_sort_request{.type = type, .n = n, .k = k, .keys = work.data()}, opts);
  }
  work = keys;
  expect_done_as_explained(text + ", nth_element",
                           nth_element_request{.type = type, .n = n, .nth = n / 2, .keys = work.data()}, opts);
}

TEST(Explain, SaysWhatSelectionsDo) {
  const cpu::instruction_set usual = cpu::tuning().widest;
  options told, falling, by_part;
  told.progress = [](double) { return true; };
  falling.order = order::descending;
  falling.threads = 3;
  by_part.bits = {0, 10};
  testing::one_in some(5);
  for (const cpu::instruction_set set : {cpu::instruction_set::baseline, usual})
    for (const std::size_t n : {std::size_t{50}, std::size_t{3000}, std::size_t{100'000}, cpu::most_alone + 5000})
      for (const options& opts : {options{}, told, falling, by_part}) {
        cpu::tuning().widest = set;
        if (some())
          check_explained<std::uint32_t>(n, opts);
        if (some())
          check_explained<double>(n, opts);
        if (some())
          check_explained<std::int16_t>(n, opts);
      }
  cpu::tuning().widest = usual;
}

TEST(Explain, NamesTheVectorsWork) {
  if (!cpu::has(cpu::instruction_set::avx2))
    GTEST_SKIP() << "the processor has no vectors that select";
  const auto first_step = [](const auto& request, const options& opts = {}) {
    return explain(request, opts).steps.front();
  };
  const std::vector<std::size_t> middle{500'000};
  const plan_step gather = first_step(ranks_request{.type = key_type::u32, .n = 1'000'000, .ranks = middle});
  EXPECT_EQ(gather.name, "gather");
  EXPECT_EQ(gather.bytes_read, 4'000'000u);
  EXPECT_GT(gather.bytes_written, 300'000u); // 1.8 deviations of a sample of 512 on either side: 44 of them
  EXPECT_LT(gather.bytes_written, 400'000u);
  EXPECT_EQ(first_step(ranks_request{.type = key_type::u32, .n = 10'000'000, .ranks = middle}).name, "sample");
  EXPECT_EQ(explain(ranks_request{.type = key_type::u32, .n = 10'000'000, .ranks = middle}).steps[1].name, "gather");
  EXPECT_EQ(first_step(top_k_request{.type = key_type::f64, .n = 1'000'000, .k = 1000}).name, "gather");
  EXPECT_EQ(first_step(top_k_request{.type = key_type::f64, .n = 1'000'000, .k = 10}).name, "sample");
  EXPECT_EQ(first_step(top_k_request{.type = key_type::f64, .n = 2'000'000, .k = 10}).name, "sample");
  options told;
  told.progress = [](double) { return true; };
  EXPECT_EQ(first_step(top_k_request{.type = key_type::f64, .n = 1'000'000, .k = 10}, told).name, "sample");
}

} // namespace
} // namespace sortile
