// How a segment is split into buckets: by a digit; by a map, or else between splitters, where that would leave too much
// together; the same beside heavy keys, where those fill a third of it and vectors can take them out; or else around a
// key that fills half of it. A sample of the keys decides, so that the first scan can count already.
#pragma once

#include "cpu/kernels_words.hpp"
#include "cpu/radix_job.hpp"
#include "cpu/sampled_split.hpp"

#include <algorithm>
#include <bit>

namespace sortile::cpu {

template <class K>
class split_choice {
 public:
  split_choice(const radix_layout& layout, const key_image<K>& image, std::size_t value_width)
      : bucket_keys_(layout.bucket_keys), local_limit_(layout.local_limit), cached_limit_(layout.local_limit),
        image_(image), value_width_(value_width), most_bits_(max_digit_bits) {}
  /// Of a sort in place, which has fewer buckets.
  split_choice(const in_place_layout& layout, unsigned most_bits, const key_image<K>& image, std::size_t value_width)
      : bucket_keys_(layout.bucket_keys), local_limit_(layout.local_limit),
        cached_limit_(std::max(layout.spare_keys, layout.local_limit)), image_(image), value_width_(value_width),
        most_bits_(most_bits) {}

  /// What the sample suggests. `tree` is what a split between splitters, or by a map, has these in.
  split<K> guess(const K* keys, std::size_t n, splitter_tree<K>& tree) const {
    const key_sample<K> sample(keys, n, image_);
    if (takes_heavy_keys_out() && beside_heavy_keys(sample, n, tree))
      return split<K>(tree);
    // A key that fills half of the segment would make every counter wait for the one before it.
    const K* const end = sample.images + sample.size;
    const K middle = sample.images[sample.size / 2];
    const auto [first, last] = std::equal_range(sample.images, end, middle);
    if (last - first >= static_cast<std::ptrdiff_t>(sample.size / 2))
      return split<K>(middle);
    return by_sample(sample, n, top_digit(sample.differing, n), tree);
  }

  /// Of a sort in place, which looks each pair up twice and so stays with the digit unless that leaves an eighth
  /// together; not around a key. Of short segments, which are in a cache when they are counted, nothing.
  split<K> guess_in_place(const K* keys, std::size_t n, splitter_tree<K>& tree) const {
    if (n < 64 * key_sample<K>::least)
      return {};
    const key_sample<K> sample(keys, n, image_);
    return among(sample, n, sample.differing, tree);
  }

  /// The guess, unless it is a digit and keys differ in other bits than the sample does.
  split<K> final_in_place(const K* keys, std::size_t n, const split<K>& guess, K differing,
                          splitter_tree<K>& tree) const {
    if (guess.tree != nullptr)
      return guess;
    const split<K> d = top_digit(differing, n);
    return d == guess || n < 64 * key_sample<K>::least ? d : among(key_sample<K>(keys, n, image_), n, differing, tree);
  }

  /// The guess, unless keys differ in other bits than the sample does: then their digit, unless few keys alone do so,
  /// and it would leave all others together.
  split<K> final(const K* keys, std::size_t n, const split<K>& guess, K differing, splitter_tree<K>& tree) const {
    if (guess.around_key || guess.tree != nullptr)
      return guess;
    const split<K> d = top_digit(differing, n);
    if (d == guess || !guess.is_any())
      return d;
    return by_sample(key_sample<K>(keys, n, image_), n, d.by, tree);
  }

 private:
  using together = typename key_sample<K>::together;

  split<K> among(const key_sample<K>& sample, std::size_t n, K differing, splitter_tree<K>& tree) const {
    const digit d = top_digit(differing, n);
    if (sample.differing == 0)
      return d;
    if (takes_heavy_keys_out() && beside_heavy_keys(sample, n, tree))
      return split<K>(tree);
    const together found = key_sample<K>::in_buckets(sample.images, sample.size, [d](K x) { return x >> d.shift; });
    if (found.most <= sample.size / 8)
      return d;
    if (!by_map(sample.images, sample.size, n, ~std::size_t{0}, nullptr, 0, tree))
      tree = splitter_tree<K>(sample.images, sample.size, part_bits(n));
    return split<K>(tree);
  }

  // By a digit; by a map where that is even, and the digit leaves twice as much together, or too much; else between
  // splitters, which take longer to find.
  split<K> by_sample(const key_sample<K>& sample, std::size_t n, digit d, splitter_tree<K>& tree) const {
    const together found = key_sample<K>::in_buckets(sample.images, sample.size, [d](K x) { return x >> d.shift; });
    const bool does = is_sorted_locally(found, sample.size, n);
    if (does && found.pairs <= most_pairs(sample.size, d.buckets()))
      return d;
    if (by_map(sample.images, sample.size, n, does ? found.pairs / 2 : ~std::size_t{0}, nullptr, 0, tree))
      return split<K>(tree);
    if (does)
      return d;
    tree = splitter_tree<K>(sample.images, sample.size, part_bits(n));
    return split<K>(tree);
  }

  // Pairs of a sample that share a bucket where buckets are about alike: half as many again as where they are alike.
  static std::size_t most_pairs(std::size_t size, std::size_t buckets) { return 3 * size * size / (2 * buckets); }

