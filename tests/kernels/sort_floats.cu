// The sort of keys for floats of 32 bits. Where there is no −0 and no NaN among them it is that of integers, but for
// its image: distributions that its steps find hard, both directions, in place and apart. Where there is one, wherever
// it stands, nothing is touched and the next sort gets the keys. Sorts of few keys are cut as large ones are
// (partition_bits), as in skewed_keys.cu.
#include "kernels/float_image.hpp"
#include "kernels/lsd/lsd_sort.hpp"
#include "kernels/sort/sort_keys.hpp"
#include "tests/kernels/refusals.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>

namespace sortile::simt_tests {
namespace {

using Word = std::uint32_t;
using image = kernels::float_image<Word>;
using request = kernels::typed_request<Word>;
constexpr Word minus_zero = 0x80000000, infinity = 0x7f800000, untouched = 0xa5a5a5a5;
constexpr unsigned bits = 16; // of partitions, as there are beyond 2^27 keys

Word bits_of_float(float x) {
  Word word;
  std::memcpy(&word, &x, sizeof(word));
  return word;
}

struct how {
  order direction = order::ascending;
  bool in_place = false;
};

key_codec<Word> codec_of(how h) {
  return make_key_codec<Word>(key_type::f32, h.direction, {});
}
std::vector<Word> sorted(std::vector<Word> keys, how h) {
  const auto codec = codec_of(h);
  std::stable_sort(keys.begin(), keys.end(), [&](Word a, Word b) { return codec.image(a) < codec.image(b); });
  return keys;
}

/// Keys, their place in the output with a few words behind it, and a poisoned workspace.
class float_sort {
 public:
  float_sort(const std::vector<Word>& keys, how h)
      : how_(h), n_(keys.size()), in_(guarded(keys)), out_(n_ + zone, untouched), told_(1, 99),
        bytes_(kernels::sort_keys_workspace_bytes(laid_out())), workspace_(bytes_ / 8 + 16, 0x5a5a5a5a5a5a5a5au) {}

  request asked() const {
    request r = laid_out();
    r.workspace = workspace_.view().data();
    r.workspace_bytes = bytes_;
    return r;
  }
  static std::vector<Word> guarded(std::vector<Word> keys) {
    keys.resize(keys.size() + zone, untouched);
    return keys;
  }
  std::uint32_t told() const { return told_.host()[0]; }
  std::vector<Word> input() const { return in_.host(); }
  std::vector<Word> output() const { return how_.in_place ? in_.host() : out_.host(); }

 private:
  request laid_out() const {
    return {.keys_in = in_.view().data(),
            .keys_out = how_.in_place ? in_.view().data() : out_.view().data(),
            .n = n_,
            .codec = codec_of(how_),
            .verdict = {told_.view().data()},
            .tuning = {.partition_bits = bits, .giant_from = kernels::sort_tuning::least_giant}};
  }

