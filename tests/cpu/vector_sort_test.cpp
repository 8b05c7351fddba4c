// The vector sorts of keys alone: every length that a leaf can have, arrays that split badly, images of every kind, keys
// in order already, and −0 and NaN, which they must hand back untouched.
#include "cpu/radix_job.hpp"
#include "cpu/vector_sort.hpp"
#include "testing/guarded_buffer.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <functional>
#include <limits>
#include <random>
#include <vector>

namespace sortile::cpu {
namespace {

using sortile::testing::guarded_buffer;

template <class K>
class vector_sort : public ::testing::Test {
 protected:
  const vector_kernels<K>* kernels = best_vector_kernels<K>();
  std::mt19937_64 random{17};

  void SetUp() override {
    if (kernels == nullptr)
      GTEST_SKIP() << "this processor has no vectors that the sorts are written for";
  }

  // Sorts in place and out of place, and compares with std::sort.
  void check(const std::vector<K>& keys, const plain_image<K>& image, const std::function<K(K)>& image_of) {
    std::vector<K> expected = keys;
    std::sort(expected.begin(), expected.end(), [&](K a, K b) { return image_of(a) < image_of(b); });
    const auto same = [&](guarded_buffer& buffer) {
      EXPECT_EQ(buffer.damage(), "");
      return keys.empty() || std::memcmp(buffer.data(), expected.data(), buffer.size()) == 0;
    };
    const std::size_t bytes = keys.size() * sizeof(K);
    guarded_buffer in_place = guarded_buffer::copy_of(keys.data(), bytes, sizeof(K));
    kernels->sort(in_place.template as<K>().data(), keys.size(), image, in_place.template as<K>().data());
    ASSERT_TRUE(same(in_place)) << "in place, n = " << keys.size();
    guarded_buffer in = guarded_buffer::copy_of(keys.data(), bytes, sizeof(K)), out(bytes, sizeof(K));
    kernels->sort(in.template as<K>().data(), keys.size(), image, out.template as<K>().data());
    ASSERT_TRUE(same(out)) << "out of place, n = " << keys.size();
    ASSERT_TRUE(keys.empty() || std::memcmp(in.data(), keys.data(), bytes) == 0) << "the input was written";
    guarded_buffer unseen = guarded_buffer::copy_of(keys.data(), bytes, sizeof(K));
    ASSERT_TRUE(kernels->unseen(unseen.template as<K>().data(), keys.size(), image, unseen.template as<K>().data()));
    ASSERT_TRUE(same(unseen)) << "unseen, n = " << keys.size();
  }

  void check(const std::vector<K>& keys) {
    check(keys, {}, [](K key) { return key; });
  }

