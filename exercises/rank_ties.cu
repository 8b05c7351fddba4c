// Exercise: rank sort with equal keys. See rank-ties.md.
#include "classics/records.hpp"

namespace sortile::classics {
namespace {

template <class Word, bool Pairs>
struct rank_all {
  static constexpr unsigned block_threads = 256;
  records<Word, Pairs> in, out;
  std::uint64_t n;
  key_codec<Word> codec;

  SORTILE_DEVICE void operator()() const {
    const std::uint64_t i = grid_thread();
    if (i >= n)
      return;
    const record<Word, Pairs> mine = in.load(i);
    const Word image = codec.image(mine.key);
    std::uint64_t rank = 0;
    for (std::uint64_t other = 0; other < n; ++other) {
      const Word theirs = codec.image(in.keys.load(other));
      // Your turn: this counts the smaller keys. Equal ones all get the same rank.
      rank += theirs < image ? 1 : 0;
    }
    out.store(rank, mine);
  }
};

template <class Word, bool Pairs>
void sort(job& j, records<Word, Pairs>& data, records<Word, Pairs>& spare, const key_codec<Word>& codec) {
  const std::uint64_t n = j.asked.n;
  if (n == 0)
    return;
  simt::launch(j.on.queue(), {.grid = blocks_for(n, 256)}, rank_all<Word, Pairs>{data, spare, n, codec});
  std::swap(data, spare);
}

} // namespace

SORTILE_CLASSICS_OF(exercise) {
  return {
      {.name = "rank-ties", .family = "exercise", .stable = true, .largest_n = 1 << 18, .tile = 256, .run = [](job& j) {
         with_records(j, [&](auto&... a) { sort(j, a...); });
       }}};
}

} // namespace sortile::classics
