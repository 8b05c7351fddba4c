// The sort of buckets by counters of four bits, by itself: on buckets as the local step leaves them, about its
// capacity, about how often a value may occur; what it does not sort stays where it is, and in the list.
#include "kernels/skewed/four_bit_sort_kernel.hpp"
#include "tests/kernels/skew_checks.hpp"

namespace sortile::simt_tests {
namespace {

using namespace skew_checks;
// A type of its own: one translation unit of a program launches a kernel, and the library's has that.
struct sorting : kernels::four_bit_sort_kernel<> {
  static constexpr std::size_t least = medium::capacity + 1;
};

struct bucket {
  ranks keys;
  bool suits = true;
};

/// Sorts by so many blocks. Buckets that do not suit stay as they are: none does where `all_stay`; with outliers,
/// neither does the first and the last.
void check_sort(simt::queue q, const std::vector<bucket>& buckets, unsigned blocks, skewed_buckets c = {},
                bool all_stay = false) {
  for (const bucket& b : buckets)
    c.buckets.push_back(b.keys);
  const skewed_case on(c);
  const skewed_layout& l = on.layout();
  simt::launch(q, {.grid = blocks}, sorting{{on.arrays(), std::uint32_t(l.keys.size())}});

  auto expected = c.in_place ? l.keys : l.free;
  auto deferred = l.deferred;
  for (std::size_t b = 0; b < buckets.size(); ++b) {
    const bool beside_outliers = c.outliers && (b == 0 || b + 1 == buckets.size());
    if (!buckets[b].suits || beside_outliers || all_stay)
      continue;
    std::copy(l.expected.begin() + l.start[b], l.expected.begin() + l.start[b + 1], expected.begin() + l.start[b]);
    deferred[b] = kernels::bucket_list::done;
  }
  EXPECT_EQ(on.deferred(), deferred) << "of " << blocks << " blocks";
  const auto got = on.output();
  for (std::size_t b = 0; b < buckets.size(); ++b)
    EXPECT_TRUE(std::equal(got.begin() + l.start[b], got.begin() + l.start[b + 1], expected.begin() + l.start[b]))
        << "bucket " << b << " of " << l.start[b + 1] - l.start[b] << " keys, " << blocks << " blocks";
}

/// Different ranks, `apart` from one another, in no order.
ranks different(std::size_t n, Word apart) {
  return made(n, [&](Word, Word, std::size_t i) { return Word(i * 7919 % n) * apart; });
}
/// A bucket that is large enough: different ranks, twice each, of which these begin `at` keys on and occur so often.
ranks often(std::size_t times, std::size_t at) {
  ranks keys = different(sorting::least / 2, 9);
  keys.insert(keys.end(), keys.begin(), keys.end());
  for (std::size_t i = 0; i < times - 2; ++i)
    keys.insert(keys.begin() + std::ptrdiff_t(at), {4500, 4509});
  return keys;
}
ranks ordered(ranks keys, bool rising) {
  std::sort(keys.begin(), keys.end());
  if (!rising)
    std::reverse(keys.begin(), keys.end());
  return keys;
}

/// Of all kinds. A bucket begins `lead` keys behind a vector's begin, and these count towards the capacity.
std::vector<bucket> all_kinds() {
  constexpr std::size_t most = sorting::capacity, least = sorting::least, times = sorting::most;
  return {
      {evenly(most)},                         // lead 0
      {evenly(most + 1), false},              // 0
      {evenly(most - 1)},                     // 1
      {evenly(least)},                        // 0
      {evenly(most), false},                  // 1
      {evenly(least - 2), false},             //
      {often(times, 8000)},                   //
      {often(times + 1, 8000), false},        //
      {often(times, 10)},                     // at once
      {ordered(different(12'001, 5), true)},  //
      {ordered(different(12'002, 5), false)}, //
      {alike(most - 8, 7), false},            //
      {{65'535, 0, 65'534, 1, 0}, false},     //
      {{}, false},                            //
      {evenly(17'003)},                       //
      {evenly(12'345)},
  };
}

SIMT_TEST(four_bit_sort, buckets_of_all_kinds) {
  const auto buckets = all_kinds();
  on_every_schedule(
      [&](simt::queue q) {
        for (const bool in_place : {false, true})
          check_sort(q, buckets, 5, {.in_place = in_place, .flip = in_place ? 0x80000000 : 0});
        check_sort(q, buckets, 40, {.flip = ~0u});
        check_sort(q, buckets, 1, {.in_place = true, .outliers = true});
      },
      4);
}

/// Where there are giant buckets, six times in the first row are too often.
SIMT_TEST(four_bit_sort, first_keys_beside_giants) {
  const std::vector<bucket> buckets = {
      {often(sorting::most, 8000)}, {often(6, 10)}, {often(8, 10), false}, {evenly(giant), false}};
  on_every_schedule([&](simt::queue q) { check_sort(q, buckets, 2); }, 4);
}

SIMT_TEST(four_bit_sort, on_many_schedules) {
  const std::vector<bucket> buckets = {{evenly(sorting::least + 9)},
                                       {often(9, 7000)},
                                       {alike(11'000, 9), false},
                                       {ordered(different(11'501, 5), false)}};
  on_every_schedule(
      [&](simt::queue q) {
        for (const unsigned blocks : {1u, 3u})
          check_sort(q, buckets, blocks, {.in_place = blocks == 3, .outliers = blocks == 3});
      },
      6);
}

/// Keys in order, of which all has been said: nothing is touched.
SIMT_TEST(four_bit_sort, only_where_there_are_buckets) {
  on_every_schedule(
      [](simt::queue q) {
        for (const std::uint64_t order : {kernels::seen_rising, kernels::seen_neither, kernels::seen_falling})
          check_sort(q, {{ordered(different(11'000, 5), true)}, {evenly(5)}}, 2, {.order = order}, true);
      },
      1);
}

} // namespace
} // namespace sortile::simt_tests
