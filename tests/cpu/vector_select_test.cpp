// The vector selections, by every instruction set that this processor has: the key that a stable sort has at a rank,
// and on which side of it all others are; few keys and every rank, long arrays that split badly, floats with −0 and
// NaN.
#include "testing/guarded_buffer.hpp"
#include "tests/cpu/vector_fixture.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <numeric>
#include <random>
#include <vector>

namespace sortile::cpu {
namespace {

using sortile::testing::guarded_buffer;

template <class Vectors>
class vector_select : public vector_fixture<Vectors> {
 protected:
  using vector_fixture<Vectors>::kernels;
  using K = typename Vectors::key;
  using F = std::conditional_t<sizeof(K) == 4, float, double>;
  static constexpr key_type integers = sizeof(K) == 4 ? key_type::u32 : key_type::u64;
  static constexpr key_type signed_integers = sizeof(K) == 4 ? key_type::i32 : key_type::i64;
  static constexpr key_type floats = sizeof(K) == 4 ? key_type::f32 : key_type::f64;

  std::mt19937_64 random{29};

  /// What a selection is checked against: the image of each key, exact, and the stable order.
  struct sorted_keys {
    key_codec<K> codec;
    plain_image<K> image;
    std::vector<K> keys, in_order;
    sorted_keys(const std::vector<K>& of, key_type type, order direction)
        : codec(make_key_codec<K>(type, direction, {})), image(key_image<K>(type, direction, {})), keys(of),
          in_order(of) {
      std::stable_sort(in_order.begin(), in_order.end(),
                       [this](K a, K b) { return codec.whole_image(a) < codec.whole_image(b); });
    }
    K at(K key) const { return codec.whole_image(key); }
  };

  ::testing::AssertionResult puts_in_place(const sorted_keys& s, std::size_t nth) {
    const std::size_t n = s.keys.size();
    guarded_buffer buffer = guarded_buffer::copy_of(s.keys.data(), n * sizeof(K), sizeof(K));
    K* const keys = buffer.template as<K>().data();
    kernels->select(keys, n, nth, s.image);
    if (!buffer.damage().empty())
      return ::testing::AssertionFailure() << buffer.damage();
    if (keys[nth] != s.in_order[nth])
      return ::testing::AssertionFailure()
             << "rank " << nth << " of " << n << ": " << keys[nth] << ", not " << s.in_order[nth];
    for (std::size_t i = 0; i < n; ++i)
      if (i < nth ? s.at(keys[i]) > s.at(keys[nth]) : s.at(keys[i]) < s.at(keys[nth]))
        return ::testing::AssertionFailure()
               << "rank " << nth << " of " << n << ": key " << i << " is on the wrong side";
    std::vector<K> held = s.keys, holds(keys, keys + n);
    std::sort(held.begin(), held.end());
    std::sort(holds.begin(), holds.end());
    return held == holds ? ::testing::AssertionSuccess()
                         : ::testing::AssertionFailure() << "rank " << nth << " of " << n << ": other keys than before";
  }

  ::testing::AssertionResult finds(const sorted_keys& s, std::size_t first, std::size_t last) {
    const std::size_t n = s.keys.size();
    guarded_buffer read = guarded_buffer::copy_of(s.keys.data(), n * sizeof(K), sizeof(K));
    guarded_buffer space((n + ranks_room<K>)*sizeof(K), sizeof(K)), found((last - first + 1) * sizeof(K), sizeof(K));
    K* const to = found.template as<K>().data();
    kernels->ranks(read.template as<K>().data(), n, first, last, s.image, space.template as<K>().data(), to);
    if (const std::string all = read.damage() + space.damage() + found.damage(); !all.empty())
      return ::testing::AssertionFailure() << all;
    if (std::memcmp(read.data(), s.keys.data(), n * sizeof(K)) != 0)
      return ::testing::AssertionFailure() << "keys that are only read were written";
    for (std::size_t i = 0; i <= last - first; ++i)
      if (to[i] != s.in_order[first + i])
        return ::testing::AssertionFailure()
               << "rank " << first + i << " of " << n << " keys: " << to[i] << ", not " << s.in_order[first + i];
    return ::testing::AssertionSuccess();
  }

  /// Ranks in the middle, near the ends and at them; of few keys all of them.
  void check(const std::vector<K>& keys, key_type type = integers, order direction = order::ascending,
             bool every_rank = false) {
    const sorted_keys s(keys, type, direction);
    const std::size_t n = keys.size();
    std::vector<std::size_t> ranks{0, n / 2, n - 1, n / 100, n - 1 - n / 7, std::min<std::size_t>(10, n - 1)};
    if (every_rank) {
      ranks.resize(n);
      std::iota(ranks.begin(), ranks.end(), 0u);
    }
    for (const std::size_t rank : ranks) {
      ASSERT_TRUE(puts_in_place(s, rank));
      ASSERT_TRUE(finds(s, rank, rank));
      ASSERT_TRUE(finds(s, rank, std::min(n - 1, rank + 1)));
      ASSERT_TRUE(finds(s, rank, std::min(n - 1, rank + 7)));
    }
  }

  std::vector<K> drawn(std::size_t n, K below = 0) {
    std::vector<K> keys(n);
    for (K& key : keys)
      key = below == 0 ? static_cast<K>(random()) : static_cast<K>(random() % below);
    return keys;
  }

