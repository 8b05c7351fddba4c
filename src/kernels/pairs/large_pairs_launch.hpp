// Launches the sort of buckets that exceed the local steps (large_pairs_kernel.hpp), for all sorts that leave some.
#pragma once

#include "kernels/pairs/large_pairs_kernel.hpp"
#include "kernels/pairs/pair_arrays.hpp"

#include <algorithm>

namespace sortile::kernels::inline SORTILE_BACKEND {

/// Buckets among which there may be some that nobody has sorted.
struct left_buckets {
  simt::global<const std::uint32_t> start;
  pairs_gate gate;
  pair_bucket_list left;
  unsigned bins;       // of all buckets, left or not
  std::uint32_t above; // pairs of a bucket that others have sorted
  bool in_spare;       // where they are, in place of the output
};

/// From the output or the spare arrays to the output: a block a bucket, no more than are resident.
template <class Word, class Value, class Layout>
void sort_left_buckets(const simt::queue& q, const pair_arrays<Word, Value, Layout>& all, const left_buckets& b) {
  using kernel = large_pairs_kernel<Word, Value>;
  const auto pairs = [&](const auto& a) { return typename kernel::arrays{{a.keys, all.r.n}, {a.values, all.r.n}}; };
  simt::launch(q, {.grid = std::min(b.bins, simt::resident_blocks<kernel>(q))},
               kernel{.out = pairs(all.out()),
                      .spare = pairs(all.spare()),
                      .start = b.start,
                      .gate = b.gate,
                      .left = b.left,
                      .image = any_image<Word>(all.r.codec),
                      .above = b.above,
                      .in_spare = b.in_spare});
}

} // namespace sortile::kernels::inline SORTILE_BACKEND
