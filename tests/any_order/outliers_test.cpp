// Arrays of which few elements are out of place (comparison_few.hpp), against std::stable_sort.
#include "tests/any_order/fixture.hpp"

#include <random>

namespace sortile::testing {
namespace {

struct numbered {
  std::uint32_t key, place;
  bool operator==(const numbered&) const = default;
};

constexpr auto by_key = [](const numbered& a, const numbered& b) { return a.key < b.key; };

/// Sorted keys with so many exchanged, or drawn anew.
std::vector<numbered> nearly_sorted(std::size_t n, std::size_t changes, std::uint32_t values, std::mt19937& random) {
  std::vector<std::uint32_t> keys(n);
  for (std::uint32_t& key : keys)
    key = std::uint32_t(random() % values);
  std::sort(keys.begin(), keys.end());
  for (std::size_t i = 0; i < changes; ++i)
    if (random() % 2 == 0)
      std::swap(keys[random() % n], keys[random() % n]);
    else
      keys[random() % n] = std::uint32_t(random() % values);
  std::vector<numbered> all(n);
  for (std::uint32_t i = 0; i < n; ++i)
    all[i] = {keys[i], i};
  return all;
}

/// Whether the outliers were few enough.
template <class Less>
bool sort_outliers(std::vector<numbered>& all, const Less& less) {
  std::vector<numbered> other(all.size());
  return detail::outlier_sort(all.data(), other.data(), all.size(), less).run();
}

void expect_all_there(std::vector<numbered> all, const std::vector<numbered>& given) {
  std::sort(all.begin(), all.end(), [](const numbered& a, const numbered& b) { return a.place < b.place; });
  ASSERT_EQ(all, given);
}

TEST(outliers, go_where_a_stable_sort_puts_them) {
  std::mt19937 random(1);
  std::size_t put_back = 0;
  for (int round = 0; round < 3000; ++round) {
    const std::size_t n = 1 + random() % (round % 20 == 0 ? 3000 : 200);
    const auto values = std::uint32_t(1 + random() % (round % 3 == 0 ? 6 : 1 << 20));
    const std::vector<numbered> given = nearly_sorted(n, random() % (2 + n / 20), values, random);
    std::vector<numbered> all = given, expected = given;
    std::stable_sort(expected.begin(), expected.end(), by_key);
    if (sort_outliers(all, by_key)) {
      ++put_back;
      ASSERT_EQ(all, expected) << n;
    } else {
      ASSERT_EQ(all, given) << "nothing has moved";
    }
    all = given;
    sort(all, by_key);
    ASSERT_EQ(all, expected) << n;
  }
  EXPECT_GT(put_back, 1500u);
}

TEST(outliers, of_one_exchange_are_put_back) {
  std::mt19937 random(2);
  for (const std::size_t n : {9u, 100u, 65'536u})
    for (int round = 0; round < 20; ++round) {
      std::vector<numbered> all(n);
      for (std::uint32_t i = 0; i < n; ++i)
        all[i] = {i, i};
      std::swap(all[random() % n], all[random() % n]);
      std::size_t asked = 0;
      ASSERT_TRUE(sort_outliers(all, [&](const numbered& a, const numbered& b) { return ++asked, by_key(a, b); }));
      EXPECT_TRUE(std::is_sorted(all.begin(), all.end(), by_key));
      EXPECT_LT(asked, n + 100) << "each is compared once";
    }
}

TEST(outliers, are_not_lost_where_the_comparison_fails) {
  struct stopped {};
  std::mt19937 random(3);
  const std::vector<numbered> given = nearly_sorted(200, 4, 1000, random);
  bool ended = false;
  for (int calls = 0; !ended; ++calls) {
    std::vector<numbered> all = given;
    int left = calls;
    try {
      sort_outliers(all,
                    [&](const numbered& a, const numbered& b) { return left-- == 0 ? throw stopped{} : by_key(a, b); });
      ended = true;
    } catch (const stopped&) {
    }
    expect_all_there(all, given);
  }
  for (unsigned odds = 0; odds < 30; ++odds) {
    std::vector<numbered> all = given;
    sort_outliers(all, [&](const numbered&, const numbered&) { return random() % 100 < odds; });
    expect_all_there(all, given);
  }
}

} // namespace
} // namespace sortile::testing
