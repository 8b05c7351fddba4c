// The sort of medium buckets by itself: on buckets as the local step leaves them, about its capacity, about how many
// keys may find their bin taken, in one word and in all; what it does not sort stays where it is, and in the list.
#include "kernels/skewed/medium_sort_kernel.hpp"
#include "tests/kernels/skew_checks.hpp"

namespace sortile::simt_tests {
namespace {

using namespace skew_checks;
using local = kernels::medium_sort_kernel<>::local;

// A type of its own: one translation unit of a program launches a kernel, and the library's has that.
struct sorting : kernels::medium_sort_kernel<> {};

constexpr unsigned word = 16; // ranks that share one, of a bin each

/// So many keys that find their bin taken, each in a word of its own.
ranks taken(std::size_t n) {
  ranks keys = different(n + 1, word);
  for (std::size_t i = 0; i < n; ++i)
    keys.push_back(Word((n - i) * word));
  return keys;
}
/// So many keys that find their bin taken in one word, of two values in turn; others before and behind.
ranks taken_in_a_word(std::size_t n) {
  ranks keys = different(1000, 4 * word);
  for (std::size_t i = 0; i < n + 2; ++i)
    keys.push_back(77 * word + (i % 2 != 0 ? 3 : 12));
  return keys;
}
/// Of all kinds. A bucket begins `lead` keys behind a vector's begin, and these count towards the capacity.
std::vector<bucket> all_kinds() {
  constexpr std::size_t most = local::capacity, listed = local::list_size, in_a_word = local::most_taken;
  return {
      {evenly(most)},                          // lead 0
      {evenly(most + 1), false},               // 0
      {evenly(most - 1)},                      // 1
      {evenly(5)},                             // 0
      {evenly(most), false},                   // 1
      {taken(listed)},                         //
      {taken(listed + 1), false},              //
      {taken_in_a_word(in_a_word)},            //
      {taken_in_a_word(in_a_word + 1), false}, //
      {ordered(different(6001, 9), true)},     //
      {ordered(different(6002, 9), false)},    //
      {alike(in_a_word + 1, 65'535)},          //
      {alike(in_a_word + 2, 0), false},        //
      {{65'535, 0, 65'534, 1, 0}},             //
      {{}},                                    //
      {evenly(7003)},
  };
}

SIMT_TEST(medium_sort, buckets_of_all_kinds) {
  check_deferred_of_all_kinds<sorting>(all_kinds());
}

SIMT_TEST(medium_sort, on_many_schedules) {
  const std::vector<bucket> buckets = {{evenly(333)},
                                       {taken_in_a_word(local::most_taken)},
                                       {alike(40, 9), false},
                                       {ordered(different(501, 130), false)}};
  check_deferred_often<sorting>(buckets, 20);
}

SIMT_TEST(medium_sort, only_where_there_are_buckets) {
  check_deferred_in_order<sorting>({ordered(different(900, 7), true)});
}

} // namespace
} // namespace sortile::simt_tests
