// Sorts by a comparison against std::stable_sort: elements of every kind, comparisons of every kind, any number of
// threads.
#include "tests/any_order/fixture.hpp"

#include <cmath>
#include <deque>
#include <memory>

namespace sortile::testing {
namespace {

constexpr unsigned thread_counts[] = {1, 2, 3, 7, 64};

/// A thread count and an arrangement for each size, all combinations over the sizes of several types.
template <class Check>
void over_inputs(const Check& check) {
  std::uint64_t seed = 1;
  for (const std::size_t n : sizes)
    for (const keys_are a : all_arrangements) {
      const unsigned threads = thread_counts[seed % std::size(thread_counts)];
      SCOPED_TRACE("n = " + std::to_string(n) + ", arrangement " + std::to_string(int(a)) + ", threads " +
                   std::to_string(threads));
      check(n, a, ++seed, options{.threads = threads});
      if (::testing::Test::HasFailure())
        return;
    }
}

template <class T>
std::vector<T> sorted(std::vector<T> all) {
  std::stable_sort(all.begin(), all.end(), coarse_descending{});
  return all;
}

template <class T>
void check_sorts() {
  over_inputs([](std::size_t n, keys_are a, std::uint64_t seed, const options& opts) {
    const std::vector<T> given = elements<T>(a, n, seed), expected = sorted(given);
    std::vector<T> all = given;
    sort(all, coarse_descending{}, opts);
    ASSERT_EQ(all, expected);
    ASSERT_TRUE(sortile::is_sorted(all, coarse_descending{}, opts));
    if constexpr (std::is_trivially_copyable_v<T>) {
      std::vector<T> out = given;
      std::reverse(out.begin(), out.end());
      sort(given, out, coarse_descending{}, opts);
      ASSERT_EQ(out, expected);
    }
  });
}

TEST(any_order, of_numbers) {
  check_sorts<std::uint32_t>();
  check_sorts<std::uint8_t>();
}
TEST(any_order, of_structs_that_are_sorted_as_they_are) {
  check_sorts<three_bytes>();
  check_sorts<sized<12>>();
  check_sorts<sized<64>>();
}
TEST(any_order, of_elements_that_are_sorted_by_their_positions) {
  check_sorts<sized<68>>();
  check_sorts<owner>();
}

template <class K, class V>
void check_pairs() {
  over_inputs([](std::size_t n, keys_are a, std::uint64_t seed, const options& opts) {
    const std::vector<K> given = elements<K>(a, n, seed), expected = sorted(given);
    const std::vector<V> values = elements<V>(keys_are::random, n, seed + 1);
    std::vector<std::size_t> order(n);
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::stable_sort(order.begin(), order.end(),
                     [&](std::size_t i, std::size_t j) { return coarse_descending{}(given[i], given[j]); });
    std::vector<V> expected_values;
    for (const std::size_t i : order)
      expected_values.push_back(values[i]);
    std::vector<K> keys = given;
    std::vector<V> moved = values;
    sort_by_key(keys, moved, coarse_descending{}, opts);
    ASSERT_EQ(keys, expected);
    ASSERT_EQ(moved, expected_values);
    if constexpr (std::is_trivially_copyable_v<K>) {
      std::vector<K> keys_out(n);
      std::vector<V> values_out(n);
      sort_by_key(given, values, keys_out, values_out, coarse_descending{}, opts);
      ASSERT_EQ(keys_out, expected);
      ASSERT_EQ(values_out, expected_values);
    }
  });
}

TEST(any_order, with_values) {
  check_pairs<std::uint32_t, std::uint32_t>();
  check_pairs<sized<12>, three_bytes>();
  check_pairs<sized<32>, sized<68>>();
  check_pairs<owner, std::uint64_t>();
}

template <class T, class Index>
void check_argsort() {
  over_inputs([](std::size_t n, keys_are a, std::uint64_t seed, const options& opts) {
    const std::vector<T> given = elements<T>(a, n, seed);
    std::vector<Index> expected(n);
    std::iota(expected.begin(), expected.end(), Index{0});
    std::stable_sort(expected.begin(), expected.end(), [&](Index i, Index j) {
      return coarse_descending{}(given[static_cast<std::size_t>(i)], given[static_cast<std::size_t>(j)]);
    });
    ASSERT_EQ((sortile::argsort<Index>(given, coarse_descending{}, opts)), expected);
  });
}

TEST(any_order, of_positions) {
  check_argsort<std::uint32_t, std::uint32_t>();
  check_argsort<sized<12>, std::int64_t>();
  check_argsort<sized<64>, std::int32_t>();
  check_argsort<owner, std::uint64_t>();
}

/// Large enough for two levels of splitters, with and without buckets of equal elements.
TEST(any_order, of_a_million) {
  for (const keys_are a : {keys_are::random, keys_are::one_frequent, keys_are::in_runs}) {
    const auto given = elements<sized<12>>(a, 1'000'000, 5), expected = sorted(given);
    for (const unsigned threads : {1u, 2u, 64u}) {
      auto all = given;
      sort(all, coarse_descending{}, {.threads = threads});
      ASSERT_EQ(all, expected) << threads;
    }
  }
}

TEST(any_order, in_other_ranges) {
  std::deque<int> numbers;
  for (std::size_t i = 0; i < 5000; ++i)
    numbers.push_back(static_cast<int>(random_bits(6, i) % 1000));
  std::deque<int> expected = numbers;
  const auto by_last_digit = [](int a, int b) { return a % 10 < b % 10; };
  std::stable_sort(expected.begin(), expected.end(), by_last_digit);
  sort(numbers, by_last_digit);
  EXPECT_EQ(numbers, expected);

  const auto squares = std::views::iota(-3, 4) | std::views::transform([](int x) { return x * x; });
  std::vector<std::uint32_t> positions(7);
  argsort(squares, positions, [](int a, int b) { return a > b; });
  EXPECT_EQ(positions, (std::vector<std::uint32_t>{0, 6, 1, 5, 2, 4, 3}));

  std::vector<std::unique_ptr<int>> owners;
  for (int i = 0; i < 100; ++i)
    owners.push_back(std::make_unique<int>(i * 37 % 100));
  sort(owners, [](const auto& a, const auto& b) { return *a < *b; });
  for (int i = 0; i < 100; ++i)
    ASSERT_EQ(*owners[std::size_t(i)], i);

  int plain[] = {3, 1, 2};
  sort(
      plain, +[](int a, int b) { return a > b; });
  EXPECT_EQ(plain[0], 3);
  EXPECT_EQ(plain[2], 1);
}

/// std::less and std::greater on numbers are the library's own order: NaN, which they do not order, are the largest.
TEST(any_order, of_numbers_in_their_own_order) {
  const float nan = std::nanf("");
  std::vector<float> floats = {nan, 1, -0.0f, 0.0f, -1};
  sort(floats, std::greater{});
  EXPECT_TRUE(std::isnan(floats[0]));
  EXPECT_EQ(floats[1], 1);
  EXPECT_TRUE(std::signbit(floats[2])) << "-0 equals 0, and came first";
  EXPECT_EQ(floats[4], -1);
  EXPECT_TRUE(sortile::is_sorted(floats, std::ranges::greater{}));
  EXPECT_FALSE(sortile::is_sorted(floats, std::less<float>{}));

  std::vector<int> keys = {1, 3, 2}, values = {10, 30, 20}, out(3), values_out(3);
  sort_by_key(keys, values, keys, values, std::greater<int>{}, {.threads = 1});
  EXPECT_EQ(values, (std::vector{30, 20, 10}));
  sort_by_key(keys, values, out, values_out, std::less{});
  EXPECT_EQ(values_out, (std::vector{10, 20, 30}));
  EXPECT_EQ(argsort(keys, std::less{}), (std::vector<std::uint64_t>{2, 1, 0}));
  EXPECT_THROW(sort(keys, std::less{}, {.engine = "quantum"}), unknown_engine);
}

} // namespace
} // namespace sortile::testing
