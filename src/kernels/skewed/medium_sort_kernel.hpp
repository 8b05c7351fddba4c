// Sorts the buckets that are a little too large for the local step: of up to 10,240 keys of 32 bits, by the same bits
// (local/local_sort_kernel.hpp), in larger blocks, before the others are counted (count_skewed_kernel.hpp). Counting
// would clear and read 65,536 counters for each, 28 µs; this takes as long as the local step for as many keys.
//
// As many blocks as are resident go through the list of deferred buckets. Buckets that are too large, that have
// outliers (keys from outside of the interval), or that have too many equal keys, as is foretold where they have many
// keys for their values, stay in the list; others leave `done` in their place.
//
// In place is allowed, as in the local step. Traffic: 2 sizeof(key) per key.
#pragma once

#include "kernels/local/local_sort_kernel.hpp"
#include "kernels/skewed/skewed_arrays.hpp"

namespace sortile::kernels::inline SORTILE_BACKEND {

/// Three blocks of 65 KB a multiprocessor.
struct medium_tuning {
  static constexpr unsigned threads = 512, min_blocks = 3, words = 4096, list_size = 1024, most_unlisted = 0;
  static constexpr int vectors = 5;
};

template <class Image = integer_image<std::uint32_t>>
struct medium_sort_kernel {
  using Word = typename Image::word;
  using local = local_sort_kernel<Word, medium_tuning, Image>;
  using shared = typename local::shared;
  static constexpr bool starts_early = true;
  static constexpr unsigned block_threads = local::block_threads, min_blocks = local::min_blocks;

  skewed_arrays<Image> at;
  std::uint32_t n;

  SORTILE_DEVICE void operator()(shared& s) const {
    if (course_of<Word>(at.deferred.findings, at.window.load(0), at.bins()) != key_course::buckets)
      return;
    const auto many = std::uint32_t(at.deferred.findings.load(finding_deferred));
    for (std::uint32_t q = simt::block_index(); q < many; q += simt::grid_size()) {
      const std::uint32_t bucket = at.deferred.buckets.load(q);
      const key_window<Word> w = at.window.load(0);
      if (at.is_tail(bucket) || !sort(s, bucket, at.values_a_bucket(w)))
        continue;
      if (simt::thread_index() == 0)
        at.deferred.buckets[q] = bucket_list::done;
      simt::block_barrier();
    }
  }

 private:
  /// False, in all threads, where nothing was done.
  SORTILE_DEVICE bool sort(shared& s, std::uint32_t bucket, std::uint32_t values_there) const {
    const std::uint32_t begin = at.start.load(bucket), lead = begin % unsigned(local::vector);
    const typename local::bucket b{bucket, begin - lead, lead, at.start.load(bucket + 1) - begin + lead};
    if (b.end > local::capacity || local::will_be_skewed(b.end - lead, values_there))
      return false;
    const bucket_values<Image> values = at.values(bucket);
    const local step{at.in, at.in, at.out, at.start, at.deferred, at.window, at.image, n, at.bits, false};
    typename local::keys_vector keys[local::vectors];
    step.load(b, keys);
    const bool sorted = step.sort(s, b, keys, typename local::digits{values.distance, 0});
    simt::block_barrier();
    return sorted;
  }
};

} // namespace sortile::kernels::inline SORTILE_BACKEND
