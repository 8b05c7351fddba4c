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

#include "kernels/look/key_window.hpp"

namespace sortile::kernels::inline SORTILE_BACKEND {

/// Whether so many bits leave a bucket no more than 2^16 values, whatever the keys are.
template <class Word>
constexpr bool buckets_are_counted(unsigned bits) {
  return sizeof(Word) == 4 && bits == 16;
}

struct bucket_values {
  using Word = std::uint32_t;
  static constexpr std::uint32_t most = 1u << 16;
  static constexpr std::uint32_t chunk = 128; ///< ranks that a warp takes at once, four a lane
  static constexpr std::uint32_t most_chunks = most / chunk;
  static constexpr int each = int(chunk / simt::warp_size);

  Word complement, add; // rank = (key ^ complement) + add
  std::uint32_t count;  // values

  static SORTILE_DEVICE bucket_values of(const key_window<Word>& w, integer_image<Word> image, std::uint32_t bucket,
                                         unsigned bits) {
    const windowed_keys<Word> all(w, image);
    const Word first = w.first_of(bucket, bits);
    return {all.complement, Word(all.add - first), w.last_of(bucket, bits) - first + 1};
  }
  SORTILE_DEVICE std::uint16_t rank(Word key) const { return std::uint16_t((key ^ complement) + add); }
  SORTILE_DEVICE Word key(std::uint32_t rank) const { return (rank - add) ^ complement; }
  SORTILE_DEVICE std::uint32_t chunks() const { return (count + chunk - 1) / chunk; }
};

} // namespace sortile::kernels::inline SORTILE_BACKEND