  // By a map from a sample, `size` of n keys, into as many buckets as between splitters. False where those would not be
  // even, or more than `most_found` pairs of the sample would share one.
  bool by_map(const K* sample, std::size_t size, std::size_t n, std::size_t most_found, const K* heavy,
              std::size_t heavies, splitter_tree<K>& tree) const {
    const std::size_t buckets = ((splitter_tree<K>::splitters + 1) << part_bits(n)) - 2 * heavies;
    const cell_map<K> map(sample, size, buckets);
    if (map.most == 0)
      return false;
    const together found = key_sample<K>::in_buckets(sample, size, [&](K x) { return map.bucket(x); });
    if (found.pairs > std::min(most_found, most_pairs(size, buckets)) || found.most > size / 4)
      return false;
    tree = splitter_tree<K>(map, heavy, heavies, image_);
    return true;
  }

  // Vectors take heavy keys out of what is counted and moved one by one (kernels_heavy.ipp).
  bool takes_heavy_keys_out() const {
    return (sizeof(K) == 4 || sizeof(K) == 8) && (value_width_ == 4 || value_width_ == 8) && !image_.exact &&
           image_.window == static_cast<K>(~K{0}) && uses(instruction_set::avx2);
  }

  // A map, or splitters, from the sample without its heavy keys, which are splitters too. False where there are none,
  // or little is left.
  bool beside_heavy_keys(const key_sample<K>& sample, std::size_t n, splitter_tree<K>& tree) const {
    constexpr std::size_t least_rest = 16;
    K heavy[splitter_tree<K>::most_heavy], others[key_sample<K>::most], heaviest = 0;
    std::size_t heavies = 0, rest = 0, most = 0;
    for (std::size_t i = 0, end = 0; i < sample.size; i = end) {
      const K x = sample.images[i];
      end =
          static_cast<std::size_t>(std::upper_bound(sample.images + i, sample.images + sample.size, x) - sample.images);
      if (end - i < sample.size / heavy_part || heavies == std::size(heavy)) {
        std::fill_n(others + rest, end - i, x);
        rest += end - i;
        continue;
      }
      heavy[heavies++] = x;
      if (end - i > most) {
        most = end - i;
        heaviest = x;
      }
    }
    if (sample.size - rest < sample.size / heavy_share || rest < least_rest)
      return false;
    const std::size_t left = n / sample.size * rest;
    if (by_map(others, rest, left, ~std::size_t{0}, heavy, heavies, tree))
      return true;
    tree = splitter_tree<K>(others, rest, part_bits(left), heavy, heavies, heaviest, image_);
    return tree.heavy_keys > 0;
  }

  // Intervals between splitters that one local sort is enough for have one part. Larger ones have three, for which the
  // buckets' lines are long yet, or as many as leave half of what 32 bits sort; narrow pairs, which have long lines
  // anyway, a quarter.
  unsigned part_bits(std::size_t n) const {
    const bool narrow = sizeof(K) + value_width_ <= 8;
    const std::size_t interval = n / (splitter_tree<K>::splitters + 1), most_in_part = (narrow ? 2 : 4) * bucket_keys_;
    const unsigned most = most_bits_ - splitter_tree<K>::levels;
    if (interval <= bucket_keys_ || most == 1)
      return 1;
    return std::clamp(static_cast<unsigned>(std::bit_width(interval / most_in_part)), 2u, most);
  }

  // Whether local sorts take what a sample of n keys finds together. Of pairs words of 32 bits are to sort most. So
  // what counts is with how many others, not equal to it, a key shares its bucket on average, which the pairs of the
  // sample that share one tell; and no bucket may hold a quarter, whose keys would wait for one counter.
  bool is_sorted_locally(const together& found, std::size_t size, std::size_t n) const {
    if (value_width_ == 0)
      return found.most <= size / 16 || n / size * found.most <= 2 * local_limit_;
    const std::size_t others = n / size * found.pairs / size;
    return found.most <= size / 4 && others <= std::min(short_words_most, local_limit_);
  }

  // The highest differing bits, as many as make buckets that a local sort can take.
  digit top_digit(K differing, std::size_t n) const {
    if (differing == 0)
      return {};
    auto bits = static_cast<unsigned>(std::bit_width(n / bucket_keys_));
    if (bits > most_bits_) { // one digit is not enough: does a cache take what it leaves, or are two needed?
      const bool enough = n >> most_bits_ <= cached_limit_ - cached_limit_ / 4;
      bits = enough ? most_bits_ : std::min((bits + 1) / 2 + 1, most_bits_);
    }
    return highest_digit(differing, std::max(bits, least_digit_bits));
  }

  static constexpr unsigned least_digit_bits = 6;
  // Of a sample: a heavy key fills an eighth, and all of them a third. Less does not pay for the packing of the others.
  static constexpr std::size_t heavy_part = 8, heavy_share = 3;

  const std::size_t bucket_keys_, local_limit_, cached_limit_; // sorted, or partitioned once more, within a cache
  const key_image<K>& image_;
  const std::size_t value_width_;
  const unsigned most_bits_; // of a digit
};

} // namespace sortile::cpu
