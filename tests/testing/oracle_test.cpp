// The oracle against orders written out by hand: what all other tests rest on.
#include "testing/oracle.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <limits>

namespace sortile::testing {
namespace {

using positions = std::vector<std::uint64_t>;

template <class K>
positions order_of(const std::vector<K>& keys, order direction = order::ascending, bit_window bits = {}) {
  return stable_order({key_type_of<K>, direction, bits}, keys.data(), keys.size());
}

float nan_with(std::uint32_t bits) {
  return std::bit_cast<float>(bits);
}

TEST(oracle, orders_integers_by_value) {
  EXPECT_EQ(order_of<std::uint8_t>({3, 200, 3, 0}), (positions{3, 0, 2, 1}));
  EXPECT_EQ(order_of<std::int8_t>({3, -56, 3, 0}), (positions{1, 3, 0, 2}));
  EXPECT_EQ(order_of<std::int64_t>({1, std::numeric_limits<std::int64_t>::min(), -1}, order::descending),
            (positions{0, 2, 1}));
  EXPECT_EQ(order_of<int128>({0, int128{1} << 100, -(int128{1} << 100)}), (positions{2, 0, 1}));
  EXPECT_EQ(order_of<uint128>({0, ~uint128{0}, uint128{1} << 64}), (positions{0, 2, 1}));
}

TEST(oracle, orders_floats_by_the_promise) {
  const float inf = std::numeric_limits<float>::infinity();
  const std::vector<float> keys = {nan_with(0x7fc00001), 0.0f, inf, -0.0f, nan_with(0xff800001), -inf, 1e-45f, -1e-45f};
  EXPECT_EQ(order_of(keys), (positions{5, 7, 1, 3, 6, 2, 0, 4}));
  EXPECT_EQ(order_of(keys, order::descending), (positions{0, 4, 2, 6, 1, 3, 7, 5}));
}

TEST(oracle, reads_16_bit_floats) {
  EXPECT_EQ(value_of(key_type::f16, 0x3c00), 1.0);
  EXPECT_EQ(value_of(key_type::f16, 0xc000), -2.0);
  EXPECT_EQ(value_of(key_type::f16, 0x7bff), 65504.0);
  EXPECT_EQ(value_of(key_type::f16, 0x0001), 0x1p-24);
  EXPECT_EQ(value_of(key_type::f16, 0xfc00), -std::numeric_limits<double>::infinity());
  EXPECT_EQ(value_of(key_type::bf16, 0x3f80), 1.0);
  EXPECT_EQ(value_of(key_type::bf16, 0x4049), 3.140625);
  EXPECT_EQ(value_of(key_type::bf16, 0x0001), 0x1p-133);
  EXPECT_TRUE(value_of(key_type::bf16, 0x7f81) != value_of(key_type::bf16, 0x7f81));
  const std::vector<bfloat16> keys = {bfloat16::from_bits(0x3f80), bfloat16::from_bits(0xffff),
                                      bfloat16::from_bits(0xbf80)};
  EXPECT_EQ(order_of(keys), (positions{2, 0, 1}));
}

TEST(oracle, orders_by_a_bit_window_of_the_image) {
  EXPECT_EQ(order_of<std::uint32_t>({0x1ff, 0x200, 0x100}, order::ascending, {8, 16}), (positions{0, 2, 1}));
  EXPECT_EQ(order_of<std::uint32_t>({0x1ff, 0x200, 0x100}, order::descending, {8, 16}), (positions{1, 0, 2}));
  EXPECT_EQ(order_of<std::uint32_t>({3, 2, 1}, order::ascending, {5, 5}), (positions{0, 1, 2}));
  EXPECT_EQ(order_of<std::int8_t>({1, -1}, order::ascending, {7, 8}), (positions{1, 0})) << "the sign decides";
  EXPECT_EQ(order_of<std::int8_t>({-1, 1}, order::ascending, {0, 7}), (positions{1, 0})) << "-1 is 0x7f of its image";
}

TEST(oracle, image_is_the_documented_one) {
  const auto image = [](auto key) { return image_of(key_type_of<decltype(key)>, &key); };
  EXPECT_TRUE(image(std::uint16_t{5}) == 5);
  EXPECT_TRUE(image(std::int16_t{-32768}) == 0);
  EXPECT_TRUE(image(0.0f) == 0x80000000u);
  EXPECT_TRUE(image(-0.0f) == 0x80000000u);
  EXPECT_TRUE(image(1.0f) == 0xbf800000u);
  EXPECT_TRUE(image(-1.0f) == 0x407fffffu);
  EXPECT_TRUE(image(nan_with(0xffc00000)) == 0xffffffffu);
  EXPECT_TRUE(image(-std::numeric_limits<double>::infinity()) == 0x000fffffffffffffu);
}

TEST(oracle, orders_rows_by_column_after_column) {
  const std::vector<std::int32_t> size = {5, 7, 5, 7, 5};
  const std::vector<float> price = {1, 2, 3, 2, 1};
  const std::vector<oracle_column> columns = {{{key_type::i32, order::descending}, size.data()},
                                              {{key_type::f32}, price.data()}};
  EXPECT_EQ(stable_row_order(columns, 5), (positions{1, 3, 0, 4, 2}));
}

} // namespace
} // namespace sortile::testing
