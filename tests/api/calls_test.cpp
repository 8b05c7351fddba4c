// The C++ calls, each form once: what a program writes, and what it gets.
#include "testing/workloads.hpp"

#include <sortile/sortile.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <numeric>

namespace {

using sortile::order;
using sortile::testing::make_keys;

struct payload_of_12_bytes {
  std::int32_t id, a, b;
};

/// Pairs of (key, its position), sorted stably by the standard library.
template <class K>
std::vector<std::pair<K, std::uint32_t>> expected_pairs(const std::vector<K>& keys,
                                                        order direction = order::ascending) {
  std::vector<std::pair<K, std::uint32_t>> pairs;
  for (std::size_t i = 0; i < keys.size(); ++i)
    pairs.emplace_back(keys[i], static_cast<std::uint32_t>(i));
  std::stable_sort(pairs.begin(), pairs.end(), [&](const auto& a, const auto& b) {
    return direction == order::ascending ? a.first < b.first : b.first < a.first;
  });
  return pairs;
}

TEST(sort, takes_whatever_is_contiguous) {
  std::vector<std::uint32_t> vector = {3, 1, 2};
  sortile::sort(vector);
  EXPECT_EQ(vector, (std::vector<std::uint32_t>{1, 2, 3}));

  std::array<double, 3> array = {0.5, -1, 0};
  sortile::sort(array, {.order = order::descending});
  EXPECT_EQ(array, (std::array<double, 3>{0.5, 0, -1}));

  std::int8_t c_array[] = {5, -5, 0};
  sortile::sort(c_array);
  EXPECT_EQ(c_array[0], -5);
  EXPECT_EQ(c_array[2], 5);

  sortile::sort(std::span(vector).subspan(1), {.order = order::descending});
  EXPECT_EQ(vector, (std::vector<std::uint32_t>{1, 3, 2}));

  std::string text = "sortile";
  sortile::sort(text);
  EXPECT_EQ(text, "eilorst");
}

TEST(sort, writes_to_another_array_and_keeps_its_input) {
  const std::vector<std::int64_t> in = make_keys<std::int64_t>("uniform", 5000, 1);
  const std::vector<std::int64_t> kept = in;
  std::vector<std::int64_t> out(in.size()), expected = in;
  std::sort(expected.begin(), expected.end());
  sortile::sort(in, out);
  EXPECT_EQ(out, expected);
  EXPECT_EQ(in, kept);
}

TEST(sort, leaves_the_result_of_a_double_buffer_in_current) {
  for (const std::size_t n : {0, 1, 2, 100, 5000, 200'000}) {
    std::vector<std::uint64_t> a = make_keys<std::uint64_t>("uniform", n, n), b(n), expected = a;
    std::sort(expected.begin(), expected.end());
    sortile::double_buffer<std::uint64_t> keys{a, b};
    sortile::sort(keys);
    EXPECT_TRUE(std::equal(keys.current.begin(), keys.current.end(), expected.begin(), expected.end())) << n;
  }
}

TEST(sort, of_nothing_is_fine) {
  std::vector<float> none;
  sortile::sort(none);
  sortile::sort(std::span<float>{});
  sortile::sort_by_key(none, none);
  EXPECT_TRUE(sortile::argsort(none).empty());
  EXPECT_TRUE(sortile::is_sorted(none));
  EXPECT_TRUE(none.empty());
}

TEST(sort_by_key, moves_values_of_any_type_with_their_keys) {
  std::vector<float> keys = make_keys<float>("few:30", 3000, 2);
  const auto expected = expected_pairs(keys);
  std::vector<payload_of_12_bytes> values(keys.size());
  for (std::int32_t i = 0; i < 3000; ++i)
    values[static_cast<std::size_t>(i)] = {i, -i, 2 * i};
  sortile::sort_by_key(keys, values);
  for (std::size_t i = 0; i < keys.size(); ++i) {
    const auto id = static_cast<std::int32_t>(expected[i].second);
    ASSERT_EQ(keys[i], expected[i].first) << i;
    ASSERT_TRUE(values[i].id == id && values[i].a == -id && values[i].b == 2 * id) << i;
  }
}

TEST(sort_by_key, out_of_place_and_in_two_buffers) {
  const std::vector<std::uint16_t> keys = make_keys<std::uint16_t>("few:100", 20'000, 3);
  std::vector<std::uint32_t> values(keys.size());
  std::iota(values.begin(), values.end(), 0u);
  const auto expected = expected_pairs(keys, order::descending);
  std::vector<std::uint16_t> keys_out(keys.size());
  std::vector<std::uint32_t> values_out(keys.size());
  sortile::sort_by_key(keys, values, keys_out, values_out, {.order = order::descending});

  std::vector<std::uint16_t> first = keys, second(keys.size());
  std::vector<std::uint32_t> first_values = values, second_values(keys.size());
  sortile::double_buffer<std::uint16_t> key_buffer{first, second};
  sortile::double_buffer<std::uint32_t> value_buffer{first_values, second_values};
  sortile::sort_by_key(key_buffer, value_buffer, {.order = order::descending});

  for (std::size_t i = 0; i < keys.size(); ++i) {
    ASSERT_EQ(keys_out[i], expected[i].first);
    ASSERT_EQ(values_out[i], expected[i].second);
    ASSERT_EQ(key_buffer.current[i], expected[i].first);
    ASSERT_EQ(value_buffer.current[i], expected[i].second);
  }
}

TEST(argsort, gives_positions_of_either_width) {
  const std::vector<double> keys = make_keys<double>("few:77", 4000, 4);
  const auto expected = expected_pairs(keys);
  const std::vector<std::uint64_t> wide = sortile::argsort(keys);
  const std::vector<std::int32_t> narrow = sortile::argsort<std::int32_t>(keys);
  std::vector<std::uint32_t> given(keys.size());
  sortile::argsort(keys, given);
  for (std::size_t i = 0; i < keys.size(); ++i) {
    ASSERT_EQ(wide[i], expected[i].second);
    ASSERT_EQ(static_cast<std::uint32_t>(narrow[i]), expected[i].second);
    ASSERT_EQ(given[i], expected[i].second);
  }
}

TEST(permute, takes_what_argsort_gives) {
  std::vector<std::int32_t> keys = make_keys<std::int32_t>("uniform", 1000, 5);
  std::vector<payload_of_12_bytes> values(keys.size());
  for (std::size_t i = 0; i < keys.size(); ++i)
    values[i] = {keys[i], 0, 0};
  const std::vector<std::uint64_t> positions = sortile::argsort(keys);
  sortile::permute(positions, values);
  std::sort(keys.begin(), keys.end());
  for (std::size_t i = 0; i < keys.size(); ++i)
    ASSERT_EQ(values[i].id, keys[i]);
}

TEST(permute, refuses_positions_outside) {
  const std::vector<std::uint32_t> positions = {0, 3, 1};
  std::vector<int> values = {1, 2, 3};
  EXPECT_THROW(sortile::permute(positions, values), sortile::invalid_argument);
}

TEST(is_sorted, and_first_disorder) {
  const std::vector<std::uint32_t> keys = {1, 2, 2, 5, 4, 3};
  EXPECT_FALSE(sortile::is_sorted(keys));
  EXPECT_TRUE(sortile::is_sorted(std::span(keys).first(4)));
  EXPECT_FALSE(sortile::is_sorted(std::span(keys).first(4), {.order = order::descending}));
  EXPECT_TRUE(sortile::is_sorted(std::span(keys).last(3), {.order = order::descending}));
  EXPECT_TRUE(sortile::is_sorted(keys, {.bits = {3, 32}}));
  EXPECT_EQ(sortile::first_disorder(sortile::key_type::u32, keys.data(), keys.size()), 4u);
}

/// The one disorder is found wherever it is, also where the array is cut for threads.
TEST(is_sorted, finds_the_first_disorder_anywhere) {
  std::vector<std::uint32_t> keys = make_keys<std::uint32_t>("sorted", 300'000, 1);
  EXPECT_EQ(sortile::first_disorder(sortile::key_type::u32, keys.data(), keys.size()), std::nullopt);
  for (const std::size_t where : {2u, 3u, 63u, 64u, 4096u, 65'536u, 149'999u, 150'000u, 150'001u, 262'144u, 299'999u}) {
    std::vector<std::uint32_t> spoiled = keys;
    spoiled[where] = 0;
    if (where + 1000 < keys.size())
      spoiled[where + 1000] = 0;
    EXPECT_EQ(sortile::first_disorder(sortile::key_type::u32, spoiled.data(), spoiled.size()), where);
  }
}

} // namespace
