// How large the blocks of the local step of pairs are, and what they hold (local_pairs_kernel.hpp), by what the step is
// launched for and by the bytes of a key and of a value.
#pragma once

#include "simt/config.hpp"

#include <cstddef>

namespace sortile::kernels {

/// What the kernel is launched for: all pairs in one block; a bucket a block, by digits of y or between splitters,
/// where each bucket has a spread of its own; or the buckets of either kind that were too large for that.
enum class local_step { one_block, buckets, large_buckets, between_splitters, large_between_splitters };

/// By bytes of a key and of a value: shared storage for as many resident blocks as its size allows. Measured on the
/// H100 at 2^28 pairs with CUDA 13.0: 8 and 4 bytes 2.14 ms with 2048 words and three blocks, 2.17 with 4096 and two.
template <std::size_t KeyBytes, std::size_t ValueBytes, local_step Step>
struct local_pairs_tuning {
  static constexpr bool narrow = KeyBytes + ValueBytes <= 8, wide = KeyBytes + ValueBytes > 16;
  static constexpr bool middle = !narrow && KeyBytes + ValueBytes <= 12;
  static constexpr unsigned threads = wide ? 1024 : 512, min_blocks = narrow || middle ? 3 : wide ? 1 : 2;
  static constexpr unsigned capacity = middle ? 4480 : 4608, words = middle ? 2048 : 4096;
  static constexpr unsigned list_size = middle ? 512 : 1024; // of pairs that found their bin taken
};
/// Between splitters sizes vary as samples do: room for more than the share of a bucket, and fewer bins for it.
template <std::size_t KeyBytes, std::size_t ValueBytes>
struct local_pairs_tuning<KeyBytes, ValueBytes, local_step::between_splitters> {
  static constexpr bool narrow = KeyBytes + ValueBytes <= 8, wide = KeyBytes + ValueBytes > 16;
  static constexpr bool middle = !narrow && KeyBytes + ValueBytes <= 12;
  static constexpr unsigned threads = wide ? 1024 : 512, min_blocks = narrow ? 3 : wide ? 1 : 2;
  static constexpr unsigned capacity = wide ? 7168 : narrow || middle ? 6144 : 5632;
  static constexpr unsigned words = wide || middle ? 4096 : 2048, list_size = words / 4;
};
/// The most that one block a multiprocessor can hold. The same for large buckets by digits of y, except the narrowest.
template <std::size_t KeyBytes, std::size_t ValueBytes>
struct local_pairs_tuning<KeyBytes, ValueBytes, local_step::large_between_splitters> {
  static constexpr unsigned threads = 1024, min_blocks = 1, capacity = KeyBytes + ValueBytes > 16 ? 7168 : 11264;
  static constexpr unsigned words = 4096, list_size = 1024;
};
/// Pairs of 128-bit keys: all that shared storage holds, since their samples are smaller and buckets vary more. Of
/// 8-byte values with fewer bins, so that 8160 fit.
template <>
struct local_pairs_tuning<16, 4, local_step::large_between_splitters> {
  static constexpr unsigned threads = 1024, min_blocks = 1, capacity = 9216, words = 4096, list_size = 1024;
};
template <>
struct local_pairs_tuning<16, 8, local_step::large_between_splitters> {
  static constexpr unsigned threads = 512, min_blocks = 1, capacity = 8160, words = 2048, list_size = 512;
};

template <std::size_t KeyBytes, std::size_t ValueBytes>
struct local_pairs_tuning<KeyBytes, ValueBytes, local_step::large_buckets>
    : local_pairs_tuning<KeyBytes, ValueBytes, local_step::large_between_splitters> {};
/// Of 4 and 4 bytes two blocks a multiprocessor hold 9088 each.
template <>
struct local_pairs_tuning<4, 4, local_step::large_buckets> {
  static constexpr unsigned threads = 512, min_blocks = 2, capacity = 9088, words = 4096, list_size = 1024;
};

} // namespace sortile::kernels
