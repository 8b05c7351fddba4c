// What a sample of its keys tells about how a segment is to be split.
#pragma once

#include "cpu/kernels.hpp"
#include "cpu/vector_sort.hpp"

#include <algorithm>
#include <bit>
#include <iterator>

namespace sortile::cpu {

/// The highest `bits` of the bits in which keys differ, or all of them.
template <class K>
digit highest_digit(K differing, unsigned bits) {
  if (differing == 0)
    return {};
  const unsigned top = width_of_key(differing), lowest = width_of_key(static_cast<K>(differing & (~differing + 1))) - 1;
  const unsigned used = std::min(bits, top - lowest);
  return {top - used, used};
}

/// Which of n keys a sample takes from the i-th of `size` equal stretches: any one.
inline std::size_t sampled_position(std::size_t i, std::size_t size, std::size_t n) {
  const std::uint64_t stretch = n / size, spread = (i + 1) * std::uint64_t{0x9e3779b97f4a7c15},
                      fraction = (spread ^ spread >> 32) * 0xd6e8feb86659fd93 >> 32;
  return static_cast<std::size_t>(stretch * i + (fraction * stretch >> 32));
}

/// Puts the images of a sample in order.
template <class K>
void sort_sample(K* images, std::size_t n) {
  if constexpr (sizeof(K) == 4 || sizeof(K) == 8)
    if (const vector_kernels<K>* const vectors = best_vector_kernels<K>(); vectors != nullptr)
      return vectors->sort(images, n, {}, images);
  std::sort(images, images + n);
}

/// Sorted ordering images of one key of each of so many equal stretches: few of short arrays, since a sample takes its
/// time too, and all keys of an array that is shorter than the sample. Where in its stretch a key is taken is random:
/// keys that repeat their pattern would show the same part of it at equal distances, and too few of its parts twice at
/// distances that lie evenly.
template <class K>
struct key_sample {
  static constexpr std::size_t of_short = 128, least = 512, most = 2048;
  static constexpr std::size_t short_below = std::size_t{1} << 14;
  K images[most];
  std::size_t size;
  K differing = 0; ///< bits in which they differ

  key_sample(const K* keys, std::size_t n, const key_image<K>& image) : size(size_of(n)) {
    K any = 0, all = static_cast<K>(~K{0});
    for (std::size_t i = 0; i < size; ++i) {
      images[i] = image.ordering(keys[position(i, n)]);
      any = static_cast<K>(any | images[i]);
      all = static_cast<K>(all & images[i]);
    }
    differing = static_cast<K>(any ^ all);
    sort_sample(images, size);
  }

  static std::size_t size_of(std::size_t n) {
    return std::min(n, n < short_below ? of_short : n < std::size_t{1} << 20 ? least : most);
  }

  /// Of the i-th key that is taken.
  static std::size_t position(std::size_t i, std::size_t n) { return sampled_position(i, size_of(n), n); }

  /// What a bucket function leaves together of n images in order: the most of them, and how often two that are not
  /// equal.
  struct together {
    std::size_t most = 0, pairs = 0;
  };
  template <class F>
  static together in_buckets(const K* images, std::size_t n, F&& bucket_of) {
    together found;
    for (std::size_t begin = 0, end = 0; begin < n; begin = end) {
      for (std::size_t equal = 0; end < n && bucket_of(images[end]) == bucket_of(images[begin]); ++end) {
        equal = end > begin && images[end] == images[end - 1] ? equal + 1 : 0;
        found.pairs += 2 * (end - begin - equal);
      }
      found.most = std::max(found.most, end - begin);
    }
    return found;
  }
};

/// Takes few_sampled of as many keys or more, four from each of sixteen stretches: a quarter of the time that places of
/// their own would take.
inline constexpr std::size_t few_sampled = 64;
template <class K>
void sample_few(const K* keys, std::size_t n, K* sample) {
  constexpr std::size_t together = 4, stretches = few_sampled / together;
  for (std::size_t s = 0; s < stretches; ++s)
    std::copy_n(keys + sampled_position(s, stretches, n - together + 1), together, sample + s * together);
}

/// How many values few of n ≥ few_sampled keys have, in a fraction of the time of a sample.
template <class K>
std::size_t values_of_few(const K* keys, std::size_t n, const key_image<K>& image) {
  K images[few_sampled];
  sample_few(keys, n, images);
  for (K& x : images)
    x = image.ordering(x);
  sort_sample(images, few_sampled);
  return static_cast<std::size_t>(std::unique(images, std::end(images)) - images);
}

} // namespace sortile::cpu
