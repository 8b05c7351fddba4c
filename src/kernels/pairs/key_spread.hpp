// From a key to its place among all keys: a number y of 32 bits that never falls as the key grows. The sort of pairs
// divides by the highest bits of y, and its local step takes the next ones for its bins.
//
// That is enough for the result to be right: keys of different y are in order, and keys of one y are compared by their
// images. Beyond that, y decides how evenly buckets are filled. So a sample tells where the keys lie
// (spread_sample.hpp), and y has one of three forms:
//
//   interval   integers     v = image, held to [low, high], less low      0 … span
//                           x = v / 2^right                               its highest 32 bits, if it has more
//                           y = ⌊x · scale / 2^32⌋                        scale ≈ 2^64 / (largest x + 1)
//   value      floats       y = ⌊(key · grow − low) · scale⌋, held to [0, 2^32), complemented where they descend
//   bits       floats       y = the image's highest 32 bits
//
// With low = 0 and high = all ones an interval is the image's highest 32 bits, exactly.
//
// Why by value. Floats that are spread evenly over an interval are not spread evenly by their bits: half of those in
// [0, 1) have one exponent. Subtraction, multiplication by a positive constant and truncation, each rounded as IEEE 754
// says, never fall where their operand rises, so y does not either. The difference is one fused multiply-add: with one
// rounding it is monotone too. `grow`, a power of two, keeps intervals in range that are wider than the largest float,
// or narrower than the smallest normal one: it is 1/4, 2^64 (2^512 for f64) or 1. Kernels are compiled without
// contraction into anything else here, and without flushing of subnormals, so that y is the same in all launches.
//
//   NaN      not below 2^32: the largest y, that of +∞ and all keys above the interval
//   −0       key · grow − low has +0's value, or is −0 where +0 gives +0, and both are y = 0
//   ±∞       ±∞, held to the limits
//
// Cost: integers a subtraction, two comparisons, a shift and two multiplications; floats by value a multiply-add, a
// multiplication, two comparisons and a conversion.
#pragma once

#include "kernels/pairs/pair_types.hpp"

#include <bit>
#include <cmath>
#include <limits>

namespace sortile::kernels::inline SORTILE_BACKEND {

/// Of integers, as it lies in device memory.
template <class Word>
struct interval_spread {
  static constexpr unsigned width = 8 * sizeof(Word);
  using distance = std::conditional_t<(sizeof(Word) > 8), Word, std::uint64_t>;

  Word low, high; ///< images
  std::uint32_t scale_low, scale_high, right, unused;

  static SORTILE_HOST_DEVICE interval_spread whole() { return {0, Word(~Word{0}), 0, 1, width - 32, 0}; }
  /// Of the images low < high.
  static SORTILE_HOST_DEVICE interval_spread of(Word low, Word high) {
    interval_spread s{low, high, 0, 0, 0, 0};
    const auto span = distance(high - low);
    s.right = span >> 32 == 0 ? 0 : bits_of(span) - 32;
    const std::uint64_t most = std::uint64_t(span >> s.right) + 1; // 2 … 2^32
    const bool power_of_two = (most & (most - 1)) == 0;
    const std::uint64_t scale = power_of_two ? std::uint64_t{1} << (65 - bits_of(most)) : ~std::uint64_t{0} / most;
    s.scale_low = std::uint32_t(scale);
    s.scale_high = std::uint32_t(scale >> 32);
    return s;
  }

  /// Of the images from low to high; whole() where these are not two.
  static SORTILE_HOST_DEVICE interval_spread between(const integer_image<Word>&, Word low, Word high) {
    return low < high ? of(low, high) : whole();
  }

  SORTILE_HOST_DEVICE std::uint32_t y(const integer_image<Word>& image, Word key) const {
    return y_of_image(image, image.image(key));
  }
  SORTILE_HOST_DEVICE std::uint32_t y_of_image(const integer_image<Word>&, Word v) const {
    v = v < low ? low : v;
    v = (v > high ? high : v) - low;
    const auto x = std::uint32_t(v >> right);
    return x * scale_high + std::uint32_t(std::uint64_t{x} * scale_low >> 32);
  }

  /// Whether the interval has fewer values.
  SORTILE_HOST_DEVICE bool has_fewer(std::uint64_t values) const { return distance(high - low) < values; }

