// Comparisons that are no order, or throw, and calls that are cancelled: no element is lost.
#include "tests/any_order/fixture.hpp"

#include <atomic>

namespace sortile::testing {
namespace {

/// No order, by odds in a hundred; or one that throws, where so many calls were left. One type, since each brings a
/// sort of its own to compile.
struct faulty {
  struct stopped {};
  std::atomic<std::uint64_t>* asked = nullptr;
  std::uint64_t seed = 0;
  unsigned odds = 0;
  std::atomic<std::int64_t>* left = nullptr;

  bool operator()(const sized<12>& a, const sized<12>& b) const {
    if (left == nullptr)
      return random_bits(seed, asked->fetch_add(1, std::memory_order_relaxed)) % 100 < odds;
    return left->fetch_sub(1, std::memory_order_relaxed) <= 0 ? throw stopped{} : a.key < b.key;
  }
};

/// Answers at random, or always the same: nothing is read beyond the arrays (the sanitizers see to that), and no
/// element is lost.
TEST(any_order, of_a_comparison_that_is_no_order) {
  for (const std::size_t n : sizes)
    for (const unsigned odds : {0u, 1u, 50u, 99u, 100u}) {
      std::atomic<std::uint64_t> asked{0};
      const faulty random{.asked = &asked, .seed = n, .odds = odds};
      const auto given = elements<sized<12>>(keys_are::random, n, n + odds);
      const auto by_place = [](const auto& a, const auto& b) { return a.place < b.place; };
      std::vector<std::uint32_t> numbers(n);
      std::iota(numbers.begin(), numbers.end(), 0u);
      auto all = given;
      sort(all, random, {.threads = 2});
      auto keys = all;
      sort_by_key(keys, numbers, random, {.threads = 3});
      for (std::size_t i = 0; i < n; ++i)
        ASSERT_EQ(keys[i], all[numbers[i]]) << "a value stays with its key";
      std::sort(all.begin(), all.end(), by_place);
      ASSERT_EQ(all, given) << n << " elements, odds " << odds;
      std::sort(numbers.begin(), numbers.end());
      for (std::size_t i = 0; i < n; ++i)
        ASSERT_EQ(numbers[i], i);

      std::vector<sized<12>> merged(2 * n);
      sortile::merge(given, given, merged, random, {.threads = 2});
      std::sort(merged.begin(), merged.end(), by_place);
      for (std::size_t i = 0; i < 2 * n; ++i)
        ASSERT_EQ(merged[i], given[i / 2]);
    }
}

TEST(any_order, of_a_comparison_that_throws) {
  using stopped = faulty::stopped;
  for (const keys_are a : {keys_are::random, keys_are::one_frequent, keys_are::in_runs, keys_are::falling}) {
    const auto given = elements<sized<12>>(a, 30'000, 9);
    for (std::int64_t calls = 1; calls < 1'500'000; calls = calls * 5 / 4 + 1) {
      std::atomic<std::int64_t> left{calls};
      const faulty fails{.left = &left};
      auto all = given;
      bool threw = false;
      try {
        sort(all, fails, {.threads = 2});
      } catch (const stopped&) {
        threw = true;
      }
      EXPECT_EQ(threw, left < 0);
      std::sort(all.begin(), all.end(), [](const auto& x, const auto& y) { return x.place < y.place; });
      ASSERT_EQ(all, given) << "after " << calls << " calls";
      if (!threw)
        break;
      std::vector<std::uint32_t> values(given.size(), 7);
      all = given;
      left = calls;
      EXPECT_THROW(sort_by_key(all, values, fails, {.threads = 2}), stopped);
      ASSERT_EQ(all, given) << "with values nothing has moved";
    }
  }
}

TEST(any_order, is_told_of_and_can_be_cancelled) {
  const auto given = elements<sized<12>>(keys_are::random, 50'000, 3);
  for (const unsigned threads : {1u, 3u}) {
    std::vector<double> told;
    auto all = given;
    sort(all, coarse_descending{}, {.threads = threads, .progress = [&](double done) {
                                      told.push_back(done);
                                      return true;
                                    }});
    ASSERT_GE(told.size(), 3u);
    EXPECT_TRUE(std::is_sorted(told.begin(), told.end()));
    EXPECT_EQ(told.back(), 1.0);
    const std::size_t reports = told.size();
    for (std::size_t stop = 0; stop < reports; stop += 1 + reports / 16) {
      std::size_t seen = 0;
      const std::size_t until = threads == 1 ? stop : std::min<std::size_t>(stop, 3); // others may leave us fewer tasks
      const options opts{.threads = threads, .progress = [&](double) { return seen++ < until; }};
      all = given;
      EXPECT_THROW(sort(all, coarse_descending{}, opts), cancelled);
      std::sort(all.begin(), all.end(), [](const auto& x, const auto& y) { return x.place < y.place; });
      ASSERT_EQ(all, given);
      std::vector<std::uint32_t> values(given.size(), 7);
      seen = 0;
      EXPECT_THROW(sort_by_key(all, values, coarse_descending{}, opts), cancelled);
      ASSERT_EQ(all, given) << "with values nothing has moved";
    }
  }
}

/// So a callback that cancels at its last call still finds everything in its place.
TEST(any_order, with_values_moves_nothing_while_it_can_be_cancelled) {
  const auto given = elements<sized<12>>(keys_are::random, 50'000, 4);
  auto all = given;
  std::vector<std::uint32_t> values(given.size());
  std::size_t calls = 0;
  const auto nothing_has_moved = [&](double) {
    ++calls;
    EXPECT_TRUE(all == given) << "call " << calls;
    return true;
  };
  sort_by_key(all, values, coarse_descending{}, {.threads = 1, .progress = nothing_has_moved});
  EXPECT_GE(calls, 3u);
  EXPECT_TRUE(sortile::is_sorted(all, coarse_descending{}));
}

} // namespace
} // namespace sortile::testing
