// Few keys, which are sorted in the caller's own code (few.hpp): bit for bit as the library sorts them, by calls that
// name their options, and with the library's refusals.
#include "tests/expect_refusal.hpp"

#include <sortile/sortile.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <random>

namespace sortile::testing {
namespace {

constexpr std::size_t numbers[] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10};

/// The first call of a process finds out what there is to be asked.
bool door_opens() {
  std::array<std::uint32_t, 2> keys = {2, 1};
  sortile::sort(keys);
  return detail::few_door_is_open();
}

/// Few different keys, so that some are equal, and the extremes of their bits: −0, infinities and NaNs of both signs.
template <class K>
std::vector<K> draw(std::size_t n, std::mt19937_64& random) {
  using word = detail::word_of<K>;
  constexpr unsigned bits = 8 * sizeof(K);
  std::vector<K> keys(n);
  for (K& key : keys) {
    auto drawn = static_cast<word>(random());
    if constexpr (sizeof(K) == 16)
      drawn = drawn << 64 | random();
    switch (random() % 4) {
    case 0: // signs and exponents, among them infinities, and zeros
      drawn = static_cast<word>(random() % 2 == 0 ? word{0} : static_cast<word>(~word{0}));
      drawn = static_cast<word>(drawn << (random() % bits));
      break;
    case 1: // such with one bit more
      drawn = static_cast<word>(static_cast<word>(static_cast<word>(~word{0}) << (random() % bits)) ^ word{1});
      break;
    case 2: // small numbers
      drawn = static_cast<word>(random() % 3);
      break;
    default:
      break;
    }
    if constexpr (std::is_same_v<K, bool>)
      drawn &= 1;
    key = std::bit_cast<K>(drawn);
  }
  return keys;
}

template <class T>
bool are_same_bits(const std::vector<T>& a, const std::vector<T>& b) {
  return a.size() == b.size() && (a.empty() || std::memcmp(a.data(), b.data(), a.size() * sizeof(T)) == 0);
}

struct three_bytes {
  std::uint8_t a, b, c;
};
struct sixteen_bytes {
  std::uint64_t a, b;
};
struct with_a_constant { // copied as bytes, and never assigned
  const std::uint32_t a;
};

template <class V>
V value_of(std::size_t i) {
  V value{};
  const auto number = static_cast<std::uint8_t>(i + 1);
  std::memcpy(static_cast<void*>(&value), &number, 1);
  return value;
}

template <class K>
class few : public ::testing::Test {
 public:
  template <class V>
  static void expect_pairs_alike(const std::vector<K>& keys) {
    std::vector<K> here = keys, there = keys;
    std::vector<V> with_here, with_there;
    for (std::size_t i = 0; i < keys.size(); ++i) {
      with_here.push_back(value_of<V>(i));
      with_there.push_back(value_of<V>(i));
    }
    sortile::sort_by_key(here, with_here);
    sortile::sort_by_key(there, with_there, options{});
    EXPECT_TRUE(are_same_bits(here, there)) << keys.size();
    EXPECT_TRUE(are_same_bits(with_here, with_there)) << keys.size() << " values of " << sizeof(V);
  }

  template <class Index>
  static void expect_positions_alike(const std::vector<K>& keys) {
    std::vector<Index> here(keys.size()), there(keys.size());
    sortile::argsort(keys, here);
    sortile::argsort(keys, there, options{});
    EXPECT_EQ(here, there);
  }
};

enum class signed_choice : std::int16_t { low = -5, high = 5 };

using key_types =
    ::testing::Types<std::uint8_t, std::uint16_t, std::uint32_t, std::uint64_t, uint128, std::int8_t, std::int16_t,
                     std::int32_t, std::int64_t, int128, half, bfloat16, float, double, char, signed_choice>;
TYPED_TEST_SUITE(few, key_types);

TYPED_TEST(few, are_sorted_as_the_library_sorts_them) {
  if (!door_opens())
    GTEST_SKIP() << "libraries were loaded after the start, so all calls go to the library";
  std::mt19937_64 random(sizeof(TypeParam));
  for (const std::size_t n : numbers)
    for (int round = 0; round < 300; ++round) {
      const std::vector<TypeParam> keys = draw<TypeParam>(n, random);
      std::vector<TypeParam> here = keys, there = keys;
      sortile::sort(here);
      sortile::sort(there, options{});
      ASSERT_TRUE(are_same_bits(here, there)) << n;
      this->template expect_pairs_alike<std::uint8_t>(keys);
      this->template expect_pairs_alike<std::uint32_t>(keys);
      this->template expect_pairs_alike<sixteen_bytes>(keys);
      this->template expect_pairs_alike<three_bytes>(keys);
      this->template expect_positions_alike<std::uint32_t>(keys);
      this->template expect_positions_alike<std::int64_t>(keys);
      ASSERT_FALSE(this->HasFailure());
    }
}

TEST(few_keys, take_values_that_cannot_be_assigned) {
  std::array<float, 3> keys = {3, 1, 2};
  std::array<with_a_constant, 3> values = {{{30}, {10}, {20}}};
  sortile::sort_by_key(keys, values);
  for (std::size_t i = 0; i < keys.size(); ++i)
    EXPECT_EQ(values[i].a, 10 * static_cast<std::uint32_t>(keys[i]));
}

TEST(few_keys, are_refused_as_many_are) {
  for (const std::size_t n : numbers) {
    if (n < 2)
      continue;
    alignas(16) std::byte room[512] = {};
    const auto at = [&](std::size_t byte) { return std::span(reinterpret_cast<std::uint32_t*>(room + byte), n); };
    const std::span<std::uint32_t> nowhere(static_cast<std::uint32_t*>(nullptr), n);
    const std::size_t beside = sizeof(std::uint32_t) * n;
    expect_invalid([&] { sortile::sort(nowhere); }, {"keys_in is null"});
    expect_invalid([&] { sortile::sort(at(1)); }, {"keys_in is not aligned"});
    expect_invalid([&] { sortile::sort_by_key(nowhere, at(0)); }, {"keys_in is null"});
    expect_invalid([&] { sortile::sort_by_key(at(0), nowhere); }, {"values_in is null"});
    expect_invalid([&] { sortile::sort_by_key(at(2), at(256)); }, {"keys_in is not aligned"});
    expect_invalid([&] { sortile::sort_by_key(at(0), at(beside - 4)); }, {"overlap"});
    expect_invalid([&] { sortile::sort_by_key(at(beside - 4), at(0)); }, {"overlap"});
    expect_invalid([&] { sortile::argsort(nowhere, at(0)); }, {"keys_in is null"});
    expect_invalid([&] { sortile::argsort(at(0), nowhere); }, {"indices is null"});
    expect_invalid([&] { sortile::argsort(at(0), at(beside + 2)); }, {"indices is not aligned"});
    expect_invalid([&] { sortile::argsort(at(0), at(0)); }, {"overlap"});
    EXPECT_NO_THROW(sortile::sort_by_key(at(0), at(beside)));
    EXPECT_NO_THROW(sortile::argsort(at(beside), at(0)));
  }
}

} // namespace
} // namespace sortile::testing
