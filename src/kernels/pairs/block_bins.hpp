// The bins of one block's keys, where the block has all there are (local_pairs_kernel.hpp, one_block).
//
// First by the highest bits of their images, for which nothing of the keys has to be known. Keys that are skewed in
// these bins get bins by their distance from the lowest key: integers by a power of two, so that a bin costs a
// subtraction and a shift; floats by value (key_spread.hpp), which keeps evenly spread numbers even. Keys that are
// skewed even then (many equal keys, or many magnitudes) are sorted by digits instead.
#pragma once

#include "kernels/pairs/key_spread.hpp"
#include "primitives/block_scan.hpp"

namespace sortile::kernels::inline SORTILE_BACKEND {

/// The lowest and the highest image of the block's keys; of floats, of finite ones. `each(f)` calls f(key) for the
/// thread's own keys. By all threads.
template <class Word, unsigned Threads>
struct image_interval {
  struct storage {
    primitives::block_scan_storage<Word, Threads> lowest, highest;
  };
  Word low, high;

  template <class Image, class Each>
  static SORTILE_DEVICE image_interval of(storage& s, const Image& image, Each each) {
    Word low = Word(~Word{0}), high = 0;
    each([&](Word key) {
      const Word v = image.image(key);
      if (image.is_finite(v)) {
        low = v < low ? v : low;
        high = v > high ? v : high;
      }
    });
    return {primitives::block_reduce(s.lowest, low, primitives::minimum{}),
            primitives::block_reduce(s.highest, high, primitives::maximum{})};
  }
};

template <class Word, class Image, unsigned BinBits>
struct block_bins;

template <class Word, unsigned BinBits>
struct block_bins<Word, integer_image<Word>, BinBits> {
  static constexpr unsigned width = 8 * sizeof(Word);
  integer_image<Word> image;
  Word first;
  unsigned right;

  SORTILE_DEVICE std::uint32_t operator()(Word key) const {
    return std::uint32_t(Word(image.image(key) - first) >> right);
  }
  static SORTILE_DEVICE block_bins by_bits(const integer_image<Word>& image) { return {image, 0, width - BinBits}; }
  /// By one key of each thread: not where the keys of some warp extend over a quarter of their type. A block barrier;
  /// the same in all threads.
  static SORTILE_DEVICE bool interval_may_help(const integer_image<Word>& image, Word key) {
    const auto v = std::uint32_t(image.image(key) >> (width - 32));
    return !simt::block_any(simt::warp_reduce_max(v) - simt::warp_reduce_min(v) >= 1u << 30);
  }
  /// Of the images low … high.
  static SORTILE_DEVICE block_bins between(const integer_image<Word>& image, Word low, Word high) {
    const unsigned bits = low == high ? 0 : width - simt::leading_zeros(Word(high - low));
    return {image, low, bits > BinBits ? bits - BinBits : 0};
  }
};

template <class Word, unsigned BinBits>
struct block_bins<Word, any_image<Word>, BinBits> {
  digits_of<Word, any_image<Word>> digits;

  SORTILE_DEVICE std::uint32_t operator()(Word key) const { return digits(key); }
  static SORTILE_DEVICE block_bins by_bits(const any_image<Word>& image) {
    return {{image, value_spread<Word>::whole(), 32 - BinBits, (1u << BinBits) - 1}};
  }
  static SORTILE_DEVICE bool interval_may_help(const any_image<Word>&, Word) { return true; }
  static SORTILE_DEVICE block_bins between(const any_image<Word>& image, Word low, Word high) {
    block_bins b = by_bits(image);
    if (low < high)
      b.digits.keys = value_spread<Word>::between(image, low, high);
    return b;
  }
};

} // namespace sortile::kernels::inline SORTILE_BACKEND
