// The values that a bucket of 32-bit keys can hold: few enough for a counter each.
//
// A window of 2^32 values at most, cut into 2^16 buckets (key_window.hpp), leaves a bucket 2^16 values at most:
//
//   x      v shifted up as far as the window's span goes, so neighbouring v are 2^shift apart
//   bucket ⌊x · scale / 2^47⌋              the highest 16 of y's 31 bits
//   scale  ⌊2^63 / most⌋, most ≤ 2^32       hence 2^31 ≤ scale
//
// so a bucket is as wide in x as 2^47 / scale ≤ 2^16, and holds no more v than x. With fewer buckets, or wider keys,
// nothing of the kind holds, and the sort counts no buckets there.
//
// Ranks are values less the bucket's first one, in the order of the sort: 0 … 65535.
#pragma once

#include "kernels/key_scan/key_window.hpp"

namespace sortile::kernels::inline SORTILE_BACKEND {

struct bucket_ranks {
  static constexpr std::uint32_t most = 1u << 16;
  static constexpr std::uint32_t chunk = 128; ///< ranks that a warp takes at once, four a lane
  static constexpr std::uint32_t most_chunks = most / chunk;
  static constexpr int each = int(chunk / simt::warp_size);

  static SORTILE_DEVICE std::uint32_t chunks_of(std::uint32_t values) { return (values + chunk - 1) / chunk; }
};

/// Those of one bucket.
template <class Image>
struct bucket_values {
  using Word = typename Image::word;
  static_assert(sizeof(Word) == 4);

  key_distance<Image> distance; ///< from the bucket's first value
  std::uint32_t count;          ///< of values

  static SORTILE_DEVICE bucket_values of(const key_window<Word>& w, const Image& image, std::uint32_t bucket,
                                         unsigned bits) {
    const Word first = w.first_of(bucket, bits);
    return {key_distance<Image>::from(Word(w.low + first), image), w.last_of(bucket, bits) - first + 1};
  }
  SORTILE_DEVICE std::uint16_t rank(Word key) const { return std::uint16_t(distance.of(key)); }
  SORTILE_DEVICE Word key(std::uint32_t rank) const { return distance.key(rank); }
  SORTILE_DEVICE std::uint32_t chunks() const { return bucket_ranks::chunks_of(count); }
};

} // namespace sortile::kernels::inline SORTILE_BACKEND
