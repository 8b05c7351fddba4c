// The inner loops of selections, as a table of functions per key width: which keys of a block lie below a pivot, are
// equal to one, or lie between splitters; where the next keys are that lie up to a bound; and the histogram of a digit. Filled once per instruction set, as the sorts'
// kernels are (kernels.hpp).
#pragma once

#include "cpu/key_image.hpp"

#include <cstddef>
#include <cstdint>

namespace sortile::cpu {

/// Keys that one call of a loop reads, at most.
inline constexpr std::size_t select_block = 512;
/// Keys that are passed over together where none of them lies up to a bound.
template <class K>
inline constexpr std::size_t upto_chunk = sizeof(K) == 16 ? 32 : sizeof(K) <= 2 ? 256 : 256 / sizeof(K);
inline constexpr std::size_t widest_upto_chunk = 256;
/// Keys of a row of a sample: a cache line.
template <class K>
inline constexpr std::size_t sample_row = 64 / sizeof(K);
/// Splitters that one call compares with, at most.
inline constexpr std::size_t most_splitters = 48;
inline constexpr unsigned select_digit_bits = 11;

/// How many keys are greater than each splitter, and how many are not smaller.
struct splitter_counts {
  std::size_t greater[most_splitters] = {};
  std::size_t not_smaller[most_splitters] = {};
};

/// The digit of ordering images that begin with a prefix.
template <class K>
struct prefixed_digit {
  K prefix_mask = 0;
  K prefix = 0;
  unsigned shift = 0;
  K mask = 0; ///< of the digit, after the shift
};

/// All but one take a block of n ≤ select_block keys, and compare ordering images (key_image::ordering).
template <class K>
struct select_loops {
  /// Writes the offsets of the keys below the pivot, in order; returns how many. Adds to `equal` how many equal it.
  std::size_t (*below)(const K* keys, std::size_t n, const key_image<K>& image, K pivot, std::size_t& equal,
                       std::uint16_t* offsets);

  /// Writes the offsets of the keys that equal the pivot, in order; returns how many.
  std::size_t (*equal)(const K* keys, std::size_t n, const key_image<K>& image, K pivot, std::uint16_t* offsets);

  /// Splitters in rising order, two for each of several open intervals. Writes the offsets of the keys inside of one;
  /// returns how many.
  std::size_t (*between)(const K* keys, std::size_t n, const key_image<K>& image, const K* splitters,
                         std::size_t splitter_count, splitter_counts& counts, std::uint16_t* offsets);

  /// Of the keys from `from` to `end`: passes over whole chunks without a key whose image is at most `bound`, and writes
  /// the offsets of such keys in the first chunk that has some, in order; how many. `from` becomes where that chunk
  /// begins, `end` where there is none. Of floats, keys may be among them whose image is above it; none is left out.
  std::size_t (*next_upto)(const K* keys, std::size_t& from, std::size_t end, const key_image<K>& image, K bound,
                           std::uint16_t* offsets);

  /// Of `rows` rows of keys, `step` keys from each to the next one, an image for each column: no key of the column is
  /// below it, and one is not above it; or none of them has that image, and it is the greatest there is.
  void (*least_of_columns)(const K* keys, std::size_t rows, std::size_t step, const key_image<K>& image, K* least);

  /// counts[digit] += how many of the keys that begin with the prefix have it.
  void (*histogram)(const K* keys, std::size_t n, const key_image<K>& image, const prefixed_digit<K>& d,
                    std::uint32_t* counts);
};

/// The fastest loops for this machine.
template <class K>
const select_loops<K>& best_select_loops();

} // namespace sortile::cpu
