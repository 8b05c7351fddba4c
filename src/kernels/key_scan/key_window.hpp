// The key interval (`key_window`), which a sort divides into buckets: it holds all images, or nearly all, and spreads
// them evenly over 31 bits.
//
// Buckets by the highest bits of the key are even only where keys use all of their type. Numbers below a billion, time
// stamps, small numbers of both signs do not. So a sample tells from which interval [low, high] the images come, and a
// key's place in that interval decides its bucket:
//
//   v      image − low                         0 … span
//   x      v, shifted up as far as span goes   32 bits, the highest ones
//   y      x · scale / 2^32                    0 … 2^31 − 1, evenly, with scale ≈ 2^63 / (span + 1 shifted likewise)
//
// y grows with the key, so any number of its highest bits are a bucket number. Where the interval is all of the type, y
// is the image's highest 31 bits. A sample cannot exclude that some images lie outside of the interval. They count as
// its nearest end: the first and the last bucket may then hold keys from far away, and the code that sorts those
// buckets has to ask.
//
// Cost: a multiplication with an addition (64 bits and more: an exclusive-or and an addition), a comparison, a shift
// and a multiplication per key. The scan, which is bound by instructions, has a loop for the whole type alone
// (whole_keys).
#pragma once

#include "kernels/integer_image.hpp"
#include "kernels/key_scan/key_findings.hpp"
#include "kernels/key_scan/key_order.hpp"
#include "simt/simt.hpp"

namespace sortile::kernels::inline SORTILE_BACKEND {

/// As it lies in device memory, written by the first launch of a sort.
template <class Word>
struct key_window {
  Word low, span; ///< images low … low + span
  std::uint32_t shift, scale;
  std::uint32_t by_distribution; ///< 1: a map spreads the keys, not `spread` (key_map.hpp)

  static constexpr unsigned width = 8 * sizeof(Word), spread_bits = 31;

  /// span, or all ones where that has more than 64 bits.
  SORTILE_HOST_DEVICE std::uint64_t narrow_span() const {
    if constexpr (width > 64)
      return span >> 64 == 0 ? std::uint64_t(span) : ~std::uint64_t{0};
    else
      return span;
  }

  /// The interval of the images low … high.
  static SORTILE_HOST_DEVICE key_window of(Word low, Word high) {
    key_window w{low, Word(high - low), 0, 0, 0};
    w.shift = unsigned(zeros_above(w.span));
    // One more than the largest x; 2^32 at most.
    const std::uint64_t most = std::uint64_t{upper(Word(w.span << w.shift))} + smallest_step(w.shift);
    w.scale =
        std::uint32_t((std::uint64_t{1} << 63) / most < 0xffffffffu ? (std::uint64_t{1} << 63) / most : 0xffffffffu);
    return w;
  }

  SORTILE_HOST_DEVICE bool is_whole() const { return span == Word(~Word{0}); } // then low is 0
  /// Whether no two different images of the interval can share one of so many buckets.
  SORTILE_HOST_DEVICE bool one_value_a_bucket(std::uint32_t buckets) const { return span < buckets; }
  /// How many buckets there are for each image, from its own on, that no other one has: a power of two, 1 where images
  /// share buckets. Counts of one image may be spread over them.
  SORTILE_HOST_DEVICE std::uint32_t buckets_a_value(std::uint32_t buckets) const {
    std::uint32_t spare = 1;
    if (one_value_a_bucket(buckets))
      while (2 * spare <= buckets / (std::uint32_t(span) + 1))
        spare *= 2;
    return spare;
  }
  /// Whether passes are quicker because keys are dense, more than one to six values: the local step is quick where
  /// nearly every key has a bin to itself. Of 32 bits it counts values, and passes are quicker if they are two, or if
  /// values have more than 64 keys each.
  SORTILE_HOST_DEVICE bool dense(std::uint32_t n) const {
    return narrow_span() / 6 < n && (width > 32 || Word(low ^ Word(low + span)) >> 16 == 0 || narrow_span() < n / 64);
  }

  /// y of an image's distance v from low, v ≤ span.
  SORTILE_HOST_DEVICE std::uint32_t spread(Word v) const {
    return std::uint32_t(std::uint64_t{upper(Word(v << shift))} * scale >> 32);
  }
  /// The smallest v whose y has at least `bucket` as its highest `bits` bits; may exceed span, and means nothing from
  /// bucket 2^bits on.
  SORTILE_HOST_DEVICE Word first_of(std::uint32_t bucket, unsigned bits) const {
    const std::uint64_t y = std::uint64_t{bucket} << (spread_bits - bits);
    constexpr std::uint32_t of_powers = std::uint32_t{1} << 31; // as where span is one less than a power of two
    const std::uint64_t x = scale == of_powers ? y << 1 : ((y << 32) + scale - 1) / scale;
    const Word shifted = Word(Word(x) << (width - 32)), v = Word(shifted >> shift);
    return Word(v + (Word(v << shift) != shifted ? 1 : 0));
  }
  /// The largest v ≤ span whose bucket is not above this one.
  SORTILE_HOST_DEVICE Word last_of(std::uint32_t bucket, unsigned bits) const {
    if (bucket + 1 == std::uint32_t{1} << bits)
      return span;
    const Word behind = first_of(bucket + 1, bits);
    return behind > span ? span : Word(behind - 1);
  }

