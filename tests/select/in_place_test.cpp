// partial_sort and nth_element on the CPU: what they put in place, and what they leave where it was.
#include "cpu/radix_job.hpp"
#include "tests/select/in_place_case.hpp"
#include "tests/short_tests.hpp"

#include "testing/workloads.hpp"

#include <gtest/gtest.h>

#include <cstring>

namespace sortile {
namespace {

TEST(PartialSort, KeysAndValuesOfRandomCases) {
  const std::uint64_t cases = testing::unless_short(600, 150);
  for (std::uint64_t seed = 0; seed < cases; ++seed) {
    const auto found =
        testing::check_partial_sort(testing::random_in_place(seed, "", seed % 16 == 0 ? 200'000 : 5'000));
    ASSERT_TRUE(found) << found.complaint;
  }
}

TEST(NthElement, RandomCases) {
  const std::uint64_t cases = testing::unless_short(600, 150);
  for (std::uint64_t seed = 0; seed < cases; ++seed) {
    const auto found = testing::check_nth_element(testing::random_in_place(seed, "", seed % 16 == 0 ? 200'000 : 5'000));
    ASSERT_TRUE(found) << found.complaint;
  }
}

TEST(NthElement, RandomCasesByEveryInstructionSet) {
  const cpu::radix_tuning before = cpu::tuning();
  for (const cpu::instruction_set set : cpu::all_instruction_sets) {
    if (!cpu::has(set))
      continue;
    cpu::tuning().widest = set;
    const std::uint64_t cases = testing::unless_short(200, 60);
    for (std::uint64_t seed = 0; seed < cases; ++seed) {
      const auto c = testing::random_in_place(seed, "", seed % 20 == 0 ? 100'000 : 3'000);
      const auto nth = testing::check_nth_element(c), first = testing::check_partial_sort(c);
      EXPECT_TRUE(nth) << cpu::name(set) << ": " << nth.complaint;
      EXPECT_TRUE(first) << cpu::name(set) << ": " << first.complaint;
    }
  }
  cpu::tuning() = before;
}

/// Where no vectors select: keys that split badly, at the ends and in the middle.
TEST(NthElement, BySplitsOneByOne) {
  const cpu::radix_tuning before = cpu::tuning();
  cpu::tuning().widest = cpu::instruction_set::baseline;
  testing::one_in some(3);
  std::uint64_t seed = 0;
  for (const key_type type : {key_type::u32, key_type::i64, key_type::u128, key_type::i128})
    for (const char* const workload :
         {"uniform", "sorted", "reversed", "organ-pipe", "few:1", "few:2", "few:40", "zipf"})
      for (const std::size_t n : {std::size_t{513}, std::size_t{5000}, std::size_t{70'000}})
        for (const std::size_t nth : {std::size_t{0}, n / 100, n / 2, n - 1}) {
          ++seed;
          if (!some())
            continue;
          const auto found =
              testing::check_nth_element({.type = type,
                                          .n = n,
                                          .k = nth,
                                          .workload = workload,
                                          .seed = seed,
                                          .direction = seed % 2 == 0 ? order::ascending : order::descending});
          EXPECT_TRUE(found) << found.complaint;
        }
  EXPECT_EQ(explain(nth_element_request{.type = key_type::u128, .n = 1000, .nth = 10}).steps.front().name, "split");
  cpu::tuning() = before;
}

TEST(NthElement, IsTheSameWithAnyNumberOfThreads) {
  const auto keys = testing::make_keys<float>("few:1000", 500'000, 3);
  std::vector<float> alone = keys;
  nth_element(alone, 123'456, {.threads = 1});
  for (const unsigned threads : {2u, 3u, 8u}) {
    std::vector<float> together = keys;
    nth_element(together, 123'456, {.threads = threads});
    EXPECT_EQ(std::memcmp(alone.data(), together.data(), keys.size() * sizeof(float)), 0);
  }
}

TEST(PartialSort, Templates) {
  std::vector<int> keys{5, 2, 9, 2, 1};
  std::vector<char> values{'a', 'b', 'c', 'd', 'e'};
  partial_sort_by_key(keys, values, 2);
  EXPECT_EQ(keys, (std::vector<int>{1, 2, 9, 2, 5}));
  EXPECT_EQ(values, (std::vector<char>{'e', 'b', 'c', 'd', 'a'}));
  partial_sort(keys, keys.size(), {.order = order::descending});
  EXPECT_EQ(keys, (std::vector<int>{9, 5, 2, 2, 1}));
}

TEST(PartialSort, ExplainsItself) {
  const auto last_steps = [](const plan& p) {
    EXPECT_EQ(p.engine, "cpu");
    EXPECT_EQ(p.workspace_bytes, 0u); // it allocates its own
    return p.steps.empty() ? std::string()
                           : std::string(p.steps[p.steps.size() - 2].name) + ", " + std::string(p.steps.back().name);
  };
  options opts;
  opts.engine = "cpu";
  const partial_sort_request first{.type = key_type::f64, .n = 1'000'000, .k = 10};
  EXPECT_EQ(last_steps(explain(first, opts)), "displace, copy");
  EXPECT_EQ(workspace_bytes(first, opts), 0u);
  EXPECT_EQ(workspace_bytes(nth_element_request{.n = 1'000'000, .nth = 10}, opts), 0u);
  const nth_element_request narrow{.type = key_type::f16, .n = 1'000'000, .nth = 500'000};
  EXPECT_EQ(explain(narrow, opts).steps.front().name, "sort");
  options told = opts;
  told.progress = [](double) { return true; }; // a sort that is cancelled does not keep its keys
  EXPECT_EQ(last_steps(explain(narrow, told)), "copy, exchange");
  const auto first_step = [&](key_type type, std::size_t n) {
    return std::string(explain(nth_element_request{.type = type, .n = n, .nth = n / 2}, opts).steps.front().name);
  };
  EXPECT_EQ(first_step(key_type::f16, 1000), "sort");
  if (cpu::has(cpu::instruction_set::avx2)) {
    EXPECT_EQ(first_step(key_type::f64, 1'000'000), "split");
    opts.bits = {0, 20};
    EXPECT_EQ(first_step(key_type::f64, 1'000'000), "sample");
  }
  EXPECT_TRUE(explain(nth_element_request{.n = 10, .nth = 10}, opts).steps.empty());
}

} // namespace
} // namespace sortile
