// Broken. Rank sort: a key goes to the place that is the number of smaller keys.
#include "classics/broken/kernels.hpp"

namespace sortile::classics {
namespace {

struct count_smaller {
  static constexpr unsigned block_threads = 256;
  keys_u32 in, out;
  std::uint64_t n;
  SORTILE_DEVICE void operator()() const {
    const std::uint64_t i = grid_thread();
    if (i >= n)
      return;
    const std::uint32_t mine = in.load(i);
    std::uint64_t rank = 0;
    for (std::uint64_t other = 0; other < n; ++other)
      rank += in.load(other) < mine ? 1 : 0;
    out.store(rank, mine);
  }
};

void sort(job& j) {
  const std::uint64_t n = j.asked.n;
  if (n == 0)
    return;
  simt::launch(j.on.queue(), {.grid = blocks_for(n, 256)}, count_smaller{own_keys(j, j.data), own_keys(j, j.spare), n});
  std::swap(j.data, j.spare);
}

} // namespace

SORTILE_CLASSICS_OF(rank_without_ties) {
  return {broken("rank-without-ties", "a rank sort that counts smaller keys alone", sort, 4096)};
}

} // namespace sortile::classics