 private:
  static SORTILE_HOST_DEVICE unsigned zeros_above(Word v) {
    unsigned zeros = 0;
    for (unsigned step = width / 2; step != 0; step /= 2)
      if (Word(v >> (width - step)) == 0) {
        zeros += step;
        v = Word(v << step);
      }
    return v >> (width - 1) != 0 ? zeros : width - 1;
  }
  static SORTILE_HOST_DEVICE std::uint32_t upper(Word v) { return std::uint32_t(v >> (width - 32)); }
  /// What x grows by from one v to the next, at least.
  static SORTILE_HOST_DEVICE std::uint64_t smallest_step(unsigned shift) {
    constexpr unsigned dropped = width - 32; // bits of v that x has no room for
    return shift + 1 > dropped ? std::uint64_t{1} << (shift - dropped) : 1;
  }
};

/// From a key to how far its image lies from some image, and back: v = turned(key unfolded) + add, where turning is an
/// exclusive-or with all ones, or with none; of 32 bits a multiplication with −1 or 1, one instruction with the
/// addition.
template <class Image>
struct key_distance {
  using Word = typename Image::word;
  Word turn, add;

  SORTILE_DEVICE Word of(Word key) const { return Word(turned(Image::unfolded(key), turn) + add); }
  SORTILE_DEVICE Word key(Word v) const { return Image::folded(turned(Word(v - add), turn)); }

  /// From the image `low`. A flipped sign bit is an addition, and complementing commutes with it up to a constant.
  static SORTILE_DEVICE key_distance from(Word low, const Image& image) {
    const bool turns = (Word(image.flip >> (8 * sizeof(Word) - 2)) & 1) != 0;
    const Word complement = turns ? Word(~Word{0}) : Word{0}, add = Word((image.flip ^ complement) - low);
    if constexpr (multiplies)
      return {turns ? Word(~Word{0}) : Word{1}, turns ? Word(add - 1) : add}; // ~x is −x − 1
    else
      return {complement, add};
  }

 private:
  static constexpr bool multiplies = sizeof(Word) == 4;
  static SORTILE_DEVICE Word turned(Word x, Word turn) {
    if constexpr (multiplies)
      return x * turn;
    else
      return x ^ turn;
  }
};

/// The interval as kernels use it: straight from key to bucket.
template <class Word, class Image = integer_image<Word>>
struct windowed_keys {
  key_distance<Image> distance;
  Word span, below; // v of images below low: `below` and up, if there are any
  std::uint32_t shift, scale;

  SORTILE_DEVICE windowed_keys(const key_window<Word>& w, const Image& image)
      : distance(key_distance<Image>::from(w.low, image)), span(w.span), below(Word(0) - w.low), shift(w.shift),
        scale(w.scale) {}

  SORTILE_DEVICE bool outside(Word key) const { return distance.of(key) > span; }
  /// Bits `right` … of y, as many as the mask has.
  SORTILE_DEVICE std::uint32_t digit(Word key, unsigned right, std::uint32_t mask) const {
    Word v = distance.of(key);
    if (v > span)
      v = below != 0 && v >= below ? Word{0} : span;
    const auto x = std::uint32_t(Word(v << shift) >> (8 * sizeof(Word) - 32));
    return std::uint32_t(std::uint64_t{x} * scale >> 32) >> right & mask;
  }
};

/// The same where the interval is all of the type: a bucket's number is the image's highest bits, and nothing is
/// outside.
template <class Word, class Image = integer_image<Word>>
struct whole_keys {
  Image image;

  static SORTILE_DEVICE bool outside(Word) { return false; }
  SORTILE_DEVICE std::uint32_t digit(Word key, unsigned right, std::uint32_t mask) const {
    return image.digit(key, 8 * unsigned(sizeof(Word)) - key_window<Word>::spread_bits + right, mask);
  }
};

/// What is to be done with the keys, by what the scan has found.
enum class key_course {
  copy,    ///< they are in order already
  reverse, ///< they are in order backwards, equal ones beside each other or not
  fill,    ///< no bucket has room for two different keys, so the counts say it all
  leave,   ///< the fallback takes them
  buckets, ///< partitions and local sorts
};

/// The bits in which keys differ.
template <class Word>
SORTILE_DEVICE Word differing_bits(const simt::global<const std::uint64_t>& findings) {
  const std::uint64_t low = findings.load(finding_ones) & findings.load(finding_zeros);
  if constexpr (sizeof(Word) <= 8)
    return Word(low);
  else
    return Word(findings.load(finding_ones + 1) & findings.load(finding_zeros + 1)) << 64 | low;
}

/// Whether a sample has given the keys to the fallback, so that nothing is counted. The same in all threads of any
/// launch after the first (window_kernel.hpp).
SORTILE_DEVICE bool given_away_by_sample(const simt::global<const std::uint64_t>& findings) {
  return (findings.load(finding_skewed) & skewed_by_sample) != 0;
}

/// Whether neighbours often share a bucket: in more than an eighth of the scan's rows, or where keys are hot.
SORTILE_DEVICE bool rows_are_alike(const simt::global<const std::uint64_t>& findings, std::uint32_t rows) {
  return findings.load(finding_alike) > rows / 8;
}

template <class Word>
SORTILE_DEVICE key_course course_of(const simt::global<const std::uint64_t>& findings, const key_window<Word>& window,
                                    std::uint32_t bins) {
  const std::uint64_t skewed = findings.load(finding_skewed), order = findings.load(finding_order);
  if (skewed != 0) // found where the course was `buckets`, or by a sample, which leaves the rest unknown
    return key_course::leave;
  if (is_in_order(order))
    return key_course::copy;
  if (window.one_value_a_bucket(bins) && findings.load(finding_outside) == 0)
    return key_course::fill; // writes alone, so even backwards
  return is_backwards(order) ? key_course::reverse : key_course::buckets;
}

} // namespace sortile::kernels::inline SORTILE_BACKEND
