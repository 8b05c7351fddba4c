// The steps of the vector selections one by one, for long arrays (long_select.hpp).
//
// Numbers are keys as vectors compare them: images of integers, and turned floats (vector_select.ipp), which have NaNs
// of both signs at one end and −0 next to 0. So keys are read once, whether there are any or not.
#pragma once

#include "cpu/vector_select.hpp"
#include "cpu/vector_sort.hpp"

namespace sortile::cpu {

template <class K>
struct rank_parts {
  K least, greatest;          ///< no number is below the one, or above the other
  plain_image<K> as_they_are; ///< the image of numbers that take the place of keys

  /// Whether a stable sort has each of n keys where it is. n ≥ 64.
  bool (*is_in_order)(const K* keys, std::size_t n, const plain_image<K>& image);
  /// Of floats: whether there is a −0 or a NaN.
  bool (*any_special)(const K* keys, std::size_t n, const plain_image<K>& image);

  /// Keys to numbers, and back; both may lie at one place.
  void (*numbers)(const K* keys, std::size_t n, const plain_image<K>& image, K* numbers);
  void (*keys)(const K* numbers, std::size_t n, const plain_image<K>& image, K* keys);
  void (*sort)(K* numbers, std::size_t n);

  /// Copies the numbers between `low` and `high`, both excluded, to `inside`, which has room for n and `ranks_room`:
  /// how many. Adds how many are not above `low` to counts.before and, where `bounds` are asked for, how many equal
  /// each.
  std::size_t (*between)(const K* keys, std::size_t n, const plain_image<K>& image, K low, K high, bool bounds,
                         K* inside, interval_counts& counts);

  /// Images of keys that have no −0 and no NaN, to compare with the pivots of the two below.
  void (*images)(const K* keys, std::size_t n, const plain_image<K>& image, K* images);
  /// Splits two stretches of such keys at once, so that those below the pivot gather in the first, and others in the
  /// second; of each how many are below, which stand at its front.
  void (*split_two)(K* left, std::size_t left_n, K* right, std::size_t right_n, const plain_image<K>& image, K pivot,
                    std::size_t& left_lows, std::size_t& right_lows);
  /// Brings those of ranks `first` to `last` to their places, others to the side where they belong. Their images lie
  /// from `lowest` to `highest`.
  void (*select)(K* keys, std::size_t n, std::size_t first, std::size_t last, const plain_image<K>& image, K lowest,
                 K highest);
};

#if defined(SORTILE_CPU_X86)
extern const rank_parts<std::uint32_t> rank_parts_avx512_32, rank_parts_avx2_32;
extern const rank_parts<std::uint64_t> rank_parts_avx512_64, rank_parts_avx2_64;
#endif

/// Those of the instruction set that best_vector_kernels() gives; null where it has none.
template <class K>
const rank_parts<K>* best_rank_parts();

template <>
const rank_parts<std::uint32_t>* best_rank_parts();
template <>
const rank_parts<std::uint64_t>* best_rank_parts();

} // namespace sortile::cpu
