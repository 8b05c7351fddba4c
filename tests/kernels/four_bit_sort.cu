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

/// A bucket that is large enough: different ranks, twice each, of which these begin `at` keys on and occur so often.
ranks often(std::size_t times, std::size_t at) {
  ranks keys = different(sorting::least / 2, 9);
  keys.insert(keys.end(), keys.begin(), keys.end());
  for (std::size_t i = 0; i < times - 2; ++i)
    keys.insert(keys.begin() + std::ptrdiff_t(at), {4500, 4509});
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
  check_deferred_of_all_kinds<sorting>(all_kinds());
}

/// Where there are giant buckets, six times in the first row are too often.
SIMT_TEST(four_bit_sort, first_keys_beside_giants) {
  const std::vector<bucket> buckets = {
      {often(sorting::most, 8000)}, {often(6, 10)}, {often(8, 10), false}, {evenly(giant), false}};
  on_every_schedule([&](simt::queue q) { check_deferred<sorting>(q, buckets, 2); }, 4);
}

SIMT_TEST(four_bit_sort, on_many_schedules) {
  const std::vector<bucket> buckets = {{evenly(sorting::least + 9)},
                                       {often(9, 7000)},
                                       {alike(11'000, 9), false},
                                       {ordered(different(11'501, 5), false)}};
  check_deferred_often<sorting>(buckets, 6);
}

SIMT_TEST(four_bit_sort, only_where_there_are_buckets) {
  check_deferred_in_order<sorting>({ordered(different(11'000, 5), true)});
}

} // namespace
} // namespace sortile::simt_tests
