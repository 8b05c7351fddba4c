// Batcher's odd-even merge sort: a sorting network with fewer comparators than the bitonic one, and as many steps.
//
// Idea. To merge two sorted runs x and y, merge their elements at even places, and those at odd places, by recursion.
// Of the results v and w, v[0] is the least of all, and it remains to compare w[i] with v[i + 1]: since among the even
// ones there are at most two more zeros than among the odd ones (0-1 principle), nothing else can be out of order.
//
//   x = 1 4 6 7   y = 2 3 5 8
//   even  1 6 | 2 5  ▶  v = 1 2 5 6
//   odd   4 7 | 3 8  ▶  w = 3 4 7 8
//   v and w by turns:   1  3 2  4 5  7 6  8
//   w[i] with v[i + 1]:    2 3  4 5  6 7
//
// The recursion unrolled: to merge runs of p elements, compare at distance p, then at distances k = p/2, p/4, … 1. At
// distance p all pairs within the merged run take part; at the smaller ones the first and the last k elements of it
// have no partner:
//
//   runs of 4   k = 4   0─4 1─5 2─6 3─7
//               k = 2   2─4 3─5              (0 1 and 6 7 idle)
//               k = 1   1─2 3─4 5─6          (0 and 7 idle)
//
// All comparators point up, so the network of the next power of two serves any n (compare_exchange.hpp).
//
// Forms:
//   odd-even-merge          a launch a step, a thread a comparator, global memory
//   odd-even-merge-shared   runs of up to 1024 are made in shared memory by one launch, the rest step by step. Unlike
//                           those of the bitonic sort, the late steps of a large merge do not fall apart into tiles: a
//                           comparator of distance k bridges every multiple of 2k, and so every edge of a tile
//
// Source: Batcher, "Sorting Networks and their Applications", 1968; Knuth, TAOCP vol. 3, 5.2.2 (merge exchange) and
// 5.3.4.
//
// Cost: (log² n − log n + 4) n / 4 − 1 comparators for n a power of two: 19 for 8 keys, where the bitonic network has
// 24. Steps: log n (log n + 1) / 2, as many. odd-even-merge reads everything in each of them: 325 times for 2^25 keys;
// -shared 1 + (11 + … + 25) = 271 times.
//
// What it teaches: fewest comparators is not the same as least traffic: bitonic-shared does 136 rounds for the same
// input, because its steps suit tiles. Limits: log² n steps; not stable; idle threads at the edges of each run.
#include "classics/compare_exchange.hpp"

namespace sortile::classics {
namespace {

/// Comparator t of the step of distance k in the merge of runs of p; `high` is beyond its run where there is none.
template <class Integer>
SORTILE_DEVICE comparator of_step(Integer t, Integer p, Integer k) {
  comparator c = straight(t, k);
  if (k < p) {
    c.low += k;
    c.high += k;
  }
  return c;
}
SORTILE_DEVICE bool within_a_run(const comparator& c, std::uint64_t p) {
  return c.low / (2 * p) == c.high / (2 * p);
}

template <class Word, bool Pairs>
struct merge_step {
  static constexpr unsigned block_threads = 256;
  records<Word, Pairs> data;
  std::uint64_t n;
  key_codec<Word> codec;
  std::uint64_t run, distance;

  SORTILE_DEVICE void operator()() const {
    const comparator c = of_step(grid_thread(), run, distance);
    if (c.high < n && within_a_run(c, run))
      exchange_if_greater(data, c.low, c.high, codec);
  }
};

template <class Word, bool Pairs>
struct sort_tiles {
  static constexpr unsigned block_threads = 512, own = 2 * block_threads;
  struct shared {
    simt::shared_array<record<Word, Pairs>, own> tile;
  };
  records<Word, Pairs> data;
  std::uint64_t n;
  key_codec<Word> codec;

  SORTILE_DEVICE void operator()(shared& s) const {
    const unsigned t = simt::thread_index();
    const std::uint64_t first = std::uint64_t{simt::block_index()} * own;
    const auto count = static_cast<unsigned>(n - first < own ? n - first : own);
    for (unsigned i = t; i < count; i += block_threads)
      s.tile.store(i, data.load(first + i));
    for (unsigned run = 1; run < own; run *= 2)
      for (unsigned distance = run; distance > 0; distance /= 2) {
        simt::block_barrier();
        const comparator c = of_step(t, run, distance);
        if (c.high < count && within_a_run(c, run))
          exchange_if_greater(s.tile, c.low, c.high, codec);
      }
    simt::block_barrier();
    for (unsigned i = t; i < count; i += block_threads)
      data.store(first + i, s.tile.load(i));
  }
};

/// Merges runs of `run` up to the whole.
template <class Word, bool Pairs>
void merge_from(job& j, records<Word, Pairs>& data, const key_codec<Word>& codec, std::uint64_t run) {
  using kernel = merge_step<Word, Pairs>;
  const std::uint64_t n = j.asked.n;
  for (; run < n; run *= 2)
    for (std::uint64_t distance = run; distance > 0; distance /= 2) {
      simt::launch(j.on.queue(), {.grid = blocks_for(std::bit_ceil(n) / 2, kernel::block_threads)},
                   kernel{data, n, codec, run, distance});
      if (j.shows_steps())
        j.show("runs of " + std::to_string(run) + ", distance " + std::to_string(distance), untyped(data), n);
    }
}

template <class Word, bool Pairs>
void tiles_first(job& j, records<Word, Pairs>& data, const key_codec<Word>& codec) {
  using kernel = sort_tiles<Word, Pairs>;
  if (j.asked.n == 0)
    return;
  simt::launch(j.on.queue(), {.grid = blocks_for(j.asked.n, kernel::own)}, kernel{data, j.asked.n, codec});
  j.show("tiles sorted", untyped(data), j.asked.n);
  merge_from(j, data, codec, kernel::own);
}

classic odd_even(std::string_view name, std::string_view summary, run_function run) {
  return {.name = name,
          .family = "network",
          .summary = summary,
          .work = "n log^2 n",
          .depth = "log^2 n",
          .source = "Batcher 1968; Knuth, TAOCP vol. 3, 5.2.2",
          .steps_show = "each step of the network that is seen from outside",
          .run = run};
}

} // namespace

SORTILE_CLASSICS_OF(odd_even_merge) {
  return {odd_even("odd-even-merge", "Batcher's odd-even merge sort, a launch for each step of the network",
                   [](job& j) { with_records(j, [&](auto& d, auto&, auto& codec) { merge_from(j, d, codec, 1); }); }),
          odd_even("odd-even-merge-shared", "the same, with runs of up to 1024 made in shared memory",
                   [](job& j) { with_records(j, [&](auto& d, auto&, auto& codec) { tiles_first(j, d, codec); }); })};
}

} // namespace sortile::classics
