// The exercises: what solves each, hints by what failed, bounds by what the executor counts.
#include "exercises/grading.hpp"

#include <sortile/error.hpp>

namespace sortile::exercises {

namespace {

using executor::counters;

double sectors_a_store(const counters& c) {
  return c.global_stores.units_per_request();
}
double launches(const counters& c) {
  return double(c.launches);
}
double barriers(const counters& c) {
  return double(c.block_barriers);
}
double conflicts(const counters& c) {
  return double(c.bank_conflicts());
}

constexpr std::string_view look_for_barrier =
    "a thread reads what another one writes, with no barrier between both; find the barrier "
    "that orders them";
constexpr std::string_view look_at_waits =
    "some threads wait for others that never come: a barrier belongs where all threads of the "
    "block pass";

exercise make(std::string_view name, std::string_view solution, std::string_view task, std::string_view if_wrong,
              std::string_view if_unstable, std::string_view if_out_of_bounds) {
  return {name, solution, task, if_wrong, if_unstable, look_for_barrier, if_out_of_bounds, look_at_waits, {}};
}

std::vector<exercise> of_radix_sort() {
  exercise destination = make(
      "destination", "radix-1bit",
      "the destination of a key in a partition by one bit, from an exclusive scan of the bits",
      "before key i lie i keys, so many of them ones, the rest zeros; a zero follows the zeros before it, a one "
      "follows all zeros",
      "keys with the same bit have changed places: the keys before key i must get lower destinations than key i does",
      "a destination beyond the array: is the number of ones in total taken from an element that the scan has?");
  exercise coalesced =
      make("coalesced-writes", "radix-1bit-local", "the same with each block's keys sorted before they are written",
           "a run begins where the scanned table says, plus the distance from where its bucket begins in the tile",
           "tiles have to be sorted stably, and a row of the table holds the tiles in their order",
           "row v of the table begins at v × tiles, and there are as many columns as blocks");
  coalesced.bounds = {{"sectors a store",
                       sectors_a_store,
                       5.0,
                       {.n = 4096, .bits = {0, 4}},
                       "neighbours of a warp write to two pieces of memory: let them write neighbours of one bucket"}};
  exercise digits = make("several-bits", "radix-bits", "digits of several bits: fewer passes",
                         "a pass of r bits sorts its tile by r stable splits, lowest bit first",
                         "each split must be stable", "the table has 2^r rows; the last pass may have fewer bits");
  digits.bounds = {{"launches for 8 bits, 4 a pass",
                    launches,
                    8,
                    {.n = 1000, .bits = {0, 8}, .parameters = {{"bits", 4}}},
                    "two passes of three launches do"}};
  exercise coarsening =
      make("coarsening", "radix-1bit-coarsened", "several keys a thread: counted in registers before the block scans",
           "walk your keys in their order, and count up the ones as you go",
           "a thread's keys are neighbours, and are walked from the first to the last",
           "thread t has keys t × K to t × K + K − 1 of the tile, if they exist");
  coarsening.bounds = {{"barriers for 8192 keys and 1 bit, 8 keys a thread",
                        barriers,
                        200,
                        {.n = 8192, .bits = {0, 1}, .parameters = {{"keys", 8}}},
                        "the block's scan runs over one number for each thread, not over one for each key"}};
  return {destination, coalesced, digits, coarsening};
}

std::vector<exercise> of_comparison_sorts() {
  exercise co_rank = make(
      "co-rank", "merge-path", "the co-rank: how many of the first k records of a merge come from the left run",
      "a[i] is among the first k unless b[k − 1 − i] comes before it: search for the first i that is not",
      "of equal keys those of the left run come first: b comes before a only where it is less, not where it is equal",
      "the co-rank lies between k − |b|, or 0, and k, or |a|");
  exercise directions = make(
      "bitonic-directions", "bitonic-directions",
      "bitonic sort with partners at i ^ j: which way does a comparator point?",
      "runs of k have to go up and down by turns, so that two neighbours are bitonic: which bit of i tells them apart?",
      "", "a partner may lie beyond the end");
  exercise rank = make("rank-ties", "rank", "rank sort: places of equal keys",
                       "equal keys have the same number of smaller keys: which of them comes first?",
                       "of equal keys the one that came first has the lower rank", "a rank is at most n − 1");
  exercise partition =
      make("partition", "quicksort-packing", "quicksort's partition by prefix sums: less, equal, greater",
           "less begins at 0, equal behind all that is less, greater behind both; in each region a key follows those "
           "of it before it",
           "", "of i keys before key i, so many are less and so many equal: the rest is greater");
  return {co_rank, directions, rank, partition};
}

std::vector<exercise> all() {
  std::vector<exercise> found = of_radix_sort();
  for (exercise& e : of_comparison_sorts())
    found.push_back(std::move(e));
  exercise padding = make("scan-padding", "scan-blelloch-padded-32", "Blelloch's scan without bank conflicts",
                          "padding changes where a number lies, not which number it is: every access goes through it",
                          "", "the padded array is longer than the numbers are many");
  padding.bounds = {{"bank conflicts for 2048 numbers",
                     conflicts,
                     100,
                     {.n = 2048},
                     "at stride 2^k lanes lie 2^(k+1) words apart, so in few banks: an unused word after every 32 "
                     "moves each row by one"}};
  found.push_back(padding);
  found.push_back(make("splitters", "sample-sort", "sample sort: which keys of a sorted sample are splitters?",
                       "of a sorted sample of s × k keys every s-th is a splitter, k − 1 in all; a wrong one leaves "
                       "parts that are not in order",
                       "", "the sample has s × k keys"));
  found.back().bounds = {
      {"launches for 4000 uniform keys",
       launches,
       40,
       {.n = 4000, .parameters = {{"ways", 16}, {"small", 512}}},
       "parts had to be divided again and again: splitters have to be spread evenly over the sorted sample"}};
  return found;
}

} // namespace

std::span<const exercise> all_exercises() {
  static const std::vector<exercise> list = all();
  return list;
}

const exercise& exercise_named(std::string_view name) {
  std::string names;
  for (const exercise& e : all_exercises()) {
    if (e.name == name)
      return e;
    names += (names.empty() ? "" : ", ") + std::string(e.name);
  }
  throw invalid_argument("no exercise is called " + std::string(name) + " (there are: " + names + ")");
}

} // namespace sortile::exercises
