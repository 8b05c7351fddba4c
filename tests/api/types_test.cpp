// Key types: names, conversions of the 16-bit floats, which C++ types are which key.
#include "testing/oracle.hpp"
#include "tests/expect_refusal.hpp"

#include <sortile/sortile.hpp>

#include <gtest/gtest.h>

#include <cmath>

namespace sortile::testing {
namespace {

static_assert(key_type_of<unsigned char> == key_type::u8 && key_type_of<long> == key_type::i64 &&
              key_type_of<int> == key_type::i32);
static_assert(key_type_of<uint128> == key_type::u128 && key_type_of<int128> == key_type::i128);
static_assert(key_type_of<half> == key_type::f16 && key_type_of<bfloat16> == key_type::bf16);
static_assert(key_type_of<const float> == key_type::f32);
static_assert(!key<std::string> && !key<long double> && !key<void*>);
static_assert(!index<float> && !index<std::int16_t> && index<std::int32_t>);
static_assert(!value<std::string>);

TEST(types, have_names_that_read_back) {
  for (const key_type type : all_key_types)
    EXPECT_EQ(key_type_named(name(type)), type);
  EXPECT_EQ(key_type_named("uint32"), key_type::u32);
  EXPECT_EQ(key_type_named("float16"), key_type::f16);
  EXPECT_EQ(key_type_named("int8"), key_type::i8);
  EXPECT_EQ(key_type_named("float64"), key_type::f64);
  expect_invalid([] { static_cast<void>(key_type_named("u33")); }, {"u33", "u32", "bf16", "f64"});
}

/// All 65,536 patterns to float, against the definition of the formats; back gives the same bits.
template <class Half>
void check_all_patterns() {
  for (unsigned bits = 0; bits <= 0xffff; ++bits) {
    const auto pattern = static_cast<std::uint16_t>(bits);
    const float number = static_cast<float>(Half::from_bits(pattern));
    const double expected = value_of(key_type_of<Half>, pattern);
    if (std::isnan(expected)) {
      ASSERT_TRUE(std::isnan(number)) << bits;
      ASSERT_TRUE(std::isnan(value_of(key_type_of<Half>, Half(number).bits))) << bits;
      continue;
    }
    ASSERT_EQ(static_cast<double>(number), expected) << bits;
    ASSERT_EQ(Half(number).bits, pattern);
  }
}

TEST(types, half_reads_and_writes_every_pattern) {
  check_all_patterns<half>();
}
TEST(types, bfloat16_reads_and_writes_every_pattern) {
  check_all_patterns<bfloat16>();
}

/// Halfway between neighbours goes to the even one, a little more or less to the nearer.
template <class Half>
void check_rounding() {
  for (unsigned bits = 0; bits < 0x7f00; bits += 37) {
    const auto below = static_cast<std::uint16_t>(bits), above = static_cast<std::uint16_t>(bits + 1);
    const double low = value_of(key_type_of<Half>, below), high = value_of(key_type_of<Half>, above);
    if (!std::isfinite(high))
      break;
    const auto middle = static_cast<float>((low + high) / 2); // exact: one bit more than the format has
    const std::uint16_t even = bits % 2 == 0 ? below : above;
    ASSERT_EQ(Half(middle).bits, even) << bits;
    ASSERT_EQ(Half(std::nextafter(middle, 0.0f)).bits, below) << bits;
    ASSERT_EQ(Half(std::nextafter(middle, INFINITY)).bits, above) << bits;
    ASSERT_EQ(Half(-middle).bits, even | 0x8000) << bits;
  }
}

TEST(types, half_rounds_to_nearest_even) {
  check_rounding<half>();
}
TEST(types, bfloat16_rounds_to_nearest_even) {
  check_rounding<bfloat16>();
}

TEST(types, half_goes_beyond_its_range_to_infinity) {
  EXPECT_EQ(half(65519.0f).bits, 0x7bff);
  EXPECT_EQ(half(65520.0f).bits, 0x7c00);
  EXPECT_EQ(half(-1e30f).bits, 0xfc00);
  EXPECT_EQ(half(INFINITY).bits, 0x7c00);
  EXPECT_EQ(bfloat16(3.4e38f).bits, 0x7f80);
}

#ifdef __FLT16_MAX__
TEST(types, the_compilers_half_is_a_key) {
  std::vector<_Float16> keys = {static_cast<_Float16>(2), static_cast<_Float16>(-1), static_cast<_Float16>(0.5)};
  sortile::sort(keys);
  EXPECT_EQ(static_cast<float>(keys[0]), -1.0f);
  EXPECT_EQ(static_cast<float>(keys[2]), 2.0f);
}
#endif

} // namespace
} // namespace sortile::testing
