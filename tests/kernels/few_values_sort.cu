// The sort of buckets that hold few values, by itself: on buckets as the local step leaves them, of any size, with as
// many values as it has counters and with one more.
#include "kernels/skewed/few_values_sort_kernel.hpp"
#include "tests/kernels/skew_checks.hpp"

namespace sortile::simt_tests {
namespace {

using namespace skew_checks;
// A type of its own: one translation unit of a program launches a kernel, and the library's has that.
struct sorting : kernels::few_values_sort_kernel<> {};

constexpr unsigned most_bits = 13;
static_assert(Word{1} << most_bits == sorting::most_values);

ranks below(std::size_t n, Word values) {
  return made(n, [&](Word r, Word, std::size_t) { return r % values; });
}
/// Of all kinds; a bucket begins `lead` keys behind a vector's begin.
std::vector<bucket> all_kinds(unsigned value_bits) {
  const Word values = Word{1} << value_bits;
  constexpr std::size_t tile = sorting::filler::tile, row = std::size_t{sorting::vector} * sorting::block_threads;
  return {
      {below(tile, values)},                     // lead 0
      {below(tile + 1, values)},                 // 0
      {below(tile - 1, values)},                 // 1
      {below(row * sorting::in_flight, values)}, // 0
      {below(20'003, values)},                   // 0
      {below(3, values)},                        // 3
      {{}},                                      // 2
      {alike(10'001, values - 1)},               //
      {alike(20'000, 0)},                        //
      {ordered(below(9'001, values), true)},     //
      {ordered(below(9'002, values), false)},    //
      {below(15'000, 2)},                        //
      {{values - 1, 0}},                         //
      {{0}},                                     //
      {below(12'345, 1 + values / 3)},           //
      {below(5'121, values)},
  };
}

SIMT_TEST(few_values_sort, buckets_of_all_kinds) {
  for (const unsigned bits : {1u, most_bits})
    check_deferred_of_all_kinds<sorting>(all_kinds(bits), bits);
}

/// Buckets of a wider window stay as they are.
SIMT_TEST(few_values_sort, more_values_than_counters) {
  const std::vector<bucket> buckets = {{evenly(9'000), false}, {alike(9'000, 1), false}};
  on_every_schedule(
      [&](simt::queue q) {
        check_deferred<sorting>(q, buckets, 2, {.value_bits = most_bits + 1});
        check_deferred<sorting>(q, buckets, 2);
      },
      1);
}

SIMT_TEST(few_values_sort, on_many_schedules) {
  check_deferred_often<sorting>({{below(9'000, 100)}, {alike(11'000, 9)}, {{}}, {below(100, 7)}}, 6, 7);
}

SIMT_TEST(few_values_sort, only_where_there_are_buckets) {
  check_deferred_in_order<sorting>({ordered(below(900, 50), true)}, 10);
}

} // namespace
} // namespace sortile::simt_tests
