// Giant buckets: so many keys that several blocks share them, to count and fill them together
// (count_skewed_kernel.hpp), or to split them (local/heavy_buckets.hpp).
//
//   bucket[k]   the number of the k-th giant bucket, in the order of the keys
//   before[k]   keys in giant buckets before it; after the last entry: in all of them
//   done[k]     blocks that have added their counts of it
//
// The tables' kernel lists them. All their keys, one giant bucket after the other, are cut into as many equal shares as
// there are blocks; a block counts and fills its share. So all blocks work on a bucket that holds nearly all keys, and
// one block alone sorts a bucket that lies in a single share.
//
// Counters. The counters of a giant bucket lie in its own stretch of an array of keys that is free at the time, from
// the first multiple of 16 bytes on: 65,536 words, and 513 more for where each chunk's keys begin. A giant bucket has
// twice as many keys (131,072 or more, unless a test asks for fewer), so it takes no workspace beyond these lists.
#pragma once

#include "kernels/skewed/bucket_values.hpp"
#include "primitives/bisect.hpp"

namespace sortile::kernels::inline SORTILE_BACKEND {

struct giant_list {
  simt::global<std::uint32_t> bucket, before, done;
  std::uint32_t least = 0; ///< keys from which a bucket is giant; 0: none is

  /// Keys that hold what a giant bucket keeps in its own place.
  static constexpr std::uint32_t room = bucket_ranks::most + bucket_ranks::most_chunks + 4;

  SORTILE_HOST_DEVICE bool takes(std::uint32_t keys) const { return least != 0 && keys >= least; }

  /// Where the counters of a bucket stand that begins here.
  static SORTILE_HOST_DEVICE std::uint32_t counters(std::uint32_t begin) { return (begin + 3) / 4 * 4; }
  static SORTILE_DEVICE std::uint32_t starts(std::uint32_t begin) { return counters(begin) + bucket_ranks::most; }
};

/// How the keys of all giant buckets are shared out. Places count in the row of these buckets.
struct giant_shares {
  std::uint32_t total, shares;

  /// Where a share begins.
  SORTILE_HOST_DEVICE std::uint32_t begin(std::uint32_t share) const {
    return std::uint32_t(std::uint64_t{total} * share / shares);
  }
  /// The share that holds this place.
  SORTILE_HOST_DEVICE std::uint32_t of(std::uint32_t place) const {
    return std::uint32_t(((std::uint64_t{place} + 1) * shares + total - 1) / total) - 1;
  }
  /// In how many shares the places [first, end) lie.
  SORTILE_HOST_DEVICE std::uint32_t parts(std::uint32_t first, std::uint32_t end) const {
    return of(end - 1) - of(first) + 1;
  }
};

/// A part of a giant bucket: its keys [low, high), counted from its begin.
struct giant_part {
  std::uint32_t place; ///< in the list
  std::uint32_t bucket, low, high;
  std::uint32_t keys;  ///< of all the bucket
  std::uint32_t parts; ///< of all the bucket; 1: a block has all of it

  /// Whether counts of several blocks, or of too many keys for one to remember its spills, are put together.
  SORTILE_DEVICE bool is_shared(std::uint32_t most_alone) const { return parts > 1 || keys > most_alone; }
};

/// f(giant_part) for all parts in this block's share, by its threads together; each is followed by a barrier.
template <class F>
SORTILE_DEVICE void for_giant_parts(const giant_list& list, std::uint32_t listed, std::uint32_t shares, F f) {
  if (listed == 0 || simt::block_index() >= shares)
    return;
  const giant_shares all{list.before.load(listed), shares};
  const std::uint32_t begin = all.begin(simt::block_index()), end = all.begin(simt::block_index() + 1);
  const std::uint32_t own =
      primitives::last_that(0, listed - 1, [&](std::uint32_t k) { return list.before.load(k) <= begin; });
  for (std::uint32_t k = own; k < listed && list.before.load(k) < end; ++k) {
    const std::uint32_t first = list.before.load(k), behind = list.before.load(k + 1);
    f(giant_part{k, list.bucket.load(k), first < begin ? begin - first : 0, (behind < end ? behind : end) - first,
                 behind - first, all.parts(first, behind)});
    simt::block_barrier();
  }
}

} // namespace sortile::kernels::inline SORTILE_BACKEND
