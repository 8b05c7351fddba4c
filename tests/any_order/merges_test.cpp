// Merges by a comparison against std::stable_sort of the runs one after the other.
#include "tests/any_order/fixture.hpp"
#include "tests/expect_refusal.hpp"

#include <list>

namespace sortile::testing {
namespace {

template <class T>
void check_merges() {
  std::uint64_t seed = 1;
  for (const std::size_t count : {0u, 1u, 2u, 3u, 4u, 5u, 8u, 17u})
    for (const std::size_t most : {0u, 1u, 10u, 300u, 40'000u})
      for (const keys_are a : {keys_are::random, keys_are::few, keys_are::rising}) {
        std::vector<std::vector<T>> runs(count);
        std::vector<T> expected;
        for (std::vector<T>& run : runs) {
          ++seed;
          run = elements<T>(a, most == 0 ? 0 : random_bits(seed, 0) % most, seed);
          std::stable_sort(run.begin(), run.end(), coarse_descending{});
          expected.insert(expected.end(), run.begin(), run.end());
        }
        std::stable_sort(expected.begin(), expected.end(), coarse_descending{});
        const options opts{.threads = 1 + static_cast<unsigned>(seed % 5)};
        std::vector<T> out(expected.size());
        sortile::merge(runs, out, coarse_descending{}, opts);
        ASSERT_EQ(out, expected) << count << " runs of up to " << most;
        if (count == 2) {
          std::vector<T> two(expected.size());
          sortile::merge(runs[0], runs[1], two, coarse_descending{}, opts);
          ASSERT_EQ(two, expected);
        }
      }
}

TEST(any_order_merge, of_runs) {
  check_merges<std::uint32_t>();
  check_merges<sized<12>>();
  check_merges<sized<68>>();
}

TEST(any_order_merge, of_runs_in_any_range) {
  const int a[] = {1, 4}, b[] = {2, 3};
  const std::list<std::span<const int>> runs = {a, b};
  int out[4];
  sortile::merge(runs, out, [](int x, int y) { return x < y; });
  EXPECT_TRUE(std::ranges::equal(out, std::array{1, 2, 3, 4}));
  sortile::merge(a, b, out, std::less{}); // the keys' own order
  EXPECT_TRUE(std::ranges::equal(out, std::array{1, 2, 3, 4}));
}

TEST(any_order_merge, refuses_what_it_cannot_do) {
  std::vector<sized<12>> a(3), b(4), few(6), all(8);
  const coarse_descending less;
  alignas(128) std::byte space[256];
  expect_invalid([&] { sortile::merge(a, b, few, less); }, {"merge", "7", "6"});
  expect_invalid([&] { sortile::merge(std::span(all).first(3), b, std::span(all).last(7), less); },
                 {"a run", "out", "overlap"});
  std::vector<sized<12>> seven(7);
  expect_invalid([&] { sortile::merge(a, b, seven, less, {.workspace = space}); }, {"workspace", "merge"});
  expect_invalid([&] { sortile::merge(a, b, seven, less, {.order = order::descending}); }, {"direction"});
}

} // namespace
} // namespace sortile::testing
