// The verifiers must find what is wrong: each test spoils a right result in one way.
#include "testing/verify.hpp"
#include "testing/workloads.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>

namespace sortile::testing {
namespace {

struct pairs {
  std::vector<float> keys;
  std::vector<std::uint32_t> values;
  pairs_view view() const { return {keys.data(), values.data(), 4, keys.size()}; }
};

constexpr ordering by{key_type::f32};

pairs input() {
  pairs p{make_keys<float>("few:50", 1000, 3), std::vector<std::uint32_t>(1000)};
  p.keys[7] = -0.0f;
  p.keys[9] = 0.0f;
  p.keys[500] = std::nanf("1");
  p.keys[600] = -std::nanf("2");
  std::iota(p.values.begin(), p.values.end(), 0u);
  return p;
}

pairs sorted(const pairs& in) {
  pairs out = in;
  const auto positions = stable_order(by, in.keys.data(), in.keys.size());
  for (std::size_t i = 0; i < positions.size(); ++i) {
    out.keys[i] = in.keys[positions[i]];
    out.values[i] = in.values[positions[i]];
  }
  return out;
}

struct findings {
  bool exact, permutation, stability;
  bool operator==(const findings&) const = default;
};

findings inspect(const pairs& out) {
  const pairs in = input();
  multiset_hash before;
  before.add(by.type, in.view());
  return {bool(verify_exact(by, in.view(), out.view())), bool(verify_permutation(by, before, out.view())),
          bool(verify_stability(by, out.view()))};
}

std::size_t first_equal_pair(const pairs& p) {
  std::size_t i = 1;
  while (p.keys[i] != p.keys[i - 1])
    ++i;
  return i;
}

TEST(verifiers, accept_the_stable_sort) {
  EXPECT_EQ(inspect(sorted(input())), (findings{true, true, true}));
}

TEST(verifiers, find_disorder) {
  EXPECT_EQ(inspect(input()), (findings{false, false, true}));
}

TEST(verifiers, find_equal_keys_that_changed_places) {
  pairs out = sorted(input());
  const std::size_t i = first_equal_pair(out);
  std::swap(out.values[i], out.values[i - 1]);
  EXPECT_EQ(inspect(out), (findings{false, true, false}));
}

TEST(verifiers, find_values_that_left_their_keys) {
  pairs out = sorted(input());
  std::swap(out.values.front(), out.values.back());
  EXPECT_FALSE(inspect(out).exact);
  EXPECT_FALSE(inspect(out).permutation);
}

TEST(verifiers, find_a_key_that_came_twice) {
  pairs out = sorted(input());
  const std::size_t i = first_equal_pair(out);
  out.values[i] = out.values[i - 1];
  EXPECT_EQ(inspect(out), (findings{false, false, false}));
}

TEST(verifiers, find_altered_bits_of_zeros_and_nans) {
  for (const std::uint32_t flipped : {0x80000000u, 0x00000001u}) {
    pairs out = sorted(input());
    float& nan = out.keys.back();
    nan = std::bit_cast<float>(std::bit_cast<std::uint32_t>(nan) ^ flipped);
    EXPECT_EQ(inspect(out), (findings{false, false, true}));
  }
  pairs out = sorted(input());
  *std::find(out.keys.begin(), out.keys.end(), 0.0f) = 0.0f; // was −0
  EXPECT_EQ(inspect(out), (findings{false, false, true}));
}

TEST(verifiers, see_nan_before_a_number_as_disorder) {
  pairs out = sorted(input());
  std::swap(out.keys.back(), out.keys.front());
  std::swap(out.values.back(), out.values.front());
  EXPECT_EQ(inspect(out), (findings{false, false, true}));
  multiset_hash before;
  before.add(by.type, input().view());
  EXPECT_NE(verify_permutation(by, before, out.view()).complaint.find("nan"), std::string::npos);
}

TEST(verifiers, look_at_order_and_window) {
  const std::vector<std::uint16_t> keys = {0x0301, 0x0200, 0x01ff};
  multiset_hash hash;
  hash.add(key_type::u16, {keys.data(), nullptr, 0, 3});
  const pairs_view view{keys.data(), nullptr, 0, 3};
  EXPECT_TRUE(verify_permutation({key_type::u16, order::descending}, hash, view));
  EXPECT_FALSE(verify_permutation({key_type::u16, order::ascending}, hash, view));
  EXPECT_FALSE(verify_permutation({key_type::u16, order::ascending, {0, 8}}, hash, {keys.data(), nullptr, 0, 2}));
}

TEST(multiset_hash, does_not_see_order_and_sees_everything_else) {
  const auto hash_of = [](const std::vector<std::string>& elements) {
    multiset_hash hash;
    for (const std::string& e : elements)
      hash.add(e.data(), e.size());
    return hash;
  };
  EXPECT_EQ(hash_of({"a", "bc", ""}), hash_of({"bc", "", "a"}));
  EXPECT_NE(hash_of({"a", "bc"}), hash_of({"ab", "c"}));
  EXPECT_NE(hash_of({"a", "a", "b"}), hash_of({"a", "b", "b"}));
  EXPECT_NE(hash_of({"a"}), hash_of({"a", ""}));
  EXPECT_NE(hash_of({std::string("a\0", 2)}), hash_of({"a"}));
  multiset_hash left = hash_of({"x", "y"});
  left.add(hash_of({"z"}));
  EXPECT_EQ(left, hash_of({"z", "y", "x"}));
}

} // namespace
} // namespace sortile::testing
