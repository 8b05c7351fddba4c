// What the quicksorts of the gallery share: pivots, and the block that sorts a small part.
//
//   pivot 0   the part's first key
//   pivot 1   a random key: a hash of the part's place and length
//   pivot 2   the median of the first, the middle and the last key
//   pivot 3   by histogram: up to 4096 keys, evenly spaced, are counted in 256 bins between their least and their
//             greatest; the pivot is the upper end of the bin that holds the median
//
// A pivot is an image, and need not be that of a key. But there is always progress: either some image is equal to it
// (and leaves the recursion), or some are less and some greater. For the histogram: its pivot lies between least and
// greatest; if it is the greatest, a key is equal to it; if not, the greatest is above, and the least is not.
#pragma once

#include "classics/compare_exchange.hpp"

namespace sortile::classics::inline SORTILE_BACKEND {

enum class pivot_rule : unsigned { first, random, median_of_three, histogram };

/// Shared memory for a block that chooses a pivot or sorts a small part, one after the other.
template <class Word, bool Pairs>
struct quicksort_storage {
  static constexpr unsigned largest = 1024, bins = 256;
  simt::shared_array<record<Word, Pairs>, largest> tile;
  simt::shared_array<std::uint32_t, bins> counts;
  simt::shared_value<Word> least, greatest, pivot;
};

/// Sorts the first records of s.tile by the bitonic network. By a whole block of any size; begins and ends with a
/// barrier.
template <class Shared, class Word>
SORTILE_DEVICE void sort_in_tile(Shared& s, unsigned count, const key_codec<Word>& codec) {
  const unsigned t = simt::thread_index(), threads = simt::block_size();
  for (unsigned run = 1; run < count; run *= 2)
    for (unsigned distance = run; distance > 0; distance /= 2) {
      simt::block_barrier();
      for (unsigned x = t; straight(x, distance).low < count; x += threads) {
        const comparator c = distance == run ? mirrored(x, distance) : straight(x, distance);
        if (c.high < count)
          exchange_if_greater(s.tile, c.low, c.high, codec);
      }
    }
  simt::block_barrier();
}

/// Sorts up to 1024 records by the bitonic network, from one array into another (or the same). By a whole block of
/// any size; a barrier first.
template <class Shared, class Word, bool Pairs>
SORTILE_DEVICE void sort_small_part(Shared& s, const records<Word, Pairs>& in, const records<Word, Pairs>& out,
                                    std::uint64_t first, unsigned count, const key_codec<Word>& codec) {
  const unsigned t = simt::thread_index(), threads = simt::block_size();
  simt::block_barrier();
  for (unsigned i = t; i < count; i += threads)
    s.tile.store(i, in.load(first + i));
  sort_in_tile(s, count, codec);
  for (unsigned i = t; i < count; i += threads)
    out.store(first + i, s.tile.load(i));
}

/// Sorts records [first, first + count) of an array of any length by the bitonic network in global memory. By one whole
/// block, which waits for itself alone.
template <class Word, bool Pairs>
SORTILE_DEVICE void sort_by_one_block(const records<Word, Pairs>& data, std::uint64_t first, std::uint64_t count,
                                      const key_codec<Word>& codec) {
  for (std::uint64_t run = 1; run < count; run *= 2)
    for (std::uint64_t distance = run; distance > 0; distance /= 2) {
      simt::block_barrier();
      for (std::uint64_t x = simt::thread_index(); straight(x, distance).low < count; x += simt::block_size()) {
        const comparator c = distance == run ? mirrored(x, distance) : straight(x, distance);
        if (c.high < count)
          exchange_if_greater(data, first + c.low, first + c.high, codec);
      }
    }
}

template <class Word>
SORTILE_DEVICE Word median(Word a, Word b, Word c) {
  const Word low = a < b ? a : b, high = a < b ? b : a;
  return c < low ? low : c > high ? high : c;
}

template <class Shared, class Word, class Image>
SORTILE_DEVICE void histogram_pivot(Shared& s, std::uint64_t count, const Image& image) {
  const unsigned t = simt::thread_index(), threads = simt::block_size(), bins = Shared::bins;
  const std::uint64_t samples = count < 4096 ? count : 4096;
  if (t == 0) {
    s.least = static_cast<Word>(~Word{0});
    s.greatest = Word{0};
  }
  for (unsigned b = t; b < bins; b += threads)
    s.counts[b] = 0u;
  simt::block_barrier();
  for (std::uint64_t i = t; i < samples; i += threads) {
    const Word sample = image(i * count / samples);
    s.least.fetch_min(0, sample);
    s.greatest.fetch_max(0, sample);
  }
  simt::block_barrier();
  const Word least = s.least.load(0), greatest = s.greatest.load(0);
  unsigned shift = 0;
  while (((greatest - least) >> shift) >= bins)
    ++shift;
  for (std::uint64_t i = t; i < samples; i += threads)
    s.counts.fetch_add(static_cast<unsigned>((image(i * count / samples) - least) >> shift), 1u);
  simt::block_barrier();
  if (t == 0) {
    unsigned bin = 0;
    for (std::uint64_t below = s.counts.load(0); 2 * below < samples; below += s.counts.load(bin))
      ++bin;
    const Word offset = static_cast<Word>((Word{bin + 1} << shift) - 1); // 2^width - 1 at most
    s.pivot = offset < greatest - least ? static_cast<Word>(least + offset) : greatest;
  }
}

/// Writes the pivot of a part to s.pivot; the caller puts a barrier behind it. By a whole block.
template <class Shared, class Word, bool Pairs>
SORTILE_DEVICE void choose_pivot(Shared& s, const records<Word, Pairs>& in, std::uint64_t first, std::uint64_t count,
                                 const key_codec<Word>& codec, pivot_rule rule) {
  const auto image = [&](std::uint64_t i) { return codec.image(in.keys.load(first + i)); };
  if (rule == pivot_rule::histogram) {
    histogram_pivot<Shared, Word>(s, count, image);
  } else if (simt::thread_index() == 0) {
    if (rule == pivot_rule::first)
      s.pivot = image(0);
    else if (rule == pivot_rule::random)
      s.pivot = image(((first * 0x9e3779b97f4a7c15u + count) * 0xbf58476d1ce4e5b9u >> 20) % count);
    else
      s.pivot = median(image(0), image(count / 2), image(count - 1));
  }
}

} // namespace sortile::classics::inline SORTILE_BACKEND
