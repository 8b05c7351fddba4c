// The promises about order, written as a user would check them: stability, NaN, -0 and +0, untouched bits, one result
// always.
#include "testing/guarded_buffer.hpp"
#include "testing/workloads.hpp"

#include <sortile/sortile.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <numeric>

namespace sortile::testing {
namespace {

/// A float type, its unsigned integer, and how the two become each other.
template <class F, class U, U Sign, U Infinity, U One>
struct float_facts {
  using type = F;
  using bits = U;
  static constexpr U sign = Sign, infinity = Infinity, one = One;
  static F from(U u) { return std::bit_cast<F>(u); }
  static U to(F f) { return std::bit_cast<U>(f); }
};

using float_types =
    ::testing::Types<float_facts<half, std::uint16_t, 0x8000, 0x7c00, 0x3c00>,
                     float_facts<bfloat16, std::uint16_t, 0x8000, 0x7f80, 0x3f80>,
                     float_facts<float, std::uint32_t, 0x80000000, 0x7f800000, 0x3f800000>,
                     float_facts<double, std::uint64_t, 0x8000000000000000, 0x7ff0000000000000, 0x3ff0000000000000>>;

template <class Facts>
class floats : public ::testing::Test {
 protected:
  using F = typename Facts::type;
  using U = typename Facts::bits;

  /// Every kind of float, many times over, in an order with no system: the i-th of the kinds below.
  static std::vector<U> kinds() {
    const U sign = Facts::sign, inf = Facts::infinity, one = Facts::one;
    const auto negative = [&](U u) { return static_cast<U>(u | sign); };
    const auto above = [&](U u, unsigned by) { return static_cast<U>(u + by); };
    return {negative(inf),
            negative(above(one, 2)),
            negative(one),
            negative(1),
            negative(0),
            0,
            1,
            one,
            above(one, 2),
            inf,
            above(inf, 1),
            negative(above(inf, 2)),
            above(inf, 3),
            negative(above(inf, 1)),
            static_cast<U>(inf | (U{1} << (std::countr_zero(inf) - 1)))};
  }
  /// The kinds from 4 to 5 are zeros, those from 10 on NaNs: their ranks in the promised order.
  static unsigned rank(std::size_t kind) {
    if (kind >= 10)
      return 9;
    return static_cast<unsigned>(kind >= 5 ? kind - 1 : kind);
  }

  struct drawn {
    std::vector<F> keys;
    std::vector<std::size_t> kind;
  };
  static drawn draw(std::size_t n, std::uint64_t seed) {
    const std::vector<U> all = kinds();
    drawn d;
    for (std::size_t i = 0; i < n; ++i) {
      d.kind.push_back(random_bits(seed, i) % all.size());
      d.keys.push_back(Facts::from(all[d.kind.back()]));
    }
    return d;
  }

