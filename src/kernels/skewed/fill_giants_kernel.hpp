// Writes the giant buckets that several blocks have counted (count_skewed_kernel.hpp): each block its share of all
// their keys, the same that it has counted.
//
// Counts, and where the keys of every chunk begin, lie in the bucket's own place in spare (giant_buckets.hpp); the
// keys go to `out`. And copies home what several blocks have put in order beside it (sort_tails_kernel.hpp). Shared
// storage: 35 KB. Traffic: sizeof(key) per key, and a bucket's counts in each share that has some of it.
#pragma once

#include "kernels/skewed/count_skewed_kernel.hpp"
#include "kernels/skewed/sort_tails_kernel.hpp"
#include "kernels/verdict.hpp"

namespace sortile::kernels::inline SORTILE_BACKEND {

template <class Image = integer_image<std::uint32_t>>
struct fill_giants_kernel {
  using Word = typename Image::word;
  static constexpr bool starts_early = true;
  static constexpr unsigned block_threads = count_skewed_kernel<Image>::block_threads, min_blocks = 1;
  using filler = bucket_fill<block_threads, Image>;
  using tails = sort_tails_kernel<Image>;
  static_assert(tails::block_threads == block_threads);
  struct shared {
    typename filler::shared filling;
  };

  skewed_arrays<Image> at;
  handover behind{};

  SORTILE_DEVICE void operator()(shared& s) const {
    if (behind.is_due())
      return behind.zero();
    if (course_of<Word>(at.deferred.findings, at.window.load(0), at.bins()) != key_course::buckets)
      return;
    filler::clear(s.filling);
    at.for_parts([&](const giant_part& part) {
      if (part.is_shared(bucket_counts::most_keys))
        write(s, part);
    });
    tails{at}.bring_home();
  }

 private:
  SORTILE_DEVICE void write(shared& s, const giant_part& part) const {
    const std::uint32_t begin = at.start.load(part.bucket), first = giant_list::starts(begin);
    const bucket_values<Image> values = at.values(part.bucket);
    for (std::uint32_t c = simt::thread_index(); c <= values.chunks(); c += block_threads)
      s.filling.start[c] = at.spare.load(first + c);
    filler{at.out, values}.write(s.filling, stored_counts{at.spare, giant_list::counters(begin)}, begin, part.low,
                                 part.high);
  }
};

} // namespace sortile::kernels::inline SORTILE_BACKEND
