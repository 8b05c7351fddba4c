// The sort of pairs where keys do not use all of their type evenly: floats by value and by bits, integers of an
// interval, what lies outside of it. Against std::stable_sort, and which inputs are given to a fallback.
#include "kernels/pairs/key_spread.hpp"
#include "tests/kernels/pair_sort_checks.hpp"

#include <array>
#include <bit>
#include <cmath>
#include <limits>

namespace sortile::simt_tests {
namespace {

using namespace pair_checks;

enum class spread {
  unit,
  signs,
  normal,
  exponential,
  subnormal,
  widest, // evenly over all finite numbers: the difference of two overflows
  far,    // an interval far from 0
  clusters,
  outlier,
  specials, // NaNs, infinities and zeros of both signs in between
  few,
  equal
};
constexpr spread main_spreads[] = {spread::unit, spread::normal, spread::specials, spread::few};
constexpr spread all_spreads[] = {spread::unit,      spread::signs,    spread::normal, spread::exponential,
                                  spread::subnormal, spread::widest,   spread::far,    spread::clusters,
                                  spread::outlier,   spread::specials, spread::few,    spread::equal};

template <class Word>
using real_of = std::conditional_t<sizeof(Word) == 4, float, double>;
template <class Word>
constexpr key_type float_type = sizeof(Word) == 4 ? key_type::f32 : key_type::f64;

/// u, v: in [0, 1) and (0, 1).
template <class Real>
Real draw(spread kind, double u, double v, std::size_t i, std::size_t n) {
  using limits = std::numeric_limits<Real>;
  switch (kind) {
  case spread::signs:
    return Real(2 * u - 1);
  case spread::normal:
    return Real(std::sqrt(-2 * std::log(v)) * std::cos(6.283185307179586 * u));
  case spread::exponential:
    return Real(-std::log(v));
  case spread::subnormal:
    return Real(Real(std::floor(u * 65536 - 16000)) * limits::denorm_min());
  case spread::widest:
    return Real(Real(2 * u - 1) * limits::max());
  case spread::far:
    return Real(-1e6 - 100 * u);
  case spread::clusters:
    return Real(v < 0.5 ? 1 + u / 64 : 1e9 + u);
  case spread::outlier:
    return i == n / 3 || i + 1 == n ? Real(1e30) : Real(u);
  case spread::few:
    return Real(std::floor(u * 7));
  case spread::equal:
    return Real(-2.5);
  default:
    return Real(u);
  }
}
template <class Word>
std::vector<Word> make_floats(std::size_t n, spread kind) {
  const auto bits = noise(4 * n, std::uint32_t(n) + 3);
  std::vector<Word> keys(n);
  for (std::size_t i = 0; i < n; ++i) {
    const double u = (bits[4 * i] + bits[4 * i + 1] * 0x1p-32) * 0x1p-32, v = (bits[4 * i + 2] + 0.5) * 0x1p-32;
    keys[i] = std::bit_cast<Word>(draw<real_of<Word>>(kind, u < 1 ? u : 0, v, i, n));
    if (kind == spread::specials && bits[4 * i + 3] % 4 == 0)
      keys[i] = special_float<Word>(bits[4 * i + 3] >> 2);
  }
  return keys;
}

template <class Word>
void check_floats(simt::queue q, std::size_t n, std::initializer_list<unsigned> bits) {
  one_in taken(5);
  for (const spread kind : short_tests() ? std::span<const spread>(main_spreads) : all_spreads)
    for (const unsigned b : bits) {
      const order direction = (unsigned(kind) + b / 4) % 2 == 0 ? order::ascending : order::descending;
      SCOPED_TRACE("spread " + std::to_string(int(kind)) + ", bits " + std::to_string(int(b)) +
                   (direction == order::ascending ? "" : ", descending"));
      how<Word> h{.type = float_type<Word>, .direction = direction, .value_bytes = b == 9 ? 8u : 4u, .bits = b};
      const auto check = [&] {
        if (taken())
          check_sort(q, make_floats<Word>(n, kind), h);
      };
      check();
      h.indices = true;
      h.ask_verdict = true;
      check();
      h.indices = false;
      h.value_bytes = b == 5 ? 16 : 0;
      h.keys_in_place = true;
      check();
    }
}
SIMT_TEST(sort_pairs_spread, floats_of_32_bits) {
  on_every_schedule([](simt::queue q) { check_floats<std::uint32_t>(q, 9001, {5u, 9u}); }, 0);
}
SIMT_TEST(sort_pairs_spread, floats_of_64_bits) {
  on_every_schedule([](simt::queue q) { check_floats<std::uint64_t>(q, 9001, {5u, 9u}); }, 0);
}
/// Some keys to each value, from fewer than one to so many that the local step's ways to order them give up.
template <class Word, bool Floats>
void check_alike(simt::queue q) {
  constexpr std::size_t n = 9001;
  const auto bits = noise(2 * n, 23);
  one_in taken(5);
  for (const std::uint32_t values : a_few(3, {60'000u, 20'000u, 9000u, 3000u, 500u, 100u, 7u}))
    for (const unsigned step : a_few(1, {1u, 1000u})) {
      SCOPED_TRACE(std::to_string(values) + " values, " + std::to_string(step) + " apart");
      std::vector<Word> keys(n);
      for (std::size_t i = 0; i < n; ++i) {
        const std::uint32_t r = bits[2 * i] % values * step;
        keys[i] = Floats ? std::bit_cast<Word>(real_of<Word>(real_of<Word>(r) * real_of<Word>(0x1p-24))) : Word(r);
        const std::uint32_t of = step == 1 ? 16 : 128, z = bits[2 * i + 1];
        if (Floats && z % of == 0) // equal zeros, of different bits
          keys[i] = z % (2 * of) == 0 ? Word(Word{1} << (8 * sizeof(Word) - 1)) : Word{0};
      }
      how<Word> h{.type = Floats ? float_type<Word> : sizeof(Word) == 4 ? key_type::u32 : key_type::u64, .bits = 3};
      for (const unsigned value_bytes : a_few(2, {0u, 4u, 8u, 16u})) {
        h.value_bytes = value_bytes;
        if (taken())
          check_sort(q, keys, h);
      }
    }
}
/// Keys that are all alike are in order, so a sample leaves them only to who sees that too.
SIMT_TEST(sort_pairs_spread, alike_keys_are_left_to_who_sees_their_order) {
  on_every_schedule(
      [](simt::queue q) {
        auto keys = make_keys<std::uint32_t>(9001, shape::equal);
        EXPECT_FALSE(gives_away<std::uint32_t>(q, keys, {.bits = 3, .sample_from = 0}));
        how<std::uint32_t> h{.bits = 3, .sample_from = 0};
        h.fallback_sees_order = true;
        EXPECT_TRUE(gives_away(q, keys, h));
        EXPECT_FALSE(gives_away(q, make_keys<std::uint32_t>(9001, shape::sorted), h)) << "which are even";
      },
      0);
}
#if !SORTILE_ON_CUDA
// 256 clusters over 2048 buckets, as evenly as the sample's bins can tell: it is the buckets that samples share that
// say so, before the keys are counted. On the executor, whose counters tell what was read: a scan of all keys less.
SIMT_TEST(sort_pairs_spread, clusters_are_given_away_by_a_sample) {
  constexpr std::size_t n = std::size_t{1} << 23;
  std::vector<std::uint32_t> keys = noise(n);
  for (std::uint32_t& key : keys)
    key &= 0xff0003ff;
  const auto bytes_read = [&](std::uint64_t sample_from) {
    executor::device counting({.checks = executor::check::counters});
    EXPECT_TRUE(gives_away<std::uint32_t>(simt::queue::executor(counting), keys, {.sample_from = sample_from}));
    return counting.counted().global_loads.bytes;
  };
  EXPECT_LT(bytes_read(0) + 7 * n / 2, bytes_read(~std::uint64_t{0}));
}
#endif

SIMT_TEST(sort_pairs_spread, alike) {
  on_every_schedule(
      [](simt::queue q) {
        check_alike<std::uint32_t, false>(q);
        check_alike<std::uint32_t, true>(q);
        check_alike<std::uint64_t, false>(q);
        check_alike<std::uint64_t, true>(q);
      },
      0);
}
SIMT_TEST(sort_pairs_spread, many_schedules) {
  on_every_schedule(
      [](simt::queue q) {
        one_in taken(2);
        for (const spread kind : {spread::unit, spread::specials, spread::outlier}) {
          if (taken())
            check_sort<std::uint32_t>(q, make_floats<std::uint32_t>(5003, kind), {.type = key_type::f32, .bits = 4});
          if (taken())
            check_sort<std::uint64_t>(q, make_floats<std::uint64_t>(5003, kind),
                                      {.type = key_type::f64, .value_bytes = 8, .bits = 9});
        }
      },
      3);
}

enum class integers { below_a_billion, small_of_both_signs, around_a_time, outliers, clusters, at_the_top };
constexpr integers all_integers[] = {integers::below_a_billion, integers::small_of_both_signs,
                                     integers::around_a_time,   integers::outliers,
                                     integers::clusters,        integers::at_the_top};
template <class Word>
std::vector<Word> make_integers(std::size_t n, integers kind) {
  const auto bits = noise(4 * n, std::uint32_t(n) + 5);
  std::vector<Word> keys(n);
  for (std::size_t i = 0; i < n; ++i) {
    const auto r = Word(std::uint64_t{bits[4 * i]} << 32 | bits[4 * i + 1]);
    const Word below = Word((std::uint64_t{bits[4 * i]} << 32 | bits[4 * i + 3]) % 1'000'000'000);
    switch (kind) {
    case integers::small_of_both_signs:
      keys[i] = Word(below - 500'000'000);
      break;
    case integers::around_a_time:
      keys[i] = Word(Word(1'700'000'000) + bits[4 * i] % 31'536'000);
      break;
    case integers::outliers: // both ends of the type, and keys in between
      keys[i] = i % 4001 == 0 ? r : Word(below / 8 + 5000);
      break;
    case integers::clusters:
      keys[i] = Word(below / 1024 + (bits[4 * i + 2] % 2 != 0 ? Word(Word(5) << (8 * sizeof(Word) - 4)) : 0));
      break;
    case integers::at_the_top:
      keys[i] = Word(~below);
      break;
    default:
      keys[i] = below;
    }
  }
  return keys;
}
template <class Word>
void check_integers(simt::queue q, std::initializer_list<key_type> types) {
  one_in taken(5);
  for (const integers kind : a_few(3, all_integers))
    for (const key_type type : a_few(1, types))
      for (const unsigned bits : {6u, 10u}) {
        const order direction =
            (int(kind) + int(type == *types.begin()) + int(bits == 6)) % 2 == 0 ? order::ascending : order::descending;
        SCOPED_TRACE("integers " + std::to_string(int(kind)) + ", type " + std::to_string(int(type)));
        how<Word> h{.type = type, .direction = direction, .value_bytes = bits == 6 ? 4u : 0u, .bits = bits};
        if (taken())
          check_sort(q, make_integers<Word>(9001, kind), h);
        h.value_bytes = 8;
        h.ask_verdict = true;
        if (taken())
          check_sort(q, make_integers<Word>(9001, kind), h);
      }
}
SIMT_TEST(sort_pairs_spread, integers) {
  on_every_schedule(
      [](simt::queue q) {
        check_integers<std::uint32_t>(q, {key_type::u32, key_type::i32});
        check_integers<std::uint64_t>(q, {key_type::u64, key_type::i64});
      },
      0);
}

/// With buckets of up to 4096 pairs, of 4480 or more that the local step takes.
SIMT_TEST(sort_pairs_spread, what_suits) {
  constexpr std::size_t n = 60'000;
  on_every_schedule(
      [&](simt::queue q) {
        const auto given_away = [&]<class Word>(spread kind, const Word*) {
          return gives_away<Word>(q, make_floats<Word>(n, kind), {.type = float_type<Word>});
        };
        constexpr const std::uint32_t* f32 = nullptr;
        constexpr const std::uint64_t* f64 = nullptr;
        for (const spread even :
             a_few(2, {spread::unit, spread::signs, spread::widest, spread::subnormal, spread::equal})) {
          EXPECT_FALSE(given_away(even, f32)) << int(even);
          EXPECT_FALSE(given_away(even, f64)) << int(even);
        }
        EXPECT_FALSE(given_away(spread::far, f64));
        EXPECT_TRUE(given_away(spread::far, f32)); // 1600 values
        for (const spread uneven : a_few(2, {spread::normal, spread::exponential, spread::clusters, spread::outlier,
                                             spread::specials, spread::few})) {
          EXPECT_TRUE(given_away(uneven, f32)) << int(uneven);
          EXPECT_TRUE(given_away(uneven, f64)) << int(uneven);
        }
        EXPECT_FALSE(gives_away(
            q, make_keys<std::uint64_t>(n, shape::uniform, make_key_codec<std::uint64_t>(key_type::f64, {}, {})),
            {.type = key_type::f64}));

        const auto integers_left = [&]<class Word>(integers kind, key_type type, const Word*) {
          return gives_away<Word>(q, make_integers<Word>(n, kind), {.type = type});
        };
        for (const integers even :
             a_few(1, {integers::below_a_billion, integers::around_a_time, integers::at_the_top})) {
          EXPECT_FALSE(integers_left(even, key_type::u32, f32)) << int(even);
          EXPECT_FALSE(integers_left(even, key_type::u64, f64)) << int(even);
        }
        EXPECT_FALSE(integers_left(integers::small_of_both_signs, key_type::i32, f32));
        EXPECT_FALSE(integers_left(integers::small_of_both_signs, key_type::i64, f64));
        EXPECT_TRUE(integers_left(integers::clusters, key_type::u32, f32));
        EXPECT_TRUE(integers_left(integers::outliers, key_type::u64, f64));
        std::vector<std::uint32_t> few = make_integers<std::uint32_t>(n, integers::below_a_billion);
        for (const auto& [values, is_given_away] :
             {std::pair{3 * n, false}, {n, false}, {n / 6, false}, {n / 20, true}}) {
          for (std::uint32_t& key : few)
            key %= std::uint32_t(values);
          EXPECT_EQ(gives_away<std::uint32_t>(q, few, {}), is_given_away) << values;
        }
      },
      0);
}

/// y never falls from a key to the next, and is the same for keys that are equal.
template <class Word>
void check_monotone(const kernels::key_spread<Word, kernels::any_image<Word>>& keys, order direction,
                    std::vector<Word> all) {
  const kernels::any_image<Word> image(make_key_codec<Word>(float_type<Word>, direction, {}));
  std::sort(all.begin(), all.end(), [&](Word a, Word b) { return image.less(a, b); });
  std::uint32_t before = 0;
  for (std::size_t i = 0; i < all.size(); ++i) {
    const std::uint32_t y = keys.y(image, all[i]);
    ASSERT_GE(y, before) << "from " << std::hexfloat << std::bit_cast<real_of<Word>>(all[i - (i != 0)]) << " to "
                         << std::bit_cast<real_of<Word>>(all[i]);
    if (i != 0 && image.image(all[i]) == image.image(all[i - 1])) {
      ASSERT_EQ(y, before) << "equal keys";
    }
    before = y;
  }
}
template <class Word>
void check_monotone_floats() {
  using real = real_of<Word>;
  using limits = std::numeric_limits<real>;
  const real infinity = limits::infinity();
  const std::vector<std::array<real, 2>> intervals = {{0, 1},
                                                      {-1, 1},
                                                      {real(-1e-3), 5},
                                                      {1, std::nextafter(real(1), real(2))},
                                                      {-limits::max(), limits::max()},
                                                      {limits::lowest(), 0},
                                                      {limits::max() / 2, limits::max()},
                                                      {0, limits::denorm_min()},
                                                      {-limits::denorm_min(), limits::denorm_min()},
                                                      {3 * limits::denorm_min(), 4000 * limits::denorm_min()},
                                                      {-limits::min(), limits::min()},
                                                      {real(1e6), real(1e6) + 1},
                                                      {limits::denorm_min(), limits::max()},
                                                      {real(-1e-30), real(-1e-31)}};
  for (const auto& [a, b] : intervals) {
    SCOPED_TRACE("interval " + std::to_string(a) + " " + std::to_string(b));
    const auto keys = kernels::value_spread<Word>::of(a, b);
    std::vector<Word> all;
    const auto around = [&](real x) {
      real down = x, up = x;
      for (int i = 0; i < 40; ++i, down = std::nextafter(down, -infinity), up = std::nextafter(up, infinity))
        for (const real each : {down, up, -down, -up})
          all.push_back(std::bit_cast<Word>(each));
    };
    for (const real x : {real(0), limits::min(), limits::max(), a, b, a / 2 + b / 2, infinity, real(1), real(0.5)})
      around(x);
    for (int i = 1; i < 256; ++i)
      around(a + (b / 256 - a / 256) * real(i));
    for (std::uint32_t r : noise(4000))
      all.push_back(special_float<Word>(r));
    for (std::uint32_t r : noise(4000, 7))
      all.push_back(Word(Word(r) << (8 * sizeof(Word) - 32)));
    for (const order direction : {order::ascending, order::descending}) {
      check_monotone<Word>(keys, direction, all);
      check_monotone<Word>(kernels::value_spread<Word>::whole(), direction, all);
    }
  }
}
/// The ends of the interval are some buckets of 256 apart from the ends of all y, and no more: nothing is wasted.
template <class Word>
void check_fills() {
  const kernels::any_image<Word> image(make_key_codec<Word>(float_type<Word>, {}, {}));
  using real = real_of<Word>;
  using limits = std::numeric_limits<real>;
  const std::array<real, 2> intervals[] = {{0, 1},
                                           {-1, 1},
                                           {limits::lowest(), limits::max()},
                                           {limits::denorm_min() * 5, limits::denorm_min() * 70000},
                                           {real(1e6), real(1e6) + 100}};
  for (const auto& [a, b] : intervals) {
    const auto keys = kernels::value_spread<Word>::of(a, b);
    EXPECT_LE(keys.y(image, std::bit_cast<Word>(a)) >> 24, 2u);
    EXPECT_GE(keys.y(image, std::bit_cast<Word>(b)) >> 24, 253u);
    EXPECT_EQ(keys.y(image, std::bit_cast<Word>(limits::infinity())), ~0u);
    EXPECT_EQ(keys.y(image, std::bit_cast<Word>(-limits::infinity())), 0u);
    EXPECT_EQ(keys.y(image, std::bit_cast<Word>(-limits::quiet_NaN())), ~0u);
  }
}
template <class Word>
void check_monotone_integers() {
  const kernels::integer_image<Word> image{0};
  const Word most = Word(~Word{0});
  const Word ends[][2] = {{0, most},
                          {0, 1},
                          {5, 6},
                          {Word(most - 1), most},
                          {0, 999'999'999},
                          {1000, 1002},
                          {0, 0xffffffff},
                          {17, Word(most - 9)},
                          {Word(most / 2), Word(most / 2 + 3)},
                          {0, Word(most / 3)},
                          {Word(most / 5), Word(most / 5 + most / 1000)}};
  for (const auto& [low, high] : ends) {
    const auto keys = kernels::interval_spread<Word>::of(low, high);
    std::vector<Word> all;
    for (std::uint32_t r : noise(20'000)) {
      all.push_back(Word(Word(std::uint64_t{r} << (r % 37)) << (sizeof(Word) > 8 ? r % 61 : 0)));
      all.push_back(Word(low + Word(r) % Word(high - low)));
    }
    for (Word j = 0; j < 50; ++j)
      for (const Word x : {low, high, Word(0), Word(most / 2)})
        all.insert(all.end(), {Word(x + j), Word(x - j)});
    std::sort(all.begin(), all.end());
    for (std::size_t i = 1; i < all.size(); ++i)
      ASSERT_LE(keys.y(image, all[i - 1]), keys.y(image, all[i]))
          << "key " << i << " of ends " << (&low - &ends[0][0]) / 2;
    EXPECT_EQ(keys.y(image, low), 0u);
    EXPECT_EQ(keys.y(image, 0), 0u);
    EXPECT_EQ(keys.y(image, most), keys.y(image, high));
    if (high - low > 255) {
      EXPECT_GE(keys.y(image, high) >> 24, 254u);
    }
    if (low == 0 && high == most) {
      for (const Word x : all)
        ASSERT_EQ(keys.y(image, x), std::uint32_t(x >> (8 * sizeof(Word) - 32)));
    }
  }
}
SIMT_TEST(sort_pairs_spread, y_of_floats_never_falls) {
  check_monotone_floats<std::uint32_t>();
  check_monotone_floats<std::uint64_t>();
  check_fills<std::uint32_t>();
  check_fills<std::uint64_t>();
}
SIMT_TEST(sort_pairs_spread, y_of_integers_never_falls) {
  check_monotone_integers<std::uint32_t>();
  check_monotone_integers<std::uint64_t>();
  check_monotone_integers<uint128>();
}

} // namespace
} // namespace sortile::simt_tests
