// The local step's sizes, which the H100 has chosen, the list of buckets that it defers, and a key's bin.
#pragma once

#include "kernels/key_scan/key_window.hpp"

namespace sortile::kernels::inline SORTILE_BACKEND {

template <class Word>
struct local_sort_tuning;
template <>
struct local_sort_tuning<std::uint32_t> {
  static constexpr unsigned threads = 256, min_blocks = 5, words = 2048, list_size = 512, most_unlisted = 3;
  static constexpr int vectors = 5; // of 16 bytes, that a thread holds
};
template <>
struct local_sort_tuning<std::uint64_t> {
  static constexpr unsigned threads = 512, min_blocks = 3, words = 4096, list_size = 512, most_unlisted = 3;
  static constexpr int vectors = 5;
};
template <>
struct local_sort_tuning<uint128> {
  static constexpr unsigned threads = 512, min_blocks = 2, words = 4096, list_size = 512, most_unlisted = 3;
  static constexpr int vectors = 9;
};

/// Buckets that the local step defers: for large_sort_kernel.hpp, or skewed/.
struct bucket_list {
  simt::global<std::uint64_t> findings;
  simt::global<std::uint32_t> buckets;
  static constexpr std::uint32_t done = ~0u; ///< in a bucket's place: it has been sorted since

  SORTILE_DEVICE void add(std::uint32_t bucket) const {
    buckets[findings.fetch_add(finding_deferred, std::uint64_t{1})] = bucket;
  }
};

/// From a key to its bin: how far it lies from the first key that there can be, shifted.
template <class Image>
struct bin_of_key {
  using Word = typename Image::word;
  key_distance<Image> distance;
  unsigned shift;
  SORTILE_DEVICE Word value(Word key) const { return distance.of(key); }
  SORTILE_DEVICE Word key(Word value) const { return distance.key(value); }
  SORTILE_DEVICE std::uint32_t operator()(Word key) const { return std::uint32_t(value(key) >> shift); }
};

} // namespace sortile::kernels::inline SORTILE_BACKEND
