// The vector sorts of keys alone: every length that a leaf can have, arrays that split badly, images of every kind,
// keys in order already, and −0 and NaN, which they must hand back untouched.
#include "cpu/vector_parts.hpp"
#include "testing/guarded_buffer.hpp"
#include "tests/cpu/vector_fixture.hpp"

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

template <class K>
std::vector<K> sorted_by(const key_image<K>& image, std::vector<K> keys) {
  std::sort(keys.begin(), keys.end(), [&](K a, K b) { return image(a) < image(b); });
  return keys;
}

using sortile::testing::guarded_buffer;

template <class Vectors>
class vector_sort : public vector_fixture<Vectors> {
 protected:
  using vector_fixture<Vectors>::kernels;
  using Key = typename Vectors::key;

  std::mt19937_64 random{17};

  // Sorts in place and out of place, and compares with std::sort.
  void check(const std::vector<Key>& keys, const plain_image<Key>& image, const std::function<Key(Key)>& image_of) {
    std::vector<Key> expected = keys;
    std::sort(expected.begin(), expected.end(), [&](Key a, Key b) { return image_of(a) < image_of(b); });
    const auto same = [&](guarded_buffer& buffer) {
      EXPECT_EQ(buffer.damage(), "");
      return keys.empty() || std::memcmp(buffer.data(), expected.data(), buffer.size()) == 0;
    };
    const std::size_t bytes = keys.size() * sizeof(Key);
    guarded_buffer in_place = guarded_buffer::copy_of(keys.data(), bytes, sizeof(Key));
    kernels->sort(in_place.template as<Key>().data(), keys.size(), image, in_place.template as<Key>().data());
    ASSERT_TRUE(same(in_place)) << "in place, n = " << keys.size();
    guarded_buffer in = guarded_buffer::copy_of(keys.data(), bytes, sizeof(Key)), out(bytes, sizeof(Key));
    kernels->sort(in.template as<Key>().data(), keys.size(), image, out.template as<Key>().data());
    ASSERT_TRUE(same(out)) << "out of place, n = " << keys.size();
    ASSERT_TRUE(keys.empty() || std::memcmp(in.data(), keys.data(), bytes) == 0) << "the input was written";
    guarded_buffer unseen = guarded_buffer::copy_of(keys.data(), bytes, sizeof(Key));
    ASSERT_TRUE(
        kernels->unseen(unseen.template as<Key>().data(), keys.size(), image, unseen.template as<Key>().data()));
    ASSERT_TRUE(same(unseen)) << "unseen, n = " << keys.size();
  }

  void check(const std::vector<Key>& keys) {
    check(keys, {}, [](Key key) { return key; });
  }

  std::vector<Key> drawn(std::size_t n, Key below = 0) {
    std::vector<Key> keys(n);
    for (Key& key : keys)
      key = below == 0 ? static_cast<Key>(random()) : static_cast<Key>(random() % below);
    return keys;
  }
};

TYPED_TEST_SUITE(vector_sort, all_vectors);

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
  using K = typename TypeParam::key;
  for (std::size_t n = 2; n <= 16; ++n)
    for (std::size_t bits = 0; bits < std::size_t{1} << n; ++bits) {
      K keys[16];
      for (std::size_t i = 0; i < n; ++i)
        keys[i] = static_cast<K>(bits >> i & 1);
      this->kernels->sort(keys, n, {}, keys);
      ASSERT_TRUE(std::is_sorted(keys, keys + n)) << n << " keys, bits " << bits;
    }
  for (std::size_t n = 17; n <= 256; ++n)
    for (int round = 0; round < 200; ++round) {
      std::vector<K> keys = this->drawn(n, 2);
      const auto ones = std::count(keys.begin(), keys.end(), K{1});
      this->kernels->sort(keys.data(), n, {}, keys.data());
      ASSERT_TRUE(std::is_sorted(keys.begin(), keys.end())) << n;
      ASSERT_EQ(std::count(keys.begin(), keys.end(), K{1}), ones);
    }
}

