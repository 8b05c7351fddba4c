// From the look's counts to where every bucket begins and where its ring is filled from, for both partitions.
//
//   start[i]       keys in buckets below i; start[bins] = n
//   next, left     of the second partition's buckets i, and of the first's, which are `fine` neighbours together
//                  (partition_kernel.hpp says what they are)
//
// Each block answers for 1024 buckets and adds up the counts before them by itself: 64 blocks that read at most 256 KB
// each from the L2 are done before a look-back would be. The last one sees that the counts add up to n, and traps if
// they do not (look_kernel.hpp says why that is asked).
#pragma once

#include "primitives/block_scan.hpp"

namespace sortile::kernels::inline SORTILE_BACKEND {

/// The rings of one partition's buckets.
struct bucket_rings {
  simt::global<std::uint32_t> next; ///< where the next whole granule goes
  simt::global<std::uint32_t> left; ///< left-over keys that came so far
};

struct bucket_tables_kernel {
  static constexpr unsigned block_threads = 1024;
  using scan_storage = primitives::block_scan_storage<std::uint32_t, block_threads>;
  struct shared {
    scan_storage before, within;
  };

  simt::global<const std::uint32_t> count;
  simt::global<std::uint32_t> start;
  bucket_rings coarse, fine_rings; // of the first and of the second partition
  std::uint32_t n, bins, fine, granule;

  SORTILE_DEVICE void operator()(shared& s) const {
    const std::uint32_t i = simt::block_index() * block_threads + simt::thread_index();
    std::uint32_t sum = 0;
    for (std::uint32_t j = simt::thread_index(); j < simt::block_index() * block_threads; j += block_threads)
      sum += count.load(j);
    const std::uint32_t before = primitives::block_reduce(s.before, sum, primitives::plus{});
    const std::uint32_t here = i < bins ? count.load(i) : 0;
    const std::uint32_t at = primitives::block_exclusive_scan(s.within, here, primitives::plus{}, before).before;
    if (i >= bins)
      return;
    start[i] = at;
    const std::uint32_t ring = (at + granule - 1) / granule * granule;
    if (fine > 1) {
      fine_rings.next[i] = ring;
      fine_rings.left[i] = 0;
    }
    if (i % fine == 0) {
      coarse.next[i / fine] = ring;
      coarse.left[i / fine] = 0;
    }
    if (i == bins - 1) {
      start[bins] = n;
      if (at + here != n)
        simt::trap();
    }
  }
};

} // namespace sortile::kernels::inline SORTILE_BACKEND