  std::vector<K> drawn(std::size_t n, K below = 0) {
    std::vector<K> keys(n);
    for (K& key : keys)
      key = below == 0 ? static_cast<K>(random()) : static_cast<K>(random() % below);
    return keys;
  }
};

using key_widths = ::testing::Types<std::uint32_t, std::uint64_t>;
TYPED_TEST_SUITE(vector_sort, key_widths);

TYPED_TEST(vector_sort, every_length_of_a_leaf) {
  for (std::size_t n = 0; n <= 600; ++n) {
    this->check(this->drawn(n));
    this->check(this->drawn(n, 3));
    if (this->HasFatalFailure())
      return;
  }
}

// The 0/1 principle: a network that sorts all arrays of zeros and ones sorts all arrays.
TYPED_TEST(vector_sort, zeros_and_ones) {
  for (std::size_t n = 2; n <= 16; ++n)
    for (std::size_t bits = 0; bits < std::size_t{1} << n; ++bits) {
      TypeParam keys[16];
      for (std::size_t i = 0; i < n; ++i)
        keys[i] = static_cast<TypeParam>(bits >> i & 1);
      this->kernels->sort(keys, n, {}, keys);
      ASSERT_TRUE(std::is_sorted(keys, keys + n)) << n << " keys, bits " << bits;
    }
  for (std::size_t n = 17; n <= 256; ++n)
    for (int round = 0; round < 200; ++round) {
      std::vector<TypeParam> keys = this->drawn(n, 2);
      const auto ones = std::count(keys.begin(), keys.end(), TypeParam{1});
      this->kernels->sort(keys.data(), n, {}, keys.data());
      ASSERT_TRUE(std::is_sorted(keys.begin(), keys.end())) << n;
      ASSERT_EQ(std::count(keys.begin(), keys.end(), TypeParam{1}), ones);
    }
}

TYPED_TEST(vector_sort, arrays_that_split_badly) {
  using K = TypeParam;
  constexpr K most = std::numeric_limits<K>::max();
  for (const std::size_t n : {257u, 511u, 512u, 1000u, 4096u, 5000u, 70'001u, 300'000u}) {
    std::vector<std::vector<K>> arrays = {this->drawn(n),          this->drawn(n, 2), this->drawn(n, 17),
                                          std::vector<K>(n, most), std::vector<K>(n), std::vector<K>(n, 5)};
    std::vector<K> keys(n);
    const auto add = [&](auto rule) {
      for (std::size_t i = 0; i < n; ++i)
        keys[i] = static_cast<K>(rule(i));
      arrays.push_back(keys);
    };
    add([&](std::size_t i) { return i; });
    add([&](std::size_t i) { return n - i; });
    add([&](std::size_t i) { return i < n / 2 ? i : n - i; });
    add([&](std::size_t i) { return i % 256; });
    add([&](std::size_t i) { return i * i; });
    add([&](std::size_t i) { return i == n / 2 ? K{0} : most; });
    add([&](std::size_t i) { return i == n / 2 ? most : K{0}; });
    add([&](std::size_t) { return this->random() % 20 == 0 ? this->random() : 7; });
    add([&](std::size_t i) { return i / 2 + (this->random() % 50 == 0 ? this->random() % n : 0); });
    for (const std::vector<K>& array : arrays) {
      this->check(array);
      if (this->HasFatalFailure())
        return;
    }
  }
}

// Keys such that the sampled pivot is always among the smallest: the depth is bounded all the same.
TYPED_TEST(vector_sort, pivots_as_bad_as_can_be) {
  using K = TypeParam;
  constexpr std::size_t n = 4000, lanes = 64 / sizeof(K);
  std::vector<K> keys(n);
  for (std::size_t i = 0; i < n; ++i)
    keys[i] = static_cast<K>(n + i);
  for (std::size_t left = n; left > 300; --left) // what the pivot of the first `left` keys is drawn from
    for (std::size_t i = 0; i < lanes; ++i)
      keys[left / lanes / 2 + i * (left / lanes)] = static_cast<K>(n - left);
  this->check(keys);
}

TYPED_TEST(vector_sort, images_of_every_kind) {
  using K = TypeParam;
  constexpr key_type types[] = {sizeof(K) == 4 ? key_type::u32 : key_type::u64, sizeof(K) == 4 ? key_type::i32 : key_type::i64,
                                sizeof(K) == 4 ? key_type::f32 : key_type::f64};
  for (const key_type type : types)
    for (const order direction : {order::ascending, order::descending}) {
      const key_image<K> image(type, direction, {});
      for (const std::size_t n : {5u, 16u, 100u, 256u, 257u, 1000u, 20'000u}) {
        std::vector<K> keys = this->drawn(n);
        if (is_float(type))
          for (K& key : keys)
            while (image.is_special(key))
              key = static_cast<K>(this->random());
        this->check(keys, image, [&](K key) { return image.codec.whole_image(key); });
        std::sort(keys.begin(), keys.end(), [&](K a, K b) { return image.plain(a) < image.plain(b); });
        this->check(keys, image, [&](K key) { return image.plain(key); });
        std::reverse(keys.begin(), keys.end());
        this->check(keys, image, [&](K key) { return image.plain(key); });
        if (this->HasFatalFailure())
          return;
      }
    }
}

// Wherever the one special key is, the array comes back as it was.
TYPED_TEST(vector_sort, minus_zero_and_nan_are_handed_back) {
  using K = TypeParam;
  using F = std::conditional_t<sizeof(K) == 4, float, double>;
  const key_image<K> image(sizeof(K) == 4 ? key_type::f32 : key_type::f64, order::ascending, {});
  const K specials[] = {std::bit_cast<K>(F{-0.0}), std::bit_cast<K>(std::numeric_limits<F>::quiet_NaN()),
                        std::bit_cast<K>(-std::numeric_limits<F>::quiet_NaN())};
  for (const std::size_t n : {1u, 2u, 15u, 16u, 17u, 100u, 256u, 257u, 263u, 1000u})
    for (const bool rising : {false, true})
      for (const K special : specials)
        for (std::size_t at = 0; at < n; at += n < 300 ? 1 : 7) {
          std::vector<K> keys(n);
          for (std::size_t i = 0; i < n; ++i)
            keys[i] = std::bit_cast<K>(static_cast<F>(rising ? static_cast<double>(i) : std::sin(static_cast<double>(i) + 1)));
          keys[at] = special;
          std::vector<K> sorted = keys;
          ASSERT_FALSE(this->kernels->unseen(sorted.data(), n, image, sorted.data())) << n << ", special at " << at;
          ASSERT_EQ(sorted, keys);
        }
}

TEST(vector_sorts, can_be_switched_off) {
  const radix_tuning before = tuning();
  tuning().wide_kernels = false;
  EXPECT_EQ(best_vector_kernels<std::uint32_t>(), nullptr);
  EXPECT_EQ(best_vector_kernels<std::uint64_t>(), nullptr);
  tuning() = before;
}

} // namespace
} // namespace sortile::cpu