// Arrays that are split in four, with one or two keys that fill a quarter to a half, at both ends of all images too.
TYPED_TEST(vector_sort, heavy_keys_split_in_four) {
  using K = typename TypeParam::key;
  constexpr K most = std::numeric_limits<K>::max();
  const key_image<K> image(sizeof(K) == 4 ? key_type::u32 : key_type::u64, order::descending, {});
  const std::size_t n = (std::size_t{5} << 18) / sizeof(K);
  for (const K heavy : {K{0}, K{1}, static_cast<K>(most / 2), static_cast<K>(most - 3), static_cast<K>(most - 2), most})
    for (const unsigned of_eight : {2u, 3u, 5u}) {
      std::vector<K> keys = this->drawn(n);
      for (K& key : keys)
        if (const std::uint64_t r = this->random(); r % 8 < of_eight)
          key = image.key_of(of_eight % 2 == 0 ? heavy : static_cast<K>(heavy ^ (r >> 9 & 1)));
      this->check(keys, image, [&](K key) { return image.plain(key); });
      for (K& key : keys)
        key = image.key_of(std::max(image.plain(key), static_cast<K>(most - 5))); // all are near the end
      this->check(keys, image, [&](K key) { return image.plain(key); });
      if (this->HasFatalFailure())
        return;
    }
}

