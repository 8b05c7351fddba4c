// One key in its place where no vectors select: integers of 128 bits, and others on processors without such vectors.
//
// Idea. The quickselect of vector_select.ipp for single keys: a sorted sample has an image that is probably a little
// below the wanted one, and one a little above it. A split around each, first the one that leaves less, keeps few keys,
// about 1.5 reads and writes of each for a median. A split has no branch for a key to mislead: each changes places with
// the first one that is not below the pivot, and whether it is below decides how many are.
//
// Invariant: images of what is left lie in [least, greatest]; where the two are equal, so are all keys. After a few
// splits that left most, which few inputs need, the standard library goes on.
#pragma once

#include "cpu/select_keys.hpp"

#include <algorithm>
#include <cmath>

namespace sortile::cpu {

/// Of integers that are compared as a whole: equal images are equal keys.
template <class K>
class nth_by_splits {
 public:
  nth_by_splits(const nth_element_request& request, const options& opts, progress_meter& progress)
      : keys_(static_cast<K*>(request.keys)), n_(request.n), nth_(request.nth),
        image_(request.type, opts.order, opts.bits), progress_(progress) {}

  /// Progress: eight for each key at most, one and a half mostly.
  void run() {
    for (unsigned poor = 0; n_ > few && least_ < greatest_ && poor < most_poor_splits;) {
      const std::size_t before = n_;
      const auto [low, high] = likely_bounds();
      if (nth_ < n_ / 2)
        static_cast<void>(keep_to(high) && keep_from(low));
      else
        static_cast<void>(keep_from(low) && keep_to(high));
      poor += n_ > before / 2;
    }
    if (least_ < greatest_)
      std::nth_element(keys_, keys_ + nth_, keys_ + n_, [this](K a, K b) { return image_.plain(a) < image_.plain(b); });
  }

 private:
  static constexpr std::size_t few = 512, sampled = 256;
  static constexpr unsigned most_poor_splits = 4;
  static constexpr double deviations = 1.5;
  static constexpr std::size_t told = std::size_t{1} << 18; ///< keys between two reports

  struct bounds {
    K low, high;
  };
  bounds likely_bounds() const {
    const std::size_t m = std::clamp<std::size_t>(n_ / 64, 32, sampled);
    K sample[sampled];
    selection<K>(keys_, n_, image_, 1, nullptr).sample(sample, m);
    std::sort(sample, sample + m);
    const double place = static_cast<double>(nth_) / static_cast<double>(n_) * static_cast<double>(m),
                 margin = 1 + deviations * std::sqrt(place * (1 - place / static_cast<double>(m)));
    return {place < margin ? least_ : sample[static_cast<std::size_t>(place - margin)],
            place + margin + 1 < static_cast<double>(m) ? sample[static_cast<std::size_t>(place + margin + 1)]
                                                        : greatest_};
  }

  /// Brings the keys below the pivot to the front; how many.
  std::size_t split(K pivot) {
    const key_image<K> image = image_;
    K* const keys = keys_;
    std::size_t below = 0;
    for (std::size_t begin = 0; begin < n_; begin += told) {
      const std::size_t end = std::min(n_, begin + told);
      for (std::size_t i = begin; i < end; ++i) {
        const K key = keys[i];
        keys[i] = keys[below];
        keys[below] = key;
        below += image.plain(key) < pivot;
      }
      progress_.add(end - begin);
      progress_.report();
    }
    return below;
  }

  /// Whether the wanted key is on the side where it was thought to be: that side is what is left.
  bool keep_from(K low) { return low == least_ || !keeps_front(low); }
  bool keep_to(K high) { return high == greatest_ || keeps_front(static_cast<K>(high + 1)); }
  bool keeps_front(K pivot) {
    const std::size_t below = split(pivot);
    if (nth_ < below) {
      n_ = below;
      greatest_ = static_cast<K>(pivot - 1);
      return true;
    }
    keys_ += below;
    n_ -= below;
    nth_ -= below;
    least_ = pivot;
    return false;
  }

  K* keys_;
  std::size_t n_, nth_;
  key_image<K> image_;
  progress_meter& progress_;
  K least_ = 0, greatest_ = static_cast<K>(~K{0});
};

} // namespace sortile::cpu
