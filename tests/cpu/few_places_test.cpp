// Places of few keys by vectors: of every number of keys, type and order, by some bits too, against the oracle.
#include "cpu/few_places.hpp"
#include "cpu/few_words.hpp"
#include "testing/guarded_buffer.hpp"
#include "testing/oracle.hpp"
#include "testing/workloads.hpp"

#include <gtest/gtest.h>

#include <cstring>
#include <numeric>
#include <vector>

namespace sortile::cpu {
namespace {

using sortile::testing::guarded_buffer;

/// Positions, then 32 bits of each, by what is being tested.
std::vector<std::uint64_t> order_found(key_type type, const guarded_buffer& keys, std::size_t n, const ordering& by) {
  guarded_buffer positions(n, 1);
  auto* const found = positions.as<std::uint8_t>().data();
  EXPECT_TRUE(order_by_places(type, keys.data(), n, by, found));
  EXPECT_EQ(positions.damage(), "");
  return {found, found + n};
}

std::vector<std::uint64_t> values_sorted(key_type type, const guarded_buffer& keys, std::size_t n, const ordering& by) {
  guarded_buffer keys_out = guarded_buffer::copy_of(keys.data(), keys.size(), key_bytes(type)), values(n * 3, 1);
  for (std::size_t i = 0; i < n; ++i)
    values.data()[3 * i] = static_cast<std::byte>(i);
  const sort_request request{.type = type,
                             .n = n,
                             .keys_in = keys_out.data(),
                             .keys_out = keys_out.data(),
                             .carries = payload::values,
                             .value_bytes = 3,
                             .values_in = values.data(),
                             .values_out = values.data()};
  EXPECT_TRUE(sort_by_places(request, by));
  EXPECT_EQ(keys_out.damage(), "");
  EXPECT_EQ(values.damage(), "");
  std::vector<std::uint64_t> found(n);
  for (std::size_t i = 0; i < n; ++i)
    found[i] = static_cast<std::uint64_t>(values.data()[3 * i]);
  const auto wanted = testing::gather(keys.data(), key_bytes(type), found);
  EXPECT_EQ(std::memcmp(keys_out.data(), wanted.data(), wanted.size()), 0) << "keys and values have parted";
  return found;
}

TEST(few_places, of_every_number_of_keys) {
  if (best_place_keys<std::uint32_t>() == nullptr)
    GTEST_SKIP() << "no AVX2 here";
  for (const key_type type : all_key_types) {
    if (key_bytes(type) != 4 && key_bytes(type) != 8)
      continue;
    for (const char* const workload : {"uniform", "few:3", "two-values", "equal", "sorted", "reversed", "count-down",
                                       "equal-but-one", "runs:2", "specials", "nan:0.5"}) {
      const testing::workload w = testing::workload_named(workload);
      for (std::size_t n = 2; n <= most_placed && w.suits(type); ++n)
        for (const order direction : {order::ascending, order::descending})
          for (const bit_window bits : {bit_window{}, bit_window{3, key_bits(type) - 5}, bit_window{7, 7}}) {
            guarded_buffer keys(n * key_bytes(type), key_bytes(type));
            w.fill({type, n, n}, 0, n, keys.data());
            const auto expected = testing::stable_order({type, direction, bits}, keys.data(), n);
            const ordering by{direction, bits};
            ASSERT_EQ(order_found(type, keys, n, by), expected) << name(type) << " " << workload << " n = " << n;
            ASSERT_EQ(values_sorted(type, keys, n, by), expected) << name(type) << " " << workload << " n = " << n;
            ASSERT_EQ(keys.damage(), "");
          }
    }
  }
}

// Of which of two equal keys is the first, vectors of other keys on both sides must not matter.
TEST(few_places, of_two_equal_keys_anywhere) {
  if (best_place_keys<std::uint32_t>() == nullptr)
    GTEST_SKIP() << "no AVX2 here";
  constexpr std::size_t n = most_placed;
  for (std::size_t a = 0; a < n; ++a)
    for (std::size_t b = a + 1; b < n; ++b) {
      std::uint64_t keys[n];
      std::iota(keys, keys + n, 1000u);
      std::swap(keys[(a + 20) % n], keys[(b + 41) % n]);
      keys[b] = keys[a];
      const auto expected = testing::stable_order({key_type::u64, order::ascending, {}}, keys, n);
      std::uint8_t found[n];
      ASSERT_TRUE(order_by_places(key_type::u64, keys, n, {}, found));
      ASSERT_EQ(std::vector<std::uint64_t>(found, found + n), expected) << a << " and " << b;
    }
}

TEST(few_places, are_not_found_of_others) {
  std::uint64_t keys[2 * most_placed] = {2, 1};
  std::uint8_t found[2 * most_placed];
  EXPECT_FALSE(order_by_places(key_type::u64, keys, most_placed + 1, {}, found));
  EXPECT_FALSE(order_by_places(key_type::u16, keys, 2, {}, found));
  EXPECT_FALSE(order_by_places(key_type::u128, keys, 2, {}, found));
  EXPECT_FALSE(order_by_places(key_type::u64, keys, 2, {order::ascending, {5, 4}}, found));
  EXPECT_FALSE(order_by_places(key_type::u32, keys, 2, {order::ascending, {0, 33}}, found));
}

} // namespace
} // namespace sortile::cpu
