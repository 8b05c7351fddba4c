// From the scan's counts to where every bucket begins and where its ring is filled from, for both partitions.
//
//   start[i]       keys in buckets below i; start[bins] = n
//   next, left     of the second partition's buckets i, and of the first's, which are `fine` neighbours together
//                  (partition_kernel.hpp says what they are)
//
// Skew. Where the sort has a fallback, the verdict gives it the keys (and finding_skewed tells all later steps) if a
// bucket holds more than `most` keys, if buckets that the local sort cannot take (more than `fitting` keys) hold more
// than a sixteenth of all (those up to `held` keys count for less), if the interval is dense, or if it has few values
// and outliers. Not where a copy, or the counts themselves, are the result (key_course). Where a sample has given the
// keys away before, there are no counts, and nothing to do. What the scan has found of floats (−0, NaN) is in
// finding_skewed already, and becomes the verdict here.
//
// Where a map spreads the keys, buckets up to a heavy one's size are no reason, and twice as many keys as a sample saw
// frequent values may lie in heavy ones.
//
// Giant buckets (skewed/giant_buckets.hpp) are listed, where the sort counts them, and heavy ones of a map
// (local/heavy_buckets.hpp), but for those that outliers lie in (second_scan.hpp). Where a second scan was made, its
// counts are the ones that hold, and its interval and findings replace the first one's.
//
// Up to 1024 buckets the scan's last block makes the tables. Of more, a launch of their own does: each block answers
// for 1024 buckets and adds up the counts before them by itself: 64 blocks that read at most 256 KB each from the L2,
// in vectors, four on their way, are done before a look-back would be. The last block checks that the counts add up to
// n, and traps if they do not (packed_counters.hpp says why).
#pragma once

#include "kernels/key_scan/key_map.hpp"
#include "kernels/key_scan/second_scan.hpp"
#include "kernels/skewed/giant_buckets.hpp"
#include "kernels/verdict.hpp"
#include "primitives/block_scan.hpp"

namespace sortile::kernels::inline SORTILE_BACKEND {

/// The rings of one partition's buckets.
struct bucket_rings {
  simt::global<std::uint32_t> next; ///< where the next whole granule goes
  simt::global<std::uint32_t> left; ///< left-over keys that came so far
};

template <class Word, class Image = integer_image<Word>>
struct bucket_tables {
  static constexpr unsigned block_threads = 1024, in_flight = 4; // in_flight: of a thread's vectors
  static constexpr bool maps = key_map<Word>::exists && !Image::of_floats;
  static constexpr std::uint32_t map_judges = 8192; ///< samples by which key_map_kernel.hpp judges a map
  /// What is held counts for less: of 64-bit keys half of all may be, before passes are quicker, of others a quarter.
  static constexpr std::uint32_t part_held = sizeof(Word) == 8 ? 8 : 4;
  using scan_storage = primitives::block_scan_storage<std::uint32_t, block_threads>;
  using giant_storage = primitives::block_scan_storage<std::uint64_t, block_threads>;
  struct shared {
    scan_storage before, within, oversized;
    giant_storage giants_before, giants_within;
  };

  simt::global<const std::uint32_t> first_count, second_count; // of the two scans
  simt::global<std::uint32_t> start;
  bucket_rings coarse, fine_rings; // of the first and of the second partition
  simt::global<std::uint64_t> findings;
  simt::global<key_window<Word>> window;
  giant_list giants;
  simt::global<std::uint32_t> below, above; // of heavy buckets (local/heavy_buckets.hpp): zeroed
  verdict told;
  std::uint32_t n, bins, fine, granule;
  std::uint32_t fitting, held, most; // keys of a bucket that the local step takes, large_sort_kernel.hpp holds, may be
  bool may_leave;