  /// Floats of which one in `one_in` is a zero or a NaN of any bits; none where that is 0.
  std::vector<K> drawn_floats(std::size_t n, std::size_t one_in) {
    const K nan = std::bit_cast<K>(std::numeric_limits<F>::quiet_NaN()), sign = std::bit_cast<K>(F{-0.0});
    std::vector<K> keys(n);
    for (K& key : keys)
      if (one_in > 0 && random() % one_in == 0) {
        const K bits = static_cast<K>(random() % 3 == 0 ? nan | (random() % 8) : 0);
        key = static_cast<K>(bits ^ (random() % 2 == 0 ? sign : K{0}));
      } else {
        key = std::bit_cast<K>(static_cast<F>(std::sin(static_cast<double>(random() % 100'000)) * 1e3));
        key = key == sign ? K{0} : key;
      }
    return keys;
  }
};

TYPED_TEST_SUITE(vector_select, all_vectors);

TYPED_TEST(vector_select, every_rank_of_few_keys) {
  for (std::size_t n = 1; n <= 300; n += n < 40 ? 1 : 37) {
    this->check(this->drawn(n), this->integers, order::ascending, true);
    this->check(this->drawn(n, 3), this->signed_integers, order::descending, true);
    for (const std::size_t one_in : {0u, 2u, 20u}) {
      this->check(this->drawn_floats(n, one_in), this->floats, order::ascending, true);
      this->check(this->drawn_floats(n, one_in), this->floats, order::descending, true);
    }
    if (this->HasFatalFailure())
      return;
  }
}

TYPED_TEST(vector_select, random_lengths_of_every_type) {
  constexpr int rounds = 60;
  for (int round = 0; round < rounds && !this->HasFatalFailure(); ++round) {
    const std::size_t n = 1 + this->random() % (round % 8 == 0 ? 100'000 : 6'000);
    const order direction = round % 2 == 0 ? order::ascending : order::descending;
    const std::size_t below = round % 3 == 0 ? 0 : 1 + this->random() % n;
    this->check(this->drawn(n, static_cast<typename TypeParam::key>(below)),
                round % 5 == 0 ? this->integers : this->signed_integers, direction);
    const std::size_t special_one_in[] = {0, 2, 50, n};
    this->check(this->drawn_floats(n, special_one_in[round % 4]), this->floats, direction);
  }
}

// All equal, two values, in order, falling, organ pipes, periods, one outlier, heavy keys.
TYPED_TEST(vector_select, arrays_that_split_badly) {
  using K = typename TypeParam::key;
  constexpr K most = std::numeric_limits<K>::max();
  for (const std::size_t n : {257u, 1000u, 4096u, 5000u, 40'000u}) {
    const auto check = [&](const auto& key_at) {
      std::vector<K> keys(n);
      for (std::size_t i = 0; i < n; ++i)
        keys[i] = static_cast<K>(key_at(i));
      if (!this->HasFatalFailure())
        this->check(keys);
      if (!this->HasFatalFailure())
        this->check(keys, this->signed_integers, order::descending);
    };
    check([&](std::size_t) { return K{5}; });
    check([&](std::size_t) { return most; });
    check([&](std::size_t i) { return i % 2 == 0 ? K{0} : most; });
    check([&](std::size_t) { return this->random() % 2; });
    check([&](std::size_t i) { return i; });
    check([&](std::size_t i) { return n - i; });
    check([&](std::size_t i) { return i < n / 2 ? i : n - i; });
    check([&](std::size_t i) { return i % 256; });
    check([&](std::size_t i) { return i % 32 == 16 ? most - i : i; });
    check([&](std::size_t i) { return i == n / 2 ? K{0} : most; });
    check([&](std::size_t) { return this->random() % 20 == 0 ? this->random() : 7; });
    check([&](std::size_t) { return K{1} << (this->random() % (8 * sizeof(K))); });
  }
}

// What the first samples are drawn from holds the least keys: all splits but those by halves of what is left are poor.
TYPED_TEST(vector_select, samples_as_bad_as_can_be) {
  using K = typename TypeParam::key;
  constexpr std::size_t n = 4000;
  std::vector<K> keys(n);
  for (std::size_t i = 0; i < n; ++i)
    keys[i] = static_cast<K>(1'000'000 + i);
  for (std::size_t left = n; left > 300; --left) { // the places of a sample of the last `left` keys
    const std::size_t m = left < 1024 ? 32 : 64, stride = left / m;
    for (std::size_t i = 0; i < m; ++i)
      keys[n - left + i * stride + stride / 2] = static_cast<K>(n - left);
  }
  this->check(keys);
}

// Among equal floats the one that a stable sort has at the rank, bit for bit.
TYPED_TEST(vector_select, zeros_and_nans_keep_their_ranks) {
  using K = typename TypeParam::key;
  for (const std::size_t n : {10u, 300u, 5000u})
    for (const order direction : {order::ascending, order::descending})
      for (const std::size_t one_in : {1u, 2u}) {
        std::vector<K> keys = this->drawn_floats(n, one_in);
        const typename TestFixture::sorted_keys s(keys, this->floats, direction);
        for (std::size_t rank = 0; rank < n; rank += 1 + n / 60) {
          ASSERT_TRUE(this->puts_in_place(s, rank));
          ASSERT_TRUE(this->finds(s, rank, std::min(n - 1, rank + 3)));
        }
      }
}

} // namespace
} // namespace sortile::cpu
