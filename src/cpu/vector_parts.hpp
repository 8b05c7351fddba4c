// The steps of the vector sorts one by one, for sorts by several threads (vector_quicksort.cpp).
#pragma once

#include "cpu/vector_sort.hpp"

namespace sortile::cpu {

template <class K>
struct vector_parts {
  K least; ///< no image is below it, as vectors compare them

  /// Keys to images, which may lie where they are: all n, or those before the vector with the first −0 or NaN; how
  /// many.
  std::size_t (*to_images)(const K* keys, std::size_t n, const plain_image<K>& image, K* images);
  /// And back.
  void (*from_images)(K* images, std::size_t n, const plain_image<K>& image);
  /// Whether the two are the same.
  bool (*images_are_keys)(const plain_image<K>& image);

  /// Of floats, the zeros and NaNs to `aside`, images of the others to `rest`, which may be where the keys are; how
  /// many others. Both keep their order and have room for n.
  std::size_t (*set_aside)(const K* keys, std::size_t n, const plain_image<K>& image, K* rest, K* aside);

  /// About the middle one of n ≥ 4096 images, by a sample that `seed` chooses.
  K (*pivot)(const K* images, std::size_t n, std::uint64_t seed);
  /// Brings the images that are below the pivot, or not above it, to the front; how many.
  std::size_t (*split)(K* images, std::size_t n, K pivot, bool or_equal);
  /// Splits around three pivots, which it chooses: where the second, third and fourth part begin. Keys of a part whose
  /// pivot is the next number after that of the part before it are equal. False, and nothing has moved, where splits
  /// around one pivot are to be made.
  bool (*split_in_four)(K* images, std::size_t n, K lowest, std::uint64_t seed, K (&pivots)[3],
                        std::size_t (&begins)[3]);
  /// As `split` for two stretches at once, so that low ones gather in the first and high ones in the second; of each
  /// how many are low, which stand at its front.
  void (*split_two)(K* left, std::size_t left_n, K* right, std::size_t right_n, K pivot, bool or_equal,
                    std::size_t& left_lows, std::size_t& right_lows);
  /// Takes the m images in `heavy` out of n, and counts them; how many others there are, now in `rest`, which may be
  /// `images`, and has room for n.
  std::size_t (*take_out)(const K* images, std::size_t n, const K* heavy, std::size_t m, std::uint64_t* counts,
                          K* rest);
  /// Whether n keys are all this one.
  bool (*are_all)(const K* keys, std::size_t n, K key);
  /// Writes a key n times.
  void (*fill)(K* to, std::size_t n, K key);
  /// Sorts images, and leaves keys.
  void (*sort)(K* images, std::size_t n, const plain_image<K>& image);
};

#if defined(SORTILE_CPU_X86)
extern const vector_parts<std::uint32_t> vector_parts_avx512_32, vector_parts_avx2_32;
extern const vector_parts<std::uint64_t> vector_parts_avx512_64, vector_parts_avx2_64;
#endif

/// Those of the sort that best_vector_kernels() gives; null where it has none.
template <class K>
const vector_parts<K>* best_vector_parts();

template <>
const vector_parts<std::uint32_t>* best_vector_parts();
template <>
const vector_parts<std::uint64_t>* best_vector_parts();

} // namespace sortile::cpu