  /// By a block: of the 1024 buckets that are its part.
  SORTILE_DEVICE void make(shared& s, std::uint32_t part) const {
    const std::uint32_t i = part * block_threads + simt::thread_index();
    const bool again = findings.load(finding_second) != 0;
    const simt::global<const std::uint32_t> count = again ? second_count : first_count;
    std::uint32_t sum = 0;
    std::uint64_t giant_sum = 0;
    bool mapped = false;
    if constexpr (maps)
      mapped = window.load(0).by_distribution != 0;
    const std::uint32_t vectors = part * (block_threads / 4); // of counts before this block's
    for (std::uint32_t v = simt::thread_index(); v < vectors; v += in_flight * block_threads) {
      simt::vec<std::uint32_t, 4> keys[in_flight] = {};
      SORTILE_UNROLL
      for (unsigned j = 0; j < in_flight; ++j)
        if (v + j * block_threads < vectors)
          keys[j] = simt::load_vector<4>(count, 4 * (v + j * block_threads));
      SORTILE_UNROLL
      for (unsigned j = 0; j < in_flight; ++j)
        SORTILE_UNROLL
      for (unsigned e = 0; e < 4; ++e) {
        sum += keys[j][e];
        giant_sum += as_giant(keys[j][e], 4 * (v + j * block_threads) + e, again);
      }
    }
    const std::uint32_t before = primitives::block_reduce(s.before, sum, primitives::plus{});
    const std::uint32_t here = i < bins ? count.load(i) : 0;
    const std::uint32_t at = primitives::block_exclusive_scan(s.within, here, primitives::plus{}, before).before;
    if (may_leave)
      note_too_large(s, here, mapped, part == 0);
    if constexpr (Image::of_floats)
      if (i == 0 && (findings.load(finding_skewed) & skewed_by_scan) != 0)
        told.give_away();
    if (giants.least != 0 && (mapped || !may_leave)) // heavy ones of a map, or counted ones
      list_giants(s, i, giant_sum, here, again);
    if (again && i == 0) { // nobody else reads or writes these here
      window[0] = window_of_all<Word>(findings);
      findings[finding_outside] = 0;
    }
    if (i >= bins)
      return;
    start[i] = at;
    if (here > n / 4) // hot: a warp's row has many keys of this bucket
      findings.fetch_add(finding_alike, std::uint64_t{n});
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

 private:
  /// Number << 32 | keys of giant buckets. None has outliers; where all has been scanned again, nothing has.
  SORTILE_DEVICE std::uint64_t as_giant(std::uint32_t keys, std::uint32_t bucket, bool again) const {
    const bool takes = giants.takes(keys) && (again || !has_outliers<Word>(findings, window.load(0), bucket, bins));
    return takes ? std::uint64_t{1} << 32 | keys : 0;
  }
  /// By the block: this thread's bucket has so many keys; `before` is its share of the giants in blocks before.
  SORTILE_DEVICE void list_giants(shared& s, std::uint32_t bucket, std::uint64_t before, std::uint32_t keys,
                                  bool again) const {
    const std::uint64_t own = as_giant(keys, bucket, again);
    const std::uint64_t initial = primitives::block_reduce(s.giants_before, before, primitives::plus{});
    const std::uint64_t at = primitives::block_exclusive_scan(s.giants_within, own, primitives::plus{}, initial).before;
    const auto place = std::uint32_t(at >> 32);
    if (own != 0) {
      giants.bucket[place] = bucket;
      giants.before[place] = std::uint32_t(at);
      giants.done[place] = 0;
      if (may_leave) {
        below[place] = 0;
        above[place] = 0;
      }
    }
    if (bucket == bins - 1) {
      const std::uint64_t all = at + own;
      giants.before[all >> 32] = std::uint32_t(all);
      findings[finding_giants] = all >> 32;
    }
  }
  SORTILE_DEVICE void note_too_large(shared& s, std::uint32_t keys, bool mapped, bool first_part) const {
    const bool exceeds = mapped && giants.least != 0 ? giants.takes(keys) : keys > fitting;
    const std::uint32_t weight = !exceeds ? 0 : keys > held ? keys : keys / part_held;
    const std::uint32_t oversized = primitives::block_reduce(s.oversized, weight, primitives::plus{});
    const std::uint64_t frequent = mapped ? findings.load(finding_heavy) : 0; // of the samples
    const bool too_large = simt::block_any(keys > most) && frequent == 0;
    if (simt::thread_index() != 0)
      return;
    const key_window<Word> w = window.load(0);
    const std::uint64_t before = oversized == 0 ? 0 : findings.fetch_add(finding_too_large, std::uint64_t{oversized});
    // Where values have buckets of their own, several each, counts are not of buckets that a partition would fill.
    const bool window_says = first_part && (w.dense(n) || w.one_value_a_bucket(bins));
    const std::uint64_t allowed = n / 16 + 2 * frequent * (n / map_judges);
    if ((too_large || before + oversized > allowed || window_says) &&
        course_of<Word>(findings, w, bins) == key_course::buckets) {
      findings.fetch_or(finding_skewed, std::uint64_t{skewed_by_counts});
      told.give_away();
    }
  }
};

/// A block each for 1024 buckets.
template <class Word, class Image>
struct bucket_tables_kernel {
  static constexpr bool starts_early = true;
  static constexpr unsigned block_threads = bucket_tables<Word, Image>::block_threads;
  using shared = typename bucket_tables<Word, Image>::shared;

  bucket_tables<Word, Image> tables;
  bool sampled; // a sample may have given the keys away

  SORTILE_DEVICE void operator()(shared& s) const {
    if (!sampled || !given_away_by_sample(tables.findings))
      tables.make(s, simt::block_index());
  }
};

} // namespace sortile::kernels::inline SORTILE_BACKEND