// One key that fills half of the array to all, from its front on or not, and some others below it, above it, or on both
// sides, at both ends of all images too: where they are few they are gathered, not split.
TYPED_TEST(vector_sort, one_key_beside_few_others) {
  using K = typename TypeParam::key;
  constexpr K most = std::numeric_limits<K>::max();
  for (const order direction : {order::ascending, order::descending}) {
    const key_image<K> image(sizeof(K) == 4 ? key_type::i32 : key_type::i64, direction, {});
    for (const std::size_t n : {129u, 300u, 1000u, 5001u, 70'001u})
      for (const K heavy : {K{0}, K{1}, static_cast<K>(most / 2), static_cast<K>(most - 1), most})
        for (const std::size_t others : {std::size_t{0}, std::size_t{1}, std::size_t{3}, n / 50, n / 9, n / 2})
          for (const unsigned sides : {1u, 2u, 3u}) { // below, above, both
            std::vector<K> keys(n, image.key_of(heavy));
            for (std::size_t i = 0; i < others; ++i) {
              const auto r = static_cast<K>(this->random());
              const bool below = sides == 3 ? i % 2 == 0 : sides == 1;
              const K other = below ? (heavy > 0 ? static_cast<K>(r % heavy) : heavy)
                                    : (heavy < most ? static_cast<K>(most - r % (most - heavy)) : heavy);
              keys[i == 0 ? n - 1 - this->random() % 2 : this->random() % n] = image.key_of(other);
            }
            this->check(keys, image, [&](K key) { return image.plain(key); });
            if (this->HasFatalFailure())
              return;
          }
  }
}

TYPED_TEST(vector_sort, arrays_that_split_badly) {
  using K = typename TypeParam::key;
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
    add([&](std::size_t i) { return (n - i) / 3; });
    add([&](std::size_t i) { return i + 1 < n ? (n - i) / 3 : n; });
    add([&](std::size_t i) { return i < n / 2 ? i : n - i; });
    add([&](std::size_t i) { return i % 256; });
    add([&](std::size_t i) { return i * i; });
    add([&](std::size_t i) { return i == n / 2 ? K{0} : most; });
    add([&](std::size_t i) { return i == n / 2 ? most : K{0}; });
    add([&](std::size_t) { return this->random() % 20 == 0 ? this->random() : 7; });
    add([&](std::size_t i) { return i / 2 + (this->random() % 50 == 0 ? this->random() % n : 0); });
    for (std::size_t turn = 1; turn < 4; ++turn) // each quarter has keys of one quarter, and another length
      add([&](std::size_t i) { return (4 * i / n + turn) % 4 * (most / 4) + this->random() % (most / 4 - turn); });
    add([&](std::size_t i) { return i < n / 3 ? this->random() % 1000 : this->random(); });
    for (const std::vector<K>& array : arrays) {
      this->check(array);
      if (this->HasFatalFailure())
        return;
    }
  }
}

// Keys such that the sampled pivot is always among the smallest: the depth is bounded all the same.
TYPED_TEST(vector_sort, pivots_as_bad_as_can_be) {
  using K = typename TypeParam::key;
  constexpr std::size_t n = 4000, samples = TypeParam::set == instruction_set::avx512 ? 64 / sizeof(K) : 8;
  std::vector<K> keys(n);
  for (std::size_t i = 0; i < n; ++i)
    keys[i] = static_cast<K>(n + i);
  for (std::size_t left = n; left > 300; --left) // what the pivot of the first `left` keys is drawn from
    for (std::size_t i = 0; i < samples; ++i)
      keys[left / samples / 2 + i * (left / samples)] = static_cast<K>(n - left);
  this->check(keys);
}

TYPED_TEST(vector_sort, images_of_every_kind) {
  using K = typename TypeParam::key;
  constexpr key_type types[] = {sizeof(K) == 4 ? key_type::u32 : key_type::u64,
                                sizeof(K) == 4 ? key_type::i32 : key_type::i64,
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
  using K = typename TypeParam::key;
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
            keys[i] = std::bit_cast<K>(
                static_cast<F>(rising ? static_cast<double>(i) : std::sin(static_cast<double>(i) + 1)));
          keys[at] = special;
          std::vector<K> sorted = keys;
          const bool in_order = rising && special == specials[0] && at == 0; // −0, 1, 2 …
          if (!this->kernels->unseen(sorted.data(), n, image, sorted.data()))
            ASSERT_EQ(sorted, keys);
          else
            ASSERT_TRUE(in_order) << n << ", special at " << at;
        }
}

// Of floats that rise or fall through their zeros: what is done is what a stable sort does, and what shall be done is.
TYPED_TEST(vector_sort, zeros_in_what_rises_and_falls) {
  using K = typename TypeParam::key;
  using F = std::conditional_t<sizeof(K) == 4, float, double>;
  const K plus = std::bit_cast<K>(F{0.0}), minus = std::bit_cast<K>(F{-0.0}),
          nan = std::bit_cast<K>(std::numeric_limits<F>::quiet_NaN());
  struct row {
    std::vector<K> zeros; // in the middle of keys that rise
    bool rise, fall;      // whether they, and the same from the last one on, are seen to be in order
  };
  const row rows[] = {{{minus}, true, true},         {{minus, minus, minus}, true, true},
                      {{minus, plus}, true, false},  {{minus, minus, plus, plus}, true, false},
                      {{plus, minus}, false, false}, {{nan}, false, false}};
  for (const order direction : {order::ascending, order::descending})
    for (const std::size_t below : {270u, 271u, 300u, 500u})
      for (const row& r : rows)
        for (const bool falls : {false, true}) {
          const key_image<K> image(sizeof(K) == 4 ? key_type::f32 : key_type::f64, direction, {});
          std::vector<K> keys;
          for (std::size_t i = below; i > 0; --i)
            keys.push_back(std::bit_cast<K>(-static_cast<F>(i)));
          keys.insert(keys.end(), r.zeros.begin(), r.zeros.end());
          for (std::size_t i = 1; i <= 140; ++i)
            keys.push_back(std::bit_cast<K>(static_cast<F>(i)));
          if (falls != (direction == order::descending))
            std::reverse(keys.begin(), keys.end());
          std::vector<K> sorted = keys, expected = keys;
          const key_image<K> exact = image.exactly();
          std::stable_sort(expected.begin(), expected.end(), [&](K a, K b) { return exact(a) < exact(b); });
          const bool done = this->kernels->unseen(sorted.data(), keys.size(), image, sorted.data());
          ASSERT_EQ(sorted, done ? expected : keys);
          if (direction == order::ascending) {
            ASSERT_EQ(done, falls ? r.fall : r.rise) << "zeros " << &r - rows << ", falls " << falls << ", " << below;
          }
        }
}

// One key again and again, and all the same but one, anywhere.
TYPED_TEST(vector_sort, are_all_one_key) {
  using K = typename TypeParam::key;
  const vector_parts<K>& parts = *best_vector_parts<K>();
  for (const std::size_t n : {1u, 2u, 31u, 63u, 64u, 65u, 127u, 128u, 129u, 257u, 700u}) {
    std::vector<K> keys(n, K{7});
    ASSERT_TRUE(parts.are_all(keys.data(), n, 7));
    ASSERT_FALSE(parts.are_all(keys.data(), n, 8));
    for (K& key : keys) {
      key = static_cast<K>(K{7} ^ K{1} << (8 * sizeof(K) - 1));
      ASSERT_FALSE(parts.are_all(keys.data(), n, 7)) << n << ", " << &key - keys.data();
      key = 7;
    }
  }
}

// One key again and again beside a few others, anywhere: a read puts these in their places. More of them, and what is
// no number, leave the array as it was.
TYPED_TEST(vector_sort, puts_few_others_beside_one_key) {
  using K = typename TypeParam::key;
  std::mt19937_64 random(3);
  for (const key_type type :
       {sizeof(K) == 4 ? key_type::u32 : key_type::u64, sizeof(K) == 4 ? key_type::f32 : key_type::f64})
    for (const order direction : {order::ascending, order::descending})
      for (const std::size_t n : {8192u, 8193u, 9001u, 20'000u})
        for (const std::size_t others : {0u, 1u, 2u, 31u, 32u, 33u, 200u})
          for (const bool in_place : {false, true}) {
            const key_image<K> image(type, direction, {});
            std::vector<K> keys(n, K{1} << 29), sorted(n);
            for (std::size_t j = 0; j < others;) {
              K& key = keys[random() % n];
              if (key != K{1} << 29 || &key == &keys[0] || &key == &keys[n / 2] || &key == &keys[n - 1])
                continue;
              key = static_cast<K>(random() % (K{1} << 30) | 1);
              ++j;
            }
            const std::vector<K> expected = sorted_by(image, keys);
            if (in_place)
              sorted = keys;
            const bool done = this->kernels->in_order(in_place ? sorted.data() : keys.data(), n, image, sorted.data());
            ASSERT_TRUE(done || others > 32) << n << ", others " << others;
            if (done || in_place) {
              ASSERT_EQ(sorted, done ? expected : keys) << n << ", others " << others;
            }
            if (is_float(type)) {
              keys[n / 3] = std::numeric_limits<K>::max(); // NaN
              sorted = keys;
              ASSERT_FALSE(this->kernels->in_order(sorted.data(), n, image, sorted.data()));
              ASSERT_EQ(sorted, keys);
            }
          }
}

// Keys of which few are out of place: exchanged, much too great or too small. They are sorted at once, unless they are
// too many, or a −0 is met on the way.
TYPED_TEST(vector_sort, puts_few_keys_out_of_place_in_order) {
  using K = typename TypeParam::key;
  constexpr K sign = K{1} << (8 * sizeof(K) - 1);
  std::mt19937_64 random(5);
  for (const key_type type :
       {sizeof(K) == 4 ? key_type::u32 : key_type::u64, sizeof(K) == 4 ? key_type::i32 : key_type::i64,
        sizeof(K) == 4 ? key_type::f32 : key_type::f64})
    for (const order direction : {order::ascending, order::descending})
      for (const std::size_t n : {512u, 513u, 1023u, 4100u, 30'000u})
        for (const std::size_t exchanges : {std::size_t{1}, std::size_t{2}, n / 200, n / 100, n / 10})
          for (const bool equal : {false, true})
            for (const bool in_place : {false, true}) {
              const key_image<K> image(type, direction, {});
              std::vector<K> keys(n), sorted(n);
              for (K& key : keys)
                key = static_cast<K>((random() % (equal ? n / 8 : n * 8) + 1) | (random() % 2 != 0 ? sign : 0));
              keys = sorted_by(image, keys);
              const auto any = [&] { return 20 + random() % (n - 20); };
              for (std::size_t j = 0; j < exchanges; ++j)
                std::swap(keys[any()], keys[any()]);
              keys[any()] = keys.front();
              keys[any()] = keys.back();
              keys.back() = keys[n / 2];
              const std::vector<K> expected = sorted_by(image, keys);
              if (in_place)
                sorted = keys;
              const bool done =
                  this->kernels->in_order(in_place ? sorted.data() : keys.data(), n, image, sorted.data());
              ASSERT_TRUE(done ? exchanges < n / 10 : exchanges > n / 200) << n << ", " << exchanges;
              if (done || in_place) {
                ASSERT_EQ(sorted, done ? expected : keys) << n << ", " << exchanges;
              }
              if (is_float(type)) {
                keys[n - 5] = sign; // −0
                sorted = keys;
                ASSERT_FALSE(this->kernels->in_order(sorted.data(), n, image, sorted.data()));
                ASSERT_EQ(sorted, keys);
              }
            }
}

TEST(vector_sorts, can_be_switched_off) {
  const radix_tuning before = tuning();
  tuning().widest = instruction_set::baseline;
  EXPECT_EQ(best_vector_kernels<std::uint32_t>(), nullptr);
  EXPECT_EQ(best_vector_kernels<std::uint64_t>(), nullptr);
  tuning() = before;
}

} // namespace
} // namespace sortile::cpu
