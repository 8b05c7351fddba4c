// The sort of pairs where a map spreads skewed keys over its buckets: smooth distributions of all types, in one
// partition and in two, buckets that only the step for large ones takes, and keys that no map can spread.
#include "tests/kernels/pair_sort_checks.hpp"

#include <bit>
#include <cmath>

namespace sortile::simt_tests {
namespace {

using namespace pair_checks;

enum class smooth { normal, exponential, magnitudes };

/// Around 0, from 0 up, from 1 up.
double draw(smooth kind, double u, double v) {
  switch (kind) {
  case smooth::normal:
    return std::sqrt(-2 * std::log(v)) * std::cos(6.283185307179586 * u);
  case smooth::exponential:
    return -std::log(v);
  default:
    return std::exp(17 * u);
  }
}
template <class Word>
std::vector<Word> make_smooth(std::size_t n, smooth kind, key_type type) {
  const auto bits = noise(2 * n, std::uint32_t(n) + 11);
  const bool floats = type == key_type::f32 || type == key_type::f64;
  const double least = kind == smooth::normal ? -6 : 0, most = kind == smooth::magnitudes ? std::exp(17.0) : 24;
  const bool is_signed = type == key_type::i32 || type == key_type::i64;
  std::vector<Word> keys(n);
  for (std::size_t i = 0; i < n; ++i) {
    const double x = draw(kind, bits[2 * i] * 0x1p-32, (bits[2 * i + 1] + 0.5) * 0x1p-32);
    const double part = (x - least) / (most - least) * (8 * sizeof(Word) == 32 ? 0x1p32 : 0x1p63);
    if (!floats)
      keys[i] = Word(std::uint64_t(part)) ^ (is_signed ? Word(Word{1} << (8 * sizeof(Word) - 1)) : Word{0});
    else if constexpr (sizeof(Word) == 4)
      keys[i] = std::bit_cast<std::uint32_t>(float(x * x * x));
    else
      keys[i] = std::bit_cast<std::uint64_t>(x * x * x);
  }
  return keys;
}

template <class Word>
how<Word> mapped(key_type type, unsigned bits) {
  how<Word> h{.type = type, .bits = bits};
  h.ask_verdict = true;
  h.map_pairs_from = 0;
  return h;
}
/// The map makes the difference: without it the keys are given away.
template <class Word>
void check_mapped(simt::queue q, const std::vector<Word>& keys, how<Word> h) {
  SCOPED_TRACE("type " + std::to_string(int(h.type)) + ", bits " + std::to_string(h.bits) + ", values of " +
               std::to_string(h.value_bytes));
  h.must_suit = true;
  check_sort(q, keys, h);
  h.map_pairs_from = ~std::uint64_t{0};
  h.sample_from = 0;
  EXPECT_TRUE(gives_away(q, keys, h)) << "even without a map";
}

SIMT_TEST(sort_pairs_map, smooth_keys_stay) {
  constexpr std::size_t n = 50'000;
  on_every_schedule(
      [&](simt::queue q) {
        one_in taken(5);
        unsigned turn = 0;
        const auto check = [&]<class Word>(key_type type, const Word*) {
          for (const smooth kind : {smooth::normal, smooth::exponential, smooth::magnitudes}) {
            ++turn;
            if (!taken())
              continue;
            auto h = mapped<Word>(type, 4);
            h.direction = turn % 2 == 0 ? order::ascending : order::descending;
            h.value_bytes = turn % 4 == 0 ? 16 : turn % 4 == 1 ? 4 : turn % 4 == 2 ? 8 : sizeof(Word) == 4 ? 4 : 0;
            h.keys_in_place = h.values_in_place = turn % 3 == 0;
            check_mapped(q, make_smooth<Word>(n, kind, type), h);
          }
        };
        constexpr const std::uint32_t* of_32 = nullptr;
        constexpr const std::uint64_t* of_64 = nullptr;
        check(key_type::u32, of_32);
        check(key_type::i32, of_32);
        check(key_type::f32, of_32);
        check(key_type::u64, of_64);
        check(key_type::i64, of_64);
        check(key_type::f64, of_64);
      },
      unless_short(1u, 0u));
}
/// Numbers of many magnitudes gather in the first buckets even where these are small.
SIMT_TEST(sort_pairs_map, in_two_partitions) {
  constexpr std::size_t n = 60'001;
  on_every_schedule(
      [&](simt::queue q) {
        check_mapped(q, make_smooth<std::uint32_t>(n, smooth::magnitudes, key_type::u32),
                     mapped<std::uint32_t>(key_type::u32, 9));
        auto h = mapped<std::uint64_t>(key_type::i64, 10);
        h.value_bytes = 8;
        h.direction = order::descending;
        check_mapped(q, make_smooth<std::uint64_t>(n, smooth::magnitudes, key_type::i64), h);
        auto indices = mapped<std::uint32_t>(key_type::f32, 9);
        indices.indices = true;
        indices.want_keys = false;
        const auto floats = make_smooth<std::uint32_t>(n, smooth::normal, key_type::f32);
        indices.must_suit = true;
        check_sort(q, floats, indices);
      },
      unless_short(1u, 0u));
}
/// Buckets of 5000 keys and more: some exceed the local step, and none the step for large ones.
SIMT_TEST(sort_pairs_map, buckets_that_are_large) {
  constexpr std::size_t n = 43'000;
  on_every_schedule(
      [&](simt::queue q) {
        for (const unsigned value_bytes : {0u, 4u}) {
          auto h = mapped<std::uint64_t>(key_type::u64, 3);
          h.value_bytes = value_bytes;
          h.must_suit = true;
          check_sort(q, make_smooth<std::uint64_t>(n, smooth::exponential, key_type::u64), h);
        }
      },
      0);
}
/// In order, descending, and with what has no place of its own among numbers.
SIMT_TEST(sort_pairs_map, odd_keys) {
  constexpr std::size_t n = 50'000;
  on_every_schedule(
      [&](simt::queue q) {
        auto keys = make_smooth<std::uint32_t>(n, smooth::normal, key_type::u32);
        std::sort(keys.begin(), keys.end());
        auto h = mapped<std::uint32_t>(key_type::u32, 4);
        h.must_suit = true;
        check_sort(q, keys, h);
        keys.erase(std::unique(keys.begin(), keys.end()), keys.end());
        std::reverse(keys.begin(), keys.end());
        check_sort(q, keys, h);

        auto floats = make_smooth<std::uint64_t>(n, smooth::normal, key_type::f64);
        const auto bits = noise(n, 5);
        for (std::size_t i = 0; i < n; i += 97)
          floats[i] = special_float<std::uint64_t>(bits[i]);
        for (const order direction : {order::ascending, order::descending}) {
          auto f = mapped<std::uint64_t>(key_type::f64, 4);
          f.direction = direction;
          check_sort(q, floats, f);
        }
      },
      0);
}
/// What repeats, or lies in clusters finer than the map's cells: the fallback's, and the map is not asked twice.
SIMT_TEST(sort_pairs_map, what_no_map_spreads) {
  constexpr std::size_t n = 60'001;
  const auto u32 = make_key_codec<std::uint32_t>(key_type::u32, {}, {});
  on_every_schedule(
      [&](simt::queue q) {
        const auto given_away = [&]<class Word>(const std::vector<Word>& keys, key_type type, unsigned bits) {
          const auto h = mapped<Word>(type, bits);
          check_sort(q, keys, h);
          EXPECT_TRUE(gives_away(q, keys, h));
        };
        given_away(make_keys<std::uint32_t>(n, shape::few, u32), key_type::u32, 4);
        given_away(make_keys<std::uint32_t>(n, shape::one_giant_bucket, u32), key_type::u32, 4);
        auto zeros = make_smooth<std::uint64_t>(n, smooth::normal, key_type::u64);
        for (std::size_t i = 0; i < n; i += 2)
          zeros[i] = 0;
        given_away(zeros, key_type::u64, 5);
        auto clusters = noise(n, 3); // 16 of 2^10 values each, in one part of 16
        for (auto& key : clusters)
          key = key % 8 == 0 ? key : (key & 0x0f0003ff) | 0x40000000;
        given_away(clusters, key_type::u32, 4);
      },
      0);
}
/// Where there are two fallbacks, pairs of few values are the LSD sort's at once; other skewed ones are the next one's.
SIMT_TEST(sort_pairs_map, few_values_are_given_to_the_passes) {
  constexpr std::size_t n = 60'001;
  constexpr std::uint32_t passes = 2;
  on_every_schedule(
      [&](simt::queue q) {
        auto h = mapped<std::uint64_t>(key_type::u64, 4);
        h.passes = passes;
        const auto few = make_keys<std::uint64_t>(n, shape::few);
        EXPECT_EQ(told_role(q, few, h), passes);
        h.map_pairs_from = ~std::uint64_t{0};
        h.sample_from = 0;
        EXPECT_EQ(told_role(q, few, h), passes) << "without a map";
        auto half = make_keys<std::uint64_t>(n, shape::uniform);
        for (std::size_t i = 0; i < n; i += 2)
          half[i] = 7;
        EXPECT_EQ(told_role(q, half, h), 1u);
        h.passes = 0;
        EXPECT_EQ(told_role(q, few, h), 1u);
      },
      0);
}
/// Even buckets of 32-bit values that occur some dozen times are, too, from so many pairs on.
SIMT_TEST(sort_pairs_map, what_repeats_is_given_to_the_passes) {
  constexpr std::size_t n = 60'001;
  on_every_schedule(
      [&](simt::queue q) {
        how<std::uint32_t> h{.fallback_sees_order = true, .bits = 4, .repeats_from = 0};
        h.passes = 1;
        auto repeated = make_keys<std::uint32_t>(n, shape::uniform);
        const auto different = repeated;
        for (auto& key : repeated)
          key = key % 3000 * 0x9e3779b1u;
        EXPECT_EQ(told_role(q, repeated, h), 1u);
        EXPECT_EQ(told_role(q, different, h), 0u);
        h.fallback_sees_order = false;
        EXPECT_EQ(told_role(q, repeated, h), 0u) << "the fallback is no LSD sort";
        h.fallback_sees_order = true;
        h.repeats_from = n + 1;
        EXPECT_EQ(told_role(q, repeated, h), 0u) << "fewer pairs";
      },
      0);
}
/// So are keys that no map spreads, though they do not repeat.
SIMT_TEST(sort_pairs_map, uneven_keys_are_given_to_the_passes) {
  constexpr std::size_t n = 60'001;
  constexpr std::uint32_t passes = 2;
  auto apart = make_keys<std::uint64_t>(n, shape::uniform);
  for (std::size_t i = 0; i < n; ++i) // three clusters, of which a map resolves one
    if (i % 10 != 0)
      apart[i] = (apart[i] & 0xfffff) | std::uint64_t{0x1234} << (48 - i % 3 * 4);
  on_every_schedule(
      [&](simt::queue q) {
        auto h = mapped<std::uint64_t>(key_type::u64, 4);
        h.passes = passes;
        for (const unsigned value_bytes : {0u, 4u}) {
          h.value_bytes = value_bytes;
          EXPECT_EQ(told_role(q, apart, h), passes) << value_bytes;
        }
        h.passes = 0;
        EXPECT_EQ(told_role(q, apart, h), 1u);
      },
      0);
}
/// So are those with bits that are mostly clear, which no map is drawn of.
SIMT_TEST(sort_pairs_map, uneven_bits_are_given_to_the_passes) {
  constexpr std::uint32_t passes = 2;
  on_every_schedule(
      [&](simt::queue q) {
        auto h = mapped<std::uint64_t>(key_type::u64, 4);
        h.passes = passes;
        h.value_bytes = 4;
        EXPECT_EQ(told_role(q, make_keys<std::uint64_t>(60'001, shape::and_of_3), h), passes);
      },
      0);
}
/// Where a map is asked for of any number of pairs. No sample of so few is skewed, so none is drawn.
SIMT_TEST(sort_pairs_map, asked_for_of_a_few_pairs) {
  on_every_schedule(
      [](simt::queue q) {
        for (const std::size_t n : {1u, 2u, 7u, 8u, 17u}) {
          auto h = mapped<std::uint64_t>(key_type::f64, n % 2 == 0 ? 3 : 9);
          h.sample_from = 0;
          h.must_suit = true;
          h.direction = n % 2 == 0 ? order::descending : order::ascending;
          h.value_bytes = n < 8 ? 8 : 0;
          h.keys_in_place = h.values_in_place = n == 7 || n == 17;
          check_sort(q, make_smooth<std::uint64_t>(n, smooth::normal, key_type::f64), h);
        }
      },
      0);
}
SIMT_TEST(sort_pairs_map, many_schedules) {
  on_every_schedule(
      [](simt::queue q) {
        auto h = mapped<std::uint32_t>(key_type::u32, 3);
        h.must_suit = true;
        check_sort(q, make_smooth<std::uint32_t>(26'000, smooth::exponential, key_type::u32), h);
      },
      3);
}

} // namespace
} // namespace sortile::simt_tests
