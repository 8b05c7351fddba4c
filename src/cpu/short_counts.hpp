// Short sorts of integers alone, nearly all of which have one of a few values.
//
// Idea. Equal integers are equal bits. So few values need not be moved: vectors count how often each occurs, and it is
// written so often (heavy_keys.hpp). The others, if there are any, are gathered at the front of the result, and sorted
// there. A split moves every key once for each level, by a permutation and two stores for a vector; to count it is a
// comparison and a subtraction for each value, and no image of a key is made.
//
// 32 keys tell whether a sample is worth its time: they show most of sixteen values, and of 32 more than sixteen. Where
// they are all the same, they are the sample. It suggests the values; one that has values once is drawn two or four
// times as large, since it may not have met all. The counts tell whether there are others. So a sample that misleads
// costs a read, and nothing else.
//
// Cost, of two values within the L2 cache: a read and a write, 0.15 ns a 32-bit key; splits take 0.65.
#pragma once

#include "cpu/heavy_keys.hpp"
#include "cpu/sampled_split.hpp"

#include <algorithm>

namespace sortile::cpu {

/// Integers: to look at fewer takes more than a hundredth of their sort.
template <class K>
inline constexpr std::size_t least_counted = 16384 / sizeof(K);

/// Of n keys, the values that a sample has at least twice.
template <class K>
class short_sample {
 public:
  static constexpr std::size_t least_of_one = 8192; ///< keys that seem to be one: a split gathers fewer others sooner

  short_sample(const K* keys, std::size_t n, const key_image<K>& image) : keys_(keys), n_(n), image_(image) {}

  /// Whether few keys repeat so that counting may pay. Others beside one value are gathered by a split in the same
  /// time.
  bool repeats() {
    constexpr std::size_t together = 2, stretches = look / together;
    for (std::size_t s = 0; s < stretches; ++s)
      std::copy_n(keys_ + sampled_position(s, stretches, n_ - together + 1), together, images_ + s * together);
    const value_frequencies<K> found = of(look, look);
    is_one_ = found.values == 1;
    return is_one_ ? n_ >= least_of_one : (found.values <= look / 2 && found.heavy_values > 1);
  }

  /// After repeats().
  value_frequencies<K> frequencies() {
    if (is_one_)
      return {images_, look, 2};
    sample_few(keys_, n_, images_);
    const value_frequencies<K> found = of(few_sampled, few_sampled);
    if (found.once == 0 || found.values > value_frequencies<K>::most_heavy)
      return found;
    const std::size_t more = n_ < enough_for_most ? 1 : most / few_sampled - 1;
    for (std::size_t part = 0; part < more; ++part)
      sample_few(keys_ + n_ / more * part, n_ / more, images_ + few_sampled * (part + 1));
    return of((more + 1) * few_sampled, more * few_sampled);
  }

 private:
  static constexpr std::size_t look = 32, most = 4 * few_sampled, enough_for_most = 16384;

  /// Of so many, of which the last ones are keys yet.
  value_frequencies<K> of(std::size_t size, std::size_t are_keys) {
    std::transform(images_ + size - are_keys, images_ + size, images_ + size - are_keys, image_);
    best_vector_kernels<K>()->sort(images_, size, {}, images_);
    return {images_, size, 2};
  }

  const K* keys_;
  std::size_t n_;
  const key_image<K>& image_;
  bool is_one_ = false;
  K images_[most];
};

/// Sorts n ≥ least_counted<K> integers, of which nearly all have one of a few values. False, and nothing was done,
/// where they do not seem to.
template <class K>
bool sort_by_counts(const K* keys, std::size_t n, const key_image<K>& image, K* to) {
  short_sample<K> sample(keys, n, image);
  if (!sample.repeats())
    return false;
  const value_frequencies<K> found = sample.frequencies();
  if (!found.are_nearly_all_heavy())
    return false;
  heavy_keys<K> heavy(found, *best_vector_parts<K>(), image);
  const std::size_t rest = heavy.take_out(keys, n, to, 1, nullptr);
  best_vector_kernels<K>()->sort(to, rest, image, to);
  heavy.put_back(to, n, rest, 1);
  return true;
}

} // namespace sortile::cpu