  static constexpr std::size_t zone = 16;
  how how_;
  std::size_t n_;
  buffer<Word> in_, out_;
  buffer<std::uint32_t> told_;
  std::size_t bytes_;
  buffer<std::uint64_t> workspace_;
};

void expect_equal(const std::vector<Word>& expected, const std::vector<Word>& got) {
  const auto wrong = std::mismatch(expected.begin(), expected.end(), got.begin());
  EXPECT_EQ(wrong.first - expected.begin(), std::ptrdiff_t(expected.size())) << "is the first wrong key";
}

void check_sort(simt::queue q, const std::vector<Word>& keys, how h) {
  const float_sort on(keys, h);
  kernels::sort_keys(q, on.asked());
  EXPECT_EQ(on.told(), 0u) << "given away";
  expect_equal(float_sort::guarded(sorted(keys, h)), on.output());
  EXPECT_TRUE(h.in_place || on.input() == float_sort::guarded(keys)) << "the input has changed";
}

/// Unsuited, said before anything is touched; and the sort behind takes the keys.
void check_left(simt::queue q, const std::vector<Word>& keys, how h) {
  const float_sort on(keys, h);
  request first = on.asked();
  kernels::typed_request<Word> behind{
      .keys_in = first.keys_in, .keys_out = first.keys_out, .n = first.n, .codec = first.codec};
  behind.workspace_bytes = kernels::lsd_workspace_bytes(behind);
  const buffer<std::uint64_t> workspace(behind.workspace_bytes / 8 + 16, 0x5a5a5a5a5a5a5a5au);
  behind.workspace = first.verdict.zeroed = workspace.view().data();
  first.verdict.zeroed_words = kernels::lsd_zeroed_bytes(behind) / 8;
  behind.verdict = first.verdict;
  behind.verdict.role = 1;
  kernels::sort_keys(q, first);
  EXPECT_EQ(on.told(), 1u) << "not given away";
  EXPECT_TRUE(on.input() == float_sort::guarded(keys)) << "the input has changed";
  if (!h.in_place) {
    EXPECT_TRUE(on.output() == float_sort::guarded(std::vector<Word>(keys.size(), untouched)));
  }
  kernels::lsd_sort(q, behind);
  expect_equal(float_sort::guarded(sorted(keys, h)), on.output());
}

/// key(r, s, i) for all i, of two random words.
template <class F>
std::vector<Word> made(std::size_t n, F key) {
  const auto random = noise(2 * n, std::uint32_t(n) + 29);
  std::vector<Word> keys(n);
  for (std::size_t i = 0; i < n; ++i)
    keys[i] = key(random[2 * i], random[2 * i + 1], i);
  return keys;
}

/// Any float but −0 and NaNs: bits below infinity's, and a sign but for 0.
Word plain(Word r) {
  const Word magnitude = (r & 0x7fffffff) % (infinity + 1);
  return magnitude == 0 ? 0 : magnitude | (r & minus_zero);
}
float unit(Word r) {
  return std::ldexp(float(r >> 8), -24);
}
/// Normally distributed, by Box and Muller; 0 instead of −0.
Word normal(Word r, Word s) {
  return bits_of_float(std::sqrt(-2 * std::log(1 - unit(r))) * std::cos(6.2831853f * unit(s)) + 0.0f);
}

struct named_keys {
  const char* name;
  std::vector<Word> keys;
};

/// Many buckets hold keys: these cost a test much, empty ones little.
std::vector<named_keys> spread(std::size_t n) {
  return {
      {"any", made(n, [](Word r, Word, std::size_t) { return plain(r); })},
      {"unit", made(n, [](Word r, Word, std::size_t) { return bits_of_float(unit(r)); })},
      {"normal", made(n, [](Word r, Word s, std::size_t) { return normal(r, s); })},
      {"below zero", made(n, [](Word r, Word, std::size_t) { return bits_of_float(-1 - unit(r)); })},
      {"subnormal", made(n, [](Word r, Word, std::size_t) { return plain(r & 0x807fffff); })},
  };
}
/// Few values, from the counts or not, and giant buckets, of most of n keys.
std::vector<named_keys> skewed(std::size_t n) {
  const std::size_t fewer = n / 4;
  const Word minus_infinity = minus_zero | infinity, quarter = bits_of_float(0.25f), low = bits_of_float(-3e9f);
  return {
      {"equal", made(n, [](Word, Word, std::size_t) { return bits_of_float(-1.5f); })},
      {"zero", made(n, [](Word, Word, std::size_t) { return 0u; })},
      {"infinities", made(fewer, [&](Word r, Word, std::size_t) { return r % 2 == 0 ? infinity : minus_infinity; })},
      {"few", made(n, [](Word r, Word, std::size_t) { return bits_of_float(float(int(r % 7) - 3)); })},
      {"neighbours", made(fewer, [](Word r, Word, std::size_t) { return bits_of_float(1) + r % 300; })},
      {"about zero", made(fewer, [](Word r, Word, std::size_t) { return plain((r & minus_zero) | r % 100); })},
      {"giant", made(n, [&](Word r, Word s, std::size_t) { return s % 64 != 0 ? quarter + (r & 0x3fff) : plain(r); })},
      {"giant below zero", made(n, [&](Word r, Word s, std::size_t) { return s % 64 != 0 ? low + r % 3 : plain(r); })},
  };
}

/// Each in one direction and place, all four of them in turn: a sort launches a block for each of 2^16 buckets.
void check_all(simt::queue q, const std::vector<named_keys>& inputs) {
  one_in taken(3);
  unsigned way = 0;
  for (const auto& [name, keys] : inputs) {
    SCOPED_TRACE(name);
    if (taken())
      check_sort(q, keys, {way % 2 == 0 ? order::ascending : order::descending, way / 2 % 2 == 0});
    ++way;
  }
}
SIMT_TEST(sort_floats, in_many_buckets) {
  const auto inputs = spread(701);
  on_every_schedule([&](simt::queue q) { check_all(q, inputs); }, 0);
}
SIMT_TEST(sort_floats, in_few_buckets) {
  const auto inputs = skewed(75'003);
  on_every_schedule([&](simt::queue q) { check_all(q, inputs); }, 0);
}

SIMT_TEST(sort_floats, sizes) {
  on_every_schedule(
      [&](simt::queue q) {
        one_in taken(3);
        for (const std::size_t n : {1, 31, 5'119, 5'120, 24'575, 24'577}) {
          auto keys = made(n, [](Word r, Word, std::size_t) { return bits_of_float(2) + (r & 0xfffff); });
          keys[n / 2] = minus_zero | infinity; // the window is wide, and few buckets hold anything
          if (taken())
            check_sort(q, keys, {.in_place = n % 2 == 0});
        }
      },
      0);
}

SIMT_TEST(sort_floats, in_order_and_backwards) {
  const std::size_t n = 6'003;
  const std::vector<named_keys> inputs{spread(n)[2], skewed(n)[3]};
  on_every_schedule(
      [&](simt::queue q) {
        for (const auto& [name, keys] : inputs) {
          SCOPED_TRACE(name);
          const auto rising = sorted(keys, {}), falling = sorted(keys, {.direction = order::descending});
          auto nearly = falling;
          std::swap(nearly[777], nearly[5'000]);
          for (const bool in_place : a_few(1, {false, true})) {
            check_sort(q, rising, {order::ascending, in_place});
            check_sort(q, rising, {order::descending, in_place});
            check_sort(q, falling, {order::ascending, in_place});
            check_sort(q, nearly, {order::ascending, in_place});
          }
        }
      },
      0);
}

SIMT_TEST(sort_floats, many_schedules) {
  const std::size_t n = 2'001;
  const auto keys = made(n, [](Word r, Word s, std::size_t) { return normal(r, s); });
  auto with_nan = keys;
  with_nan[n / 2 + 1] = 0x7fc00001;
  on_every_schedule(
      [&](simt::queue q) {
        check_sort(q, keys, {.in_place = true});
        check_left(q, with_nan, {});
      },
      2);
}

/// One key that is not plain, where the sample sees it (first, last) and where it does not.
SIMT_TEST(sort_floats, one_that_is_not_plain) {
  constexpr Word special[] = {minus_zero,     infinity + 1, 0x7fc00000, 0x7fffffff, minus_zero | (infinity + 1),
                              0xffc00000 | 5, 0xffffffff};
  const std::size_t n = 40'007;
  const auto keys = made(n, [](Word r, Word, std::size_t) { return plain(r); });
  const auto units = made(n, [](Word r, Word, std::size_t) { return bits_of_float(unit(r)); });
  on_every_schedule(
      [&](simt::queue q) {
        one_in taken(5);
        for (const Word x : special)
          for (const std::size_t at : {std::size_t{0}, n / 2 + 3, n - 1}) {
            if (!taken())
              continue;
            SCOPED_TRACE(std::to_string(x) + " at " + std::to_string(at));
            auto all = at % 2 == 0 ? keys : units;
            all[at] = x;
            check_left(q, all,
                       {.direction = x % 2 == 0 ? order::descending : order::ascending, .in_place = x % 4 == 0});
          }
      },
      0);
}

/// Where the course would be a copy, a reversal or a fill from the counts, such a key still has to keep its place and
/// its bits.
SIMT_TEST(sort_floats, not_plain_where_nothing_is_partitioned) {
  const std::size_t n = 60'001; // the sample does not see the keys that are changed
  const auto few = made(n, [](Word r, Word, std::size_t) { return plain((r & minus_zero) | r % 100); });
  auto with_zeros = few;
  with_zeros[12'345] = minus_zero;
  with_zeros[12'346] = 0;
  auto with_nans = few;
  with_nans[2'345] = 0xffc00000;
  with_nans[2'346] = 0x7fc00007;
  on_every_schedule(
      [&](simt::queue q) {
        one_in taken(2);
        for (const auto& keys : {with_zeros, with_nans}) {
          if (taken())
            check_left(q, keys, {});
          if (taken())
            check_left(q, sorted(keys, {}), {});
          if (taken())
            check_left(q, sorted(keys, {.direction = order::descending}), {.in_place = true});
        }
        check_left(q, std::vector<Word>(n, minus_zero), {});
        check_left(q, made(n, [](Word r, Word, std::size_t) { return r; }), {.direction = order::descending});
      },
      0);
}

/// The sample sees every (n − 1) / 8191th key: all others lie outside of the window, in the first bucket and the last.
SIMT_TEST(sort_floats, keys_that_no_sample_shows) {
  const auto with_outliers = [](std::size_t n, float inside, float low, float high) {
    auto keys =
        made(n, [&](Word r, Word s, std::size_t) { return bits_of_float(s % 2 != 0 ? low : high) + r % 50'000; });
    for (std::size_t i = 0; i < 8192; ++i)
      keys[i * (n - 1) / 8191] = bits_of_float(inside) + Word(i * 2654435761u >> 19);
    return keys;
  };
  on_every_schedule(
      [&](simt::queue q) {
        for (const bool in_place : a_few(1, {false, true})) {
          check_sort(q, with_outliers(60'000, 2, -7, 1e9f), {.in_place = in_place}); // by digits
          check_sort(q, with_outliers(100'000, -2, 1e20f, 1e20f),
                     {.direction = order::descending, .in_place = in_place}); // scanned again
          if (!short_tests())
            check_sort(q, with_outliers(200'000, 2, -7, 1e9f), {.in_place = in_place});
        }
        auto few = made(50'000, [](Word r, Word, std::size_t) { return bits_of_float(1) + r % 9; });
        few[33'333] = bits_of_float(-1);
        check_sort(q, few, {});
        few[33'333] = minus_zero;
        check_left(q, few, {});
        few[33'333] = 0xff800001;
        check_left(q, few, {.in_place = true});
      },
      0);
}

/// The bijection that all rests on: in the codec's order, and back.
TEST(float_image, is_the_codec_s_but_for_keys_that_are_not_plain) {
  std::vector<Word> words = noise(100'000, 7);
  for (const Word magnitude :
       {0u, 1u, 2u, 0x7fffffu, 0x800000u, 0x3f800000u, infinity - 1, infinity, infinity + 1, 0x7fc00000u, 0x7fffffffu})
    for (const Word sign : {0u, minus_zero})
      words.push_back(magnitude | sign);
  for (const order direction : {order::ascending, order::descending}) {
    const auto codec = codec_of({.direction = direction});
    const image of{codec.complement};
    for (const Word u : words) {
      const bool nan = (u & 0x7fffffff) > infinity;
      ASSERT_EQ(image::is_plain(u), !nan && u != minus_zero) << u;
      ASSERT_EQ(image::folded(image::unfolded(u)), u);
      if (image::is_plain(u)) {
        ASSERT_EQ(of.image(u), codec.image(u)) << u;
        ASSERT_EQ(of.digit(u, 8, 0xff), codec.image(u) >> 8 & 0xff) << u;
      }
    }
  }
}

SIMT_TEST(sort_floats, misuse_is_refused_by_name) {
  const std::vector<Word> keys(1'000, bits_of_float(2));
  on_every_schedule(
      [&](simt::queue q) {
        const float_sort on(keys, {});
        const auto sort = [&](const request& r) { kernels::sort_keys(q, r); };
        EXPECT_NO_THROW(sort(on.asked()));
        const auto refused = refusals_of(on.asked(), sort);
        refused("without a verdict", [](auto& r) { r.verdict = {}; });
        refused("n = 1000", [](auto& r) { r.tuning.partition_bits = 15; });
        refused("n = 1000", [](auto& r) { r.tuning.partition_bits = kernels::sort_tuning::follows_n; });
        refused("tiles", [](auto& r) { r.tuning.tiles = kernels::partition_tiles::small; });
        refused("bit window", [](auto& r) { r.codec = make_key_codec<Word>(key_type::f32, {}, {8, 32}); });
        const buffer<std::uint64_t> wide(16);
        kernels::typed_request<std::uint64_t> doubles;
        doubles.keys_in = doubles.keys_out = wide.view().data();
        doubles.n = 16;
        doubles.codec = make_key_codec<std::uint64_t>(key_type::f64, {}, {});
        doubles.verdict = on.asked().verdict;
        EXPECT_THROW(kernels::sort_keys(q, doubles), sortile::invalid_argument);
      },
      0);
}

} // namespace
} // namespace sortile::simt_tests
