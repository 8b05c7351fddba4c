// What the kernels of skewed buckets have to know.
#pragma once

#include "kernels/local/local_sort_kernel.hpp"
#include "kernels/skewed/bucket_values.hpp"
#include "kernels/skewed/giant_buckets.hpp"

namespace sortile::kernels::inline SORTILE_BACKEND {

template <class Image = integer_image<std::uint32_t>>
struct skewed_arrays {
  using Word = typename Image::word;
  simt::global<const Word> in; // the buckets; out or spare
  simt::global<Word> out, spare;
  simt::global<const std::uint32_t> start;
  bucket_list deferred;
  giant_list giants;
  simt::global<const key_window<Word>> window;
  Image image;
  unsigned bits, shares; // of a bucket's number; of the keys in giant buckets

  SORTILE_DEVICE std::uint32_t bins() const { return 1u << bits; }
  /// As many values as a bucket may hold, or one more.
  SORTILE_DEVICE std::uint32_t values_a_bucket(const key_window<Word>& w) const { return (w.span >> bits) + 1; }
  /// The window is read anew: registers are short.
  SORTILE_DEVICE bucket_values<Image> values(std::uint32_t bucket) const {
    return bucket_values<Image>::of(window.load(0), image, bucket, bits);
  }
  /// Whether keys from outside of the window may lie in the bucket.
  SORTILE_DEVICE bool is_tail(std::uint32_t bucket) const {
    return has_outliers<Word>(deferred.findings, window.load(0), bucket, bins());
  }
  /// f(giant_part), for this block's share.
  template <class F>
  SORTILE_DEVICE void for_parts(F f) const {
    for_giant_parts(giants, std::uint32_t(deferred.findings.load(finding_giants)), shares, f);
  }
};

} // namespace sortile::kernels::inline SORTILE_BACKEND
