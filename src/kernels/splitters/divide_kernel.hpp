// Divides all pairs between splitters, twice, in one cooperative launch: a split finds where pairs go
// (segment_split.hpp), a partition moves them (pairs/stable_partition_kernel.hpp), then the same within each bucket.
// The grid meets between these.
//
//   split | move | split | move         five meetings a level, 1 to 1.5 µs each
//
// A sort between splitters is mostly a fallback, whose launches have nothing to do. As four of them these took 2.5 to
// 4 µs each.
//
// Shared storage is the partition's, and a block has a multiprocessor to itself either way. So samples are no more than
// fit in that: 8192, which are enough for 2^26 pairs. (With 16,384 of 64 bits, 180 KB, tiles in flight had too little
// of the L1 left: u64 + u32, AND of three, 2^24 1.51 → 1.58 ms.)
#pragma once

#include "kernels/pairs/stable_partition_kernel.hpp"
#include "kernels/splitters/segment_split.hpp"
#include "kernels/splitters/splitter_digits.hpp"

namespace sortile::kernels::inline SORTILE_BACKEND {

template <class Word, class Value, class Image>
struct divide_kernel {
  static constexpr bool starts_early = true;
  static constexpr unsigned block_threads = 1024, min_blocks = 1;
  using split = segment_split<Word, Image, block_threads, 8>;
  using partition = stable_partition_kernel<Word, Value, splitter_digits<Word>>;
  static_assert(partition::block_threads == block_threads);

  struct shared {
    union {
      typename split::storage found;
      typename partition::shared moved;
    };
  };

  struct level {
    split finds;
    partition moves;
  };
  level first, second;

  SORTILE_DEVICE void operator()(shared& s) const {
    if (!divide(s, first))
      return;
    simt::grid_barrier();
    divide(s, second);
  }

 private:
  /// Twice in the code: what a loop over both keeps in registers is missed by the partitions (u64 + u64, 2^24: 7 to 13
  /// % longer).
  static SORTILE_DEVICE bool divide(shared& s, const level& l) {
    if (!l.finds.make(s.found))
      return false;
    simt::grid_barrier();
    l.moves(s.moved);
    return true;
  }
};

/// The split alone, for pairs that take more samples: with all that shared storage holds. A partition of its own
/// follows.
template <class Word, class Image>
struct split_segments_kernel {
  static constexpr bool starts_early = true;
  static constexpr unsigned block_threads = sizeof(Word) > 8 ? 768 : 1024, min_blocks = 1;
  using split = segment_split<Word, Image, block_threads, 16>;
  struct shared {
    typename split::storage found;
  };

  split finds;

  SORTILE_DEVICE void operator()(shared& s) const { finds.make(s.found); }
};

} // namespace sortile::kernels::inline SORTILE_BACKEND
