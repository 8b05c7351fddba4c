// Sorts of keys alone by vectors, as a table per key width: the front door calls them for small requests, and the radix
// sort's local step uses them.
//
// Keys of 4 and 8 bytes whose images are plain (no −0, no NaN) and whose whole image decides: equal keys are equal
// bits, so their order cannot be seen, and the sort need not be stable. Where the processor has neither AVX2 nor
// AVX-512 there is no table, and the counting sorts of kernels_local.hpp sort instead.
#pragma once

#include "cpu/instruction_sets.hpp"
#include "cpu/key_image.hpp"

#include <cstddef>
#include <cstdint>

namespace sortile::cpu {

/// The image of a key and back: u ^ (sign of u & negative) ^ flip. See key_image.hpp.
template <class K>
struct plain_image {
  K negative = 0;
  K flip = 0;
  K infinity = 0; ///< of a float type: keys whose magnitude is above it are NaNs; 0 for integers

  plain_image() = default;
  plain_image(const key_image<K>& image) : negative(image.negative), flip(image.flip), infinity(image.codec.infinity) {}
};

/// Keys of the widest vector.
template <class K>
inline constexpr std::size_t ranks_room = 64 / sizeof(K);

template <class K>
struct vector_kernels {
  /// Whether n > ranks_room keys are seen to be in order, or against it: `to` holds the result then.
  bool (*in_order)(const K* from, std::size_t n, const plain_image<K>& image, K* to);

  /// Sorts n keys of which nothing is known into `to`, which may be where they are; keys in order already cost one
  /// read. False where a −0 or a NaN is among them, unless they are seen to be in order beside it: `to` then holds
  /// nothing of use, or what it held where it is `from`.
  bool (*unseen)(const K* from, std::size_t n, const plain_image<K>& image, K* to);

  /// The same for keys without −0 and NaN that are not in order.
  void (*sort)(const K* from, std::size_t n, const plain_image<K>& image, K* to);

  /// Puts the key of a rank below n in its place, bit for bit that of a stable sort, with no later key before it and no
  /// earlier one behind it. Of any keys, in place (vector_select.ipp).
  void (*select)(K* keys, std::size_t n, std::size_t nth, const plain_image<K>& image);

  /// The keys of ranks `first` to `last`, in order, to `found`, bit for bit those of a stable sort. `space` has room
  /// for n and `ranks_room` keys.
  void (*ranks)(const K* keys, std::size_t n, std::size_t first, std::size_t last, const plain_image<K>& image,
                K* space, K* found);
};

#if defined(SORTILE_CPU_X86)
extern const vector_kernels<std::uint32_t> vector_kernels_avx512_32, vector_kernels_avx2_32;
extern const vector_kernels<std::uint64_t> vector_kernels_avx512_64, vector_kernels_avx2_64;
#endif

/// The fastest kernels that this machine and the tuning allow; null where it has none.
template <class K>
const vector_kernels<K>* best_vector_kernels();

template <>
const vector_kernels<std::uint32_t>* best_vector_kernels();
template <>
const vector_kernels<std::uint64_t>* best_vector_kernels();

/// Whether keys alone with this image are sorted by vectors here: then equal keys are equal bits.
template <class K>
bool sorts_by_vectors(const key_image<K>& image) {
  if constexpr (sizeof(K) == 4 || sizeof(K) == 8)
    return !image.exact && image.window == static_cast<K>(~K{0}) && best_vector_kernels<K>() != nullptr;
  else
    return false;
}

} // namespace sortile::cpu
