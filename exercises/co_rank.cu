// Exercise: the co-rank. See co-rank.md.
#include "classics/merge.hpp"

namespace sortile::classics {
namespace {

/// How many of the first k records of the merge of runs a and b are from a. a.count and b.count are their lengths,
/// a.key(i) is a key, before(x, y) says whether x must come before y.
template <class A, class B, class Order>
SORTILE_DEVICE std::uint64_t my_co_rank(std::uint64_t k, const A& a, const B& b, const Order& before) {
  // Your turn: search between the least and the greatest that it can be.
  (void)b, (void)before;
  return k < a.count ? k : a.count;
}

/// Each thread merges up to 8 records of the output.
template <class Word, bool Pairs>
struct merge_pieces {
  static constexpr unsigned block_threads = 256, most = 8;
  records<Word, Pairs> from, to;
  std::uint64_t n;
  by_image<Word> before;
  std::uint64_t run;

  SORTILE_DEVICE void operator()() const {
    const std::uint64_t first = grid_thread() * most;
    if (first >= n)
      return;
    const pair_of_runs<Word, Pairs> runs(from, n, run, first);
    const std::uint64_t k = first - runs.begin, left = runs.count - k;
    const std::uint64_t i = my_co_rank(k, runs.a, runs.b, before);
    merge_serially<most>(runs.a, i, runs.b, k - i, static_cast<unsigned>(left < most ? left : most), before,
                         [&](unsigned o, const auto& r) { to.store(first + o, r); });
  }
};

template <class Word, bool Pairs>
void sort(job& j, records<Word, Pairs>& data, records<Word, Pairs>& spare, const key_codec<Word>& codec) {
  if (j.asked.n == 0)
    return;
  const by_image<Word> order{codec};
  sort_tiles(j, data, order, 16);
  merge_up(j, data, spare, 16, [&](const auto& from, const auto& to, std::uint64_t run, telling&) {
    simt::launch(j.on.queue(), {.grid = blocks_for(j.asked.n, 256 * 8)},
                 merge_pieces<Word, Pairs>{from, to, j.asked.n, order, run});
  });
}

} // namespace

SORTILE_CLASSICS_OF(exercise) {
  return {{.name = "co-rank", .family = "exercise", .stable = true, .tile = 2048, .run = [](job& j) {
             with_records(j, [&](auto&... a) { sort(j, a...); });
           }}};
}

} // namespace sortile::classics
