// skewed 32-bit keys: buckets of any size are counted, with as many buckets as large sorts have. Sorts of few keys are
// cut as those are (partition_bits), which makes nearly all buckets empty; the kernels behind the local step are tried
// on buckets of their own, under many schedules.
#include "kernels/skewed/fill_giants_kernel.hpp"
#include "kernels/skewed/four_bit_sort_kernel.hpp"
#include "kernels/skewed/medium_sort_kernel.hpp"
#include "kernels/skewed/sort_tails_kernel.hpp"
#include "kernels/sort/sort_keys.hpp"
#include "tests/kernels/skew_checks.hpp"

#include <sortile/error.hpp>

#include <algorithm>

namespace sortile::simt_tests {
namespace {

using namespace skew_checks;

Word noise_word(std::size_t i) {
  return noise(1, std::uint32_t(i) * 77 + 3)[0];
}

struct how {
  bool in_place = false;
  key_type type = key_type::u32;
  order direction = order::ascending;
  std::uint32_t giant_from = giant;
  bool judged = false;    // a sample may give the keys away
  std::uint32_t told = 0; // by the verdict
};

/// Sorts as keys of a large input are sorted.
void check_sort(simt::queue q, const std::vector<Word>& keys, how h = {}) {
  const std::size_t n = keys.size(), zone = 16;
  const auto codec = make_key_codec<Word>(h.type, h.direction, {});
  std::vector<Word> expected = keys;
  std::sort(expected.begin(), expected.end(), [&](Word a, Word b) { return codec.image(a) < codec.image(b); });
  expected.resize(n + zone, 0xa5a5a5a5);
  std::vector<Word> guarded = keys;
  guarded.resize(n + zone, 0xa5a5a5a5);
  buffer<Word> in(guarded), out(n + zone, 0xa5a5a5a5);
  buffer<std::uint32_t> told(1, 99);
  kernels::typed_request<Word> r{
      .keys_in = in.view().data(),
      .keys_out = h.in_place ? in.view().data() : out.view().data(),
      .n = n,
      .codec = codec,
      .verdict = {told.view().data()},
      .fallback_sees_order = true,
      .tuning = {.partition_bits = 16, .sample_from = h.judged ? 0 : ~std::uint64_t{0}, .giant_from = h.giant_from}};
  if (h.judged)
    r.tuning.many_samples_from = 0;
  const std::size_t bytes = r.workspace_bytes = kernels::sort_keys_workspace_bytes(r);
  buffer<std::uint64_t> workspace(bytes / 8 + 16, 0x5a5a5a5a5a5a5a5au); // poisoned
  r.workspace = workspace.view().data();
  kernels::sort_keys(q, r);
  const auto got = h.in_place ? in.host() : out.host();
  const auto wrong = std::mismatch(expected.begin(), expected.end(), got.begin());
  if (h.told != 0) {
    EXPECT_TRUE(got == (h.in_place ? guarded : std::vector<Word>(n + zone, 0xa5a5a5a5))) << "given away, and written";
  } else {
    EXPECT_EQ(wrong.first - expected.begin(), std::ptrdiff_t(n + zone)) << "is the first wrong key";
  }
  EXPECT_TRUE(h.in_place || in.host() == guarded) << "the input has changed";
  EXPECT_EQ(told.host()[0], h.told) << "given away";
  const auto behind = workspace.host();
  for (std::size_t i = bytes / 8; i < behind.size(); ++i)
    EXPECT_EQ(behind[i], 0x5a5a5a5a5a5a5a5au);
}

constexpr std::size_t local_capacity = kernels::local_sort_kernel<Word>::capacity;
constexpr std::size_t medium_capacity = kernels::medium_sort_kernel<>::local::capacity;
constexpr std::size_t four_bit_capacity = kernels::four_bit_sort_kernel<>::capacity;
constexpr Word far = 0x80000000; // from the keys of a test that lie low: makes the window as wide as the type

/// Random keys of one bucket, `others` of them each in another.
std::vector<Word> one_bucket(std::size_t n, std::size_t others) {
  return made(n, [&](Word r, Word s, std::size_t i) { return i % (n / others) == 0 ? s : 0x12340000 | (r & 0xffff); });
}

SIMT_TEST(skewed_keys, a_bucket_of_any_size) {
  constexpr std::size_t tile = kernels::bucket_fill<1024>::tile;
  constexpr std::size_t sizes[] = {local_capacity,
                                   local_capacity + 1,
                                   medium_capacity,
                                   medium_capacity + 1,
                                   tile,
                                   tile + 1,
                                   four_bit_capacity,
                                   four_bit_capacity + 1,
                                   giant - 1,
                                   giant,
                                   giant + 5,
                                   200'003};
  on_every_schedule(
      [&](simt::queue q) {
        one_in taken(3); // for the local step; more than a medium one; counted by a block; giant
        bool in_place = false;
        for (const std::size_t n : sizes) {
          in_place = !in_place;
          if (!taken())
            continue;
          SCOPED_TRACE("n " + std::to_string(n));
          auto keys = one_bucket(n + 2, 2);
          keys[1] = far | 5;
          keys[n] = 3;
          check_sort(q, keys, {.in_place = in_place});
        }
      },
      0);
}

/// Few buckets that hold anything: empty ones cost a test a little, others much.
std::vector<std::vector<Word>> distributions(std::size_t n) {
  return {
      made(n, [](Word r, Word s, std::size_t i) { return 0xfc07ffff & r & s & noise_word(i); }), // as AND of 3
      made(n, [](Word r, Word, std::size_t i) { return i == 77'777 ? far : r & 0xffff; }),
      made(n, [](Word, Word, std::size_t i) { return i == 77'777 ? far : 42u; }),        // all equal but one
      made(n, [](Word r, Word, std::size_t) { return (r & 1) != 0 ? 0xd0000000 : 7u; }), // two values
      made(n, [](Word r, Word s, std::size_t) { return ((r & 1) != 0 ? 0xd0000000 : 0x20000000) | (s & 0xffff); }),
      made(n, [](Word r, Word, std::size_t) { return (r % 3) * 0x31415926; }),
      made(n, [](Word r, Word s, std::size_t) { return 0x9e3779b9u * (r >> (22 + s % 10)); }), // as Zipf's, mixed
      made(n, [](Word r, Word s, std::size_t) { return (r % 20) << 26 | (s & 0x3fff); }),      // 2^14 values a bucket
  };
}

SIMT_TEST(skewed_keys, distributions) {
  const auto inputs = distributions(150'000);
  on_every_schedule(
      [&](simt::queue q) {
        one_in taken(5);
        for (std::size_t k = 0; k < inputs.size(); ++k) {
          SCOPED_TRACE("input " + std::to_string(k));
          if (taken())
            check_sort(q, inputs[k], {.in_place = k % 2 == 0});
          if (taken())
            check_sort(q, inputs[k], {.in_place = k % 2 != 0, .type = key_type::i32, .direction = order::descending});
        }
      },
      0);
}

/// Few values are counted rather by value than by bucket; and passes are quicker with few digits, and with values that
/// repeat but fill no bucket. Whether a sample shows that is asked of many keys alone.
SIMT_TEST(skewed_keys, what_passes_take_is_given_away) {
  constexpr std::size_t n = 20'000;
  const auto values = [](Word count) {
    return made(n, [=](Word r, Word, std::size_t) { return (r % count) * 0x9e3779b1u; });
  };
  constexpr std::uint32_t many = 1 | kernels::verdict::many_values;
  const std::pair<std::vector<Word>, std::uint32_t> given[] = {
      {values(300), 1},
      {values(20'000), many},
      {made(n, [](Word, Word, std::size_t i) { return i == 7777 ? far : 42u; }), 1},
      {made(n, [](Word r, Word, std::size_t) { return r & 0xffffff; }), many},              // three digits
      {made(n, [](Word r, Word s, std::size_t i) { return r & s & noise_word(i); }), many}, // AND of 3
  };
  const std::vector<Word> kept[] = {
      values(1000), // each in many buckets' places
      made(n, [](Word r, Word, std::size_t) { return r; }),
      made(n, [](Word r, Word, std::size_t) { return r & 0x1ffffff; }), // four digits
      made(n, [](Word r, Word s, std::size_t) { return (s & 1) != 0 ? r : 0; }),
  };
  on_every_schedule(
      [&](simt::queue q) {
        for (std::size_t i = 0; i < std::size(given); ++i) {
          SCOPED_TRACE("given away " + std::to_string(i));
          check_sort(q, given[i].first, {.judged = true, .told = given[i].second});
        }
      },
      1);
  on_every_schedule(
      [&](simt::queue q) {
        for (std::size_t i = 0; i < std::size(kept); ++i) {
          SCOPED_TRACE("kept " + std::to_string(i));
          check_sort(q, kept[i], {.judged = true});
        }
      },
      0); // other tests sort such keys under checks
}

/// Buckets for the local step, and of every kind that its bins cannot take: by themselves, and in one input.
SIMT_TEST(skewed_keys, few_values_in_small_buckets) {
  constexpr std::size_t n = local_capacity - 4;
  std::vector<std::vector<Word>> kinds = {made(n, [](Word, Word, std::size_t) { return 0xffffu; }),
                                          made(n, [](Word r, Word, std::size_t) { return r % 3; }),
                                          made(n, [](Word r, Word, std::size_t) { return 65'533 + r % 3; }),
                                          made(n, [](Word r, Word s, std::size_t i) { return r & s & noise_word(i); }),
                                          made(n, [](Word r, Word, std::size_t) { return r & 0x1e1e; }),
                                          made(n, [](Word r, Word, std::size_t i) { return i % 2 != 0 ? 77 : r; }),
                                          made(n, [](Word, Word, std::size_t i) { return Word(i) * 2; }),
                                          made(n, [](Word, Word, std::size_t i) { return Word(i) | 1; })};
  std::vector<Word> together{0, ~0u}; // the window is as wide as the type
  for (Word k = 0; k < kinds.size(); ++k)
    for (Word& key : kinds[k]) {
      together.push_back((3 * k + 1) << 16 | (key & 0xffff));
      key = 0x70000000u | (key & 0xffff);
    }
  on_every_schedule(
      [&](simt::queue q) {
        for (const bool in_place : {false, true}) {
          check_sort(q, together, {.in_place = in_place});
          if (short_tests())
            continue;
          for (auto keys : kinds) {
            keys[17] = far; // makes the window wide
            check_sort(q, keys, {.in_place = in_place});
          }
        }
      },
      0);
}

/// The sample sees every (n − 1) / 8191th key: all others lie outside of the window.
std::vector<Word> with_outliers(std::size_t n, Word inside, Word outside_low, Word outside_high) {
  auto keys = made(n, [&](Word r, Word s, std::size_t) {
    return (s & 1) != 0 && outside_low != 0 ? outside_low + (r & 0xffffff) : outside_high + (r & 0xffffff);
  });
  for (std::size_t i = 0; i < 8192; ++i)
    keys[i * (n - 1) / 8191] = inside + Word(i * 2654435761u >> 19);
  return keys;
}

SIMT_TEST(skewed_keys, keys_that_no_sample_shows) {
  on_every_schedule(
      [&](simt::queue q) {
        check_sort(q, with_outliers(100'000, 0x40000000, 0, 0x80000000), {.in_place = true});
        if (!short_tests()) {
          check_sort(q,
                     with_outliers(kernels::most_beside_outliers + 10'000, 0x40000000, 0, 0x80000000)); // scanned again
          check_sort(q, with_outliers(200'000, 0x40000000, 0x100, 0x80000000), {.in_place = false});
          check_sort(q, with_outliers(200'000, 0x40000000, 0x100, 0x10000), {.in_place = true});
          check_sort(q, with_outliers(60'000, 0, 0, 0x80000000), {.in_place = false});
        }
        for (const bool in_place : a_few(1, {false, true}))
          check_sort(q, with_outliers(60'000, 0x40000000, 0x100, 0x80000000), {.in_place = in_place});
        auto few = made(100'000, [](Word r, Word, std::size_t) { return 1000 + r % 9; });
        few[55'555] = 5;
        check_sort(q, few);
        if (!short_tests()) {
          few[55'555] = far;
          check_sort(q, few);
        }
        auto dense = made(100'000, [](Word r, Word, std::size_t) { return 70'000 + r % 200'000; });
        for (std::size_t i = 0; i < 60'000; ++i) // too many in few buckets
          dense[i] = 80'000 + dense[i] % 50;
        check_sort(q, dense);
        dense[33'333] = far;
        dense[44'444] = 1;
        check_sort(q, dense, {.in_place = true});
      },
      0);
}

// Types of their own: one translation unit of a program launches a kernel, and the library's has these.
struct counting : kernels::count_skewed_kernel<> {};
struct filling : kernels::fill_giants_kernel<> {};
struct sorting_tails : kernels::sort_tails_kernel<> {};

/// The last three kernels behind the local step.
void check_skewed(simt::queue q, const skewed_buckets& c) {
  const skewed_case on(c);
  simt::launch(q, {.grid = c.shares}, sorting_tails{{on.arrays()}});
  simt::launch(q, {.grid = c.shares}, counting{{on.arrays()}});
  simt::launch(q, {.grid = c.shares}, filling{{on.arrays()}});
  const auto &expected = on.layout().expected, got = on.output();
  const auto wrong = std::mismatch(expected.begin(), expected.end(), got.begin());
  EXPECT_EQ(wrong.first - expected.begin(), std::ptrdiff_t(expected.size())) << "is the first wrong key";
}

/// Few that come often, and all others now and then.
ranks skewed(std::size_t n) {
  return made(n, [](Word r, Word s, std::size_t) { return (r & 7) != 0 ? 0xfffe + (r >> 3 & 1) : s & 0xffff; });
}

SIMT_TEST(skewed_keys, counted_by_several_blocks) {
  on_every_schedule(
      [&](simt::queue q) {
        for (const bool in_place : {false, true}) {
          check_skewed(q, {.buckets = {evenly(5), skewed(90'001), evenly(7'000), alike(70'001, 65'535)},
                           .shares = 3,
                           .in_place = in_place,
                           .flip = 0x80000000});
          check_skewed(q, {.buckets = {skewed(giant), {}, evenly(giant + 1), alike(3, 9)},
                           .shares = 2, // a bucket each, all but one key
                           .in_place = in_place,
                           .flip = ~0u});
        }
      },
      3);
}

SIMT_TEST(skewed_keys, counted_by_any_number_of_blocks) {
  on_every_schedule(
      [&](simt::queue q) {
        one_in taken(7); // by one block, and by forty
        for (const unsigned shares : {1u, 2u, 7u, 40u})
          for (const bool in_place : {false, true})
            if (taken())
              check_skewed(q, {.buckets = {skewed(giant), evenly(200'003), alike(130'000, 0), skewed(140'001)},
                               .shares = shares,
                               .in_place = in_place});
      },
      0);
}

/// As many keys as a block remembers the spills of, and one more.
SIMT_TEST(skewed_keys, spills_of_one_block) {
  constexpr std::size_t most = kernels::bucket_counts::most_keys;
  on_every_schedule(
      [&](simt::queue q) {
        for (const std::size_t n : {unless_short(most, most / 16), most + 1})
          check_skewed(q, {.buckets = {{}, alike(n, 300), {}, evenly(9)}, .shares = 1});
      },
      0);
}

SIMT_TEST(skewed_keys, drawn_one_by_one) {
  on_every_schedule(
      [&](simt::queue q) {
        for (const bool in_place : {false, true}) {
          check_skewed(q, {.buckets = {evenly(5'121), skewed(40'000), alike(33'000, 4), evenly(1)},
                           .shares = 2,
                           .in_place = in_place});
          check_skewed(q, {.buckets = {evenly(4'999), skewed(6'000), {}, alike(40'000, 65'535)},
                           .shares = 3,
                           .in_place = in_place,
                           .outliers = true,
                           .flip = 0x80000000});
        }
      },
      4);
}

/// Keys from anywhere in the first bucket: of one range and of several, by fewer blocks than ranges and by more.
SIMT_TEST(skewed_keys, tails_of_any_size) {
  constexpr std::uint32_t range = kernels::sort_tails_kernel<>::a_range;
  on_every_schedule(
      [&](simt::queue q) {
        one_in taken(4);
        for (const std::size_t n : {std::size_t{1}, std::size_t{range}, std::size_t{range} + 1, std::size_t{30'001}})
          for (const unsigned shares : {1u, 3u, 40u})
            for (const bool in_place : {false, true})
              if (taken())
                check_skewed(q, {.buckets = {ranks(n), evenly(3'000), {}, evenly(range + 9)},
                                 .shares = shares,
                                 .in_place = in_place,
                                 .outliers = true,
                                 .first = made(n, [](Word r, Word s, std::size_t) { return r >> s % 31; }),
                                 .flip = in_place ? 0x80000000 : ~0u});
      },
      2);
}

/// Frequent values, the smallest and the largest among them, and keys of which the samples say nothing.
SIMT_TEST(skewed_keys, tails_that_samples_do_not_show) {
  constexpr std::size_t n = 25'000, samples = kernels::sort_tails_kernel<>::samples;
  auto unseen = made(n, [](Word r, Word, std::size_t) { return r; });
  for (std::size_t i = 0; i < samples; ++i)
    unseen[n * i / samples] = 0x7fffffff;
  const std::vector<std::vector<Word>> tails = {
      unseen, made(n, [](Word r, Word, std::size_t) { return (r & 3) == 0   ? r
                                                             : (r & 4) != 0 ? ~0u
                                                                            : 0u; }),
      made(n, [](Word r, Word, std::size_t) { return 5 + r % 3; }), std::vector<Word>(n, ~0u)};
  on_every_schedule(
      [&](simt::queue q) {
        for (const bool in_place : {false, true})
          for (const auto& tail : tails)
            check_skewed(
                q,
                {.buckets = {ranks(n), evenly(7)}, .shares = 6, .in_place = in_place, .outliers = true, .first = tail});
      },
      0);
}

/// Every place is in the share that says so, and in as many parts as shares that have some of it.
TEST(skewed_keys, shares_of_giant_buckets) {
  for (const std::uint32_t total : {giant, 131'072u, 1'000'003u, 0xffff0000u})
    for (const std::uint32_t shares : {1u, 2u, 3u, 108u, 132u, 1000u}) {
      const kernels::giant_shares all{total, shares};
      EXPECT_EQ(all.begin(0), 0u);
      EXPECT_EQ(all.begin(shares), total);
      for (std::uint32_t k = 0; k < shares; ++k) {
        const std::uint32_t first = all.begin(k), end = all.begin(k + 1);
        ASSERT_LT(first, end);
        ASSERT_EQ(all.of(first), k) << total << " in " << shares;
        ASSERT_EQ(all.of(end - 1), k) << total << " in " << shares;
        ASSERT_EQ(all.parts(first, end), 1u);
        if (k > 0) {
          ASSERT_EQ(all.parts(first - 1, end), 2u);
        }
      }
    }
}

/// What counting lives on: no window leaves one of 2^16 buckets more than 2^16 values of 32 bits.
TEST(skewed_keys, values_of_a_bucket) {
  constexpr unsigned bits = 16;
  const auto random = noise(4000, 9);
  for (std::size_t i = 0; i + 1 < random.size(); i += 2) {
    const Word a = random[i] >> (i % 32), b = i % 6 == 0 ? ~0u : random[i + 1];
    const auto w = kernels::key_window<Word>::of(std::min(a, b), std::max(a, b));
    for (const std::uint32_t bucket : {0u, 1u, random[i] & 0xffff, random[i + 1] & 0xffff, 0xfffeu, 0xffffu}) {
      const Word first = w.first_of(bucket, bits), last = w.last_of(bucket, bits);
      if (first > w.span || first > last)
        continue; // empty
      ASSERT_LT(last - first, kernels::bucket_ranks::most) << w.low << " + " << w.span << ", " << bucket;
      ASSERT_EQ(w.spread(first) >> (kernels::key_window<Word>::spread_bits - bits), bucket);
      ASSERT_EQ(w.spread(last) >> (kernels::key_window<Word>::spread_bits - bits), bucket);
    }
  }
}

} // namespace
} // namespace sortile::simt_tests