 private:
  /// As std::bit_width says it; that makes nvcc 13.0 use a builtin of the host compiler's, which on the device is 0.
  static SORTILE_HOST_DEVICE unsigned bits_of(distance v) {
    unsigned bits = 0;
    for (unsigned step = 4 * sizeof(distance); step != 0; step /= 2)
      if (v >> step != 0) {
        bits += step;
        v >>= step;
      }
    return bits + (v != 0 ? 1 : 0);
  }
};

/// Of floats.
template <class Word>
struct value_spread {
  using real = std::conditional_t<sizeof(Word) == 4, float, double>;
  static constexpr unsigned width = 8 * sizeof(Word);

  real low, grow, scale; ///< low has been multiplied by grow
  std::uint32_t by_value, pieces;

  static SORTILE_HOST_DEVICE value_spread whole() { return {0, 1, 1, 0, ~0u}; }
  SORTILE_HOST_DEVICE std::uint32_t y(const any_image<Word>& image, Word key) const {
    if (by_value == 0)
      return std::uint32_t(image.image(key) >> (width - 32));
    const real at = std::fma(std::bit_cast<real>(key), grow, -low) * scale;
    const std::uint32_t up = at < real(0x1p32) ? (at > 0 ? std::uint32_t(at) : 0u) : ~0u;
    return up ^ std::uint32_t(image.complement);
  }

  /// By value, of the finite numbers a < b and `beyond` times their distance on both sides. `pieces`: how many floats
  /// of the interval's largest exponent would fill it, fewer than it holds.
  static SORTILE_HOST_DEVICE value_spread of(real a, real b, real beyond = real(1) / 256) {
    using limits = std::numeric_limits<real>;
    constexpr real half_step = limits::epsilon() / 2, smallest = limits::denorm_min();
    constexpr real large = limits::max() / 4, tiny_grow = sizeof(Word) == 4 ? real(0x1p64) : real(0x1p512);
    const real most = -a > b ? -a : b; // the largest magnitude
    value_spread s = whole();
    s.grow = most > large ? real(0.25) : most < 1 / tiny_grow ? tiny_grow : real(1);
    const real from = a * s.grow, to = b * s.grow, wanted = (to - from) * beyond;
    const real margin = wanted < limits::max() / 8 ? wanted : limits::max() / 8;
    // An end at zero is rather the distribution's own than the sample's.
    s.low = from >= 0 && from < margin ? real(0) : from - margin;
    const real above = to <= 0 && -to < margin ? real(0) : to + margin, span = above - s.low;
    s.scale = real(0x1p32) / span;
    s.by_value = 1;
    const real step = most * s.grow * half_step, least = smallest * s.grow;
    const real pieces = span / (step > least ? step : least);
    s.pieces = pieces < real(0x1p32) ? std::uint32_t(pieces) : ~0u;
    return s;
  }

  /// The same of the key of an image, or of what would stand there: beyond the infinities as they.
  SORTILE_HOST_DEVICE std::uint32_t y_of_image(const any_image<Word>& image, Word v) const {
    if (by_value == 0)
      return std::uint32_t(v >> (width - 32));
    if (!image.is_finite(v))
      return v >> (width - 1) != 0 ? ~0u : 0u;
    return y(image, image.key_of(v));
  }

  /// By value, of the finite numbers of the images from low to high; whole() where these are not two.
  static SORTILE_HOST_DEVICE value_spread between(const any_image<Word>& image, Word low, Word high,
                                                  real beyond = real(1) / 256) {
    if (low >= high || !image.is_finite(low) || !image.is_finite(high))
      return whole();
    const auto one = std::bit_cast<real>(image.key_of(low)), other = std::bit_cast<real>(image.key_of(high));
    return one < other ? of(one, other, beyond) : of(other, one, beyond);
  }

  /// Whether the interval has fewer values, as far as its largest exponent tells. Not known of bits.
  SORTILE_HOST_DEVICE bool has_fewer(std::uint64_t values) const { return pieces != ~0u && pieces < values; }
};

template <class Word, class Image>
using key_spread =
    std::conditional_t<std::is_same_v<Image, integer_image<Word>>, interval_spread<Word>, value_spread<Word>>;

/// Digits of y.
template <class Word, class Image>
struct digits_of {
  Image image;
  key_spread<Word, Image> keys;
  unsigned shift;
  std::uint32_t mask;
  SORTILE_DEVICE std::uint32_t operator()(Word key) const { return keys.y(image, key) >> shift & mask; }
};

} // namespace sortile::kernels::inline SORTILE_BACKEND