  /// What must come out: positions, stably by rank.
  static std::vector<std::uint32_t> expected(const drawn& d, order direction) {
    std::vector<std::uint32_t> positions(d.keys.size());
    std::iota(positions.begin(), positions.end(), 0u);
    std::stable_sort(positions.begin(), positions.end(), [&](auto a, auto b) {
      return direction == order::ascending ? rank(d.kind[a]) < rank(d.kind[b]) : rank(d.kind[b]) < rank(d.kind[a]);
    });
    return positions;
  }
};

TYPED_TEST_SUITE(floats, float_types);

TYPED_TEST(floats, nan_is_largest_zeros_are_equal_bits_are_kept) {
  for (const std::size_t n : {30u, 1000u, 70'000u})
    for (const order direction : {order::ascending, order::descending}) {
      const auto d = this->draw(n, n);
      const std::vector<std::uint32_t> positions = this->expected(d, direction);
      auto keys = d.keys;
      std::vector<std::uint32_t> values(n);
      std::iota(values.begin(), values.end(), 0u);
      auto alone = d.keys;
      sortile::sort(alone, {.order = direction});
      sortile::sort_by_key(keys, values, {.order = direction});
      EXPECT_EQ(values, positions);
      EXPECT_EQ(sortile::argsort<std::uint32_t>(d.keys, {.order = direction}), positions);
      for (std::size_t i = 0; i < n; ++i) {
        const auto bits = TypeParam::to(d.keys[positions[i]]);
        ASSERT_EQ(TypeParam::to(keys[i]), bits) << i;
        ASSERT_EQ(TypeParam::to(alone[i]), bits) << "keys alone, " << i;
      }
      EXPECT_TRUE(sortile::is_sorted(keys, {.order = direction}));
    }
}

TYPED_TEST(floats, is_sorted_knows_nan_and_zeros) {
  const auto from = TypeParam::from;
  using float_type = typename TypeParam::type;
  using bits = typename TypeParam::bits;
  const bits nan = static_cast<bits>(TypeParam::infinity + 1), negative_nan = static_cast<bits>(nan | TypeParam::sign);
  const std::vector<float_type> fine = {
      from(0), from(TypeParam::sign), from(0), from(TypeParam::infinity), from(negative_nan), from(nan)};
  EXPECT_TRUE(sortile::is_sorted(fine));
  const std::vector<float_type> nan_first = {from(negative_nan), from(TypeParam::one)};
  EXPECT_FALSE(sortile::is_sorted(nan_first));
  EXPECT_TRUE(sortile::is_sorted(nan_first, {.order = order::descending}));
}

TEST(stability, of_equal_keys_in_both_directions) {
  for (const order direction : {order::ascending, order::descending})
    for (const char* workload : {"few:2", "few:300", "equal", "mostly-equal", "zipf"}) {
      std::vector<std::uint32_t> keys = make_keys<std::uint32_t>(workload, 100'000, 8);
      std::vector<std::uint64_t> values(keys.size());
      std::iota(values.begin(), values.end(), std::uint64_t{0});
      sortile::sort_by_key(keys, values, {.order = direction});
      for (std::size_t i = 1; i < keys.size(); ++i)
        ASSERT_TRUE(keys[i] != keys[i - 1] || values[i - 1] < values[i]) << workload << " at " << i;
    }
}

/// Under a bit window keys that differ outside it are equal: keys alone show whether their order is kept.
TEST(stability, of_keys_alone_under_a_bit_window) {
  const std::size_t n = 65'536;
  std::vector<std::uint32_t> keys(n);
  for (std::uint32_t i = 0; i < n; ++i)
    keys[i] = static_cast<std::uint32_t>((random_bits(1, i) % 50) << 16) | i; // the lower half is the position
  sortile::sort(keys, {.bits = {16, 32}});
  for (std::size_t i = 1; i < n; ++i)
    ASSERT_LT(keys[i - 1], keys[i]) << i;
  sortile::sort(keys, {.order = order::descending, .bits = {20, 20}});
  for (std::size_t i = 1; i < n; ++i)
    ASSERT_LT(keys[i - 1], keys[i]) << "an empty window moves nothing, " << i;
}

TEST(determinism, one_input_has_one_result) {
  const std::vector<float> input = make_keys<float>("specials", 150'000, 6);
  std::vector<std::uint32_t> first;
  for (unsigned round = 0; round < 12; ++round) {
    const std::vector<std::uint32_t> positions = sortile::argsort<std::uint32_t>(input, {.threads = round % 4});
    if (round == 0)
      first = positions;
    ASSERT_EQ(positions, first) << "round " << round;
  }
}

/// Keys begin at every alignment that their type allows; sanitizers and red zones watch the edges.
TEST(alignment, of_keys_and_values_is_free) {
  for (std::size_t offset = 0; offset < 16; ++offset) {
    guarded_buffer keys(5000 * 4, offset * 4, offset), values(5000 * 3, offset, 1);
    std::vector<std::uint32_t> expected(keys.as<std::uint32_t>().begin(), keys.as<std::uint32_t>().end());
    std::sort(expected.begin(), expected.end());
    run(sort_request{.type = key_type::u32,
                     .n = 5000,
                     .keys_in = keys.data(),
                     .keys_out = keys.data(),
                     .carries = payload::values,
                     .value_bytes = 3,
                     .values_in = values.data(),
                     .values_out = values.data()});
    EXPECT_TRUE(std::equal(expected.begin(), expected.end(), keys.as<std::uint32_t>().begin())) << offset;
    EXPECT_EQ(keys.damage() + values.damage(), "");
  }
}

} // namespace
} // namespace sortile::testing
