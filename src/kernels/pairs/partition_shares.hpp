// How the work of a stable partition is cut: pairs into segments, segments into the blocks' shares.
#pragma once

#include "simt/simt.hpp"

namespace sortile::kernels::inline SORTILE_BACKEND {

/// Where the pairs and buckets of one partition lie. Bucket q = segment · (mask + 1) + digit begins at start[q · step],
/// and chunk c's part of it before[c · row + q] places further on.
struct stable_shape {
  std::uint32_t segments, mask, step, row;
  unsigned shift;       ///< of the digit in y
  std::uint32_t chunks; ///< of the input
  std::uint32_t share;  ///< pairs a block; of the first partition: a chunk
};

/// What a block has before it: pairs [next, stop), of which [next, end) lie in one segment.
struct partition_piece {
  std::uint32_t segment, next, end, stop;
  SORTILE_DEVICE std::uint32_t tile_pairs(std::uint32_t tile) const { return end - next < tile ? end - next : tile; }
};

/// Segment s begins at start[s · buckets · step].
struct segment_starts {
  const simt::global<const std::uint32_t>& start;
  const std::uint32_t &segments, &mask, &step; // of a kernel's arguments: nothing that a register has to hold

  SORTILE_DEVICE std::uint32_t of(std::uint32_t segment) const { return start.load(segment * (mask + 1) * step); }
  /// The segment that holds pair x, which is there. By all threads of a block, of at least as many.
  SORTILE_DEVICE std::uint32_t holding(std::uint32_t x) const {
    const unsigned t = simt::thread_index();
    return simt::block_count(t < segments && of(t) <= x) - 1;
  }
  /// To the segment that holds p.next; true where that is another one.
  SORTILE_DEVICE bool move(partition_piece& p) const {
    const std::uint32_t old = p.segment;
    while (of(p.segment + 1) <= p.next)
      ++p.segment;
    const std::uint32_t e = of(p.segment + 1);
    p.end = e < p.stop ? e : p.stop;
    return p.segment != old;
  }
};

/// Block b's share: pairs [b · share, (b + 1) · share), from whichever segment that is in.
SORTILE_DEVICE partition_piece even_share(const segment_starts& segments, std::uint32_t share, std::uint32_t n) {
  const std::uint64_t low = std::uint64_t{simt::block_index()} * share, high = low + share;
  partition_piece p{};
  p.next = low < n ? std::uint32_t(low) : n;
  p.stop = p.end = high < n ? std::uint32_t(high) : n;
  if (segments.segments == 1 || p.next == p.stop)
    return p;
  p.segment = segments.holding(p.next);
  segments.move(p);
  return p;
}

} // namespace sortile::kernels::inline SORTILE_BACKEND
