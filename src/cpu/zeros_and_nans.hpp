// Floats among which −0 or NaN are, sorted by vectors all the same.
//
// Idea. Vectors sort keys whose order is that of their bits: equal keys are equal bits then, and no one can see whether
// the sort is stable. Of floats, zeros of both signs break that, and NaNs. So these are set aside, in the order in which
// they come; the others are sorted, and moved apart:
//
//     keys      [ 3 −0 nan −7 0 1 ]  ──▶  rest [ 3 −7 1 ]      aside [ −0 nan 0 ]
//     ascending    [ −7 | −0 0 | 1 3 | nan ]          descending    [ nan | 3 1 | −0 0 | −7 ]
//
// All zeros are equal, and so are all NaNs, so that their places are known once both are counted. Cost: one more pass
// over the keys to set aside, and one to move them apart.
#pragma once

#include "cpu/parallel.hpp"
#include "cpu/vector_parts.hpp"

#include <algorithm>
#include <cstring>
#include <vector>

namespace sortile::cpu {

template <class K>
class zeros_and_nans {
 public:
  /// Moves zeros and NaNs of n keys to `aside`, which has room for n, and images of the others to the front of `rest`,
  /// which may be where the keys are.
  zeros_and_nans(const vector_parts<K>& parts, const key_image<K>& image, const K* keys, std::size_t n, K* rest,
                 K* aside, unsigned workers, progress_meter* progress)
      : image_(image), aside_(aside), workers_(workers), progress_(progress),
        pieces_(workers == 1 ? 1 : std::size_t{4} * workers) {
    for_each_task(workers_, pieces_.size(), progress_, [&](unsigned, std::size_t i) {
      piece& p = pieces_[i];
      const std::size_t begin = part_begin(n, pieces_.size(), i), end = part_begin(n, pieces_.size(), i + 1);
      p.begin = begin;
      p.rest = parts.set_aside(keys + begin, end - begin, image_, rest + begin, aside + begin);
      p.aside = end - begin - p.rest;
      p.zeros = static_cast<std::size_t>(
          std::count_if(aside + begin, aside + begin + p.aside, [&](K key) { return is_zero(key); }));
    });
    for (const piece& p : pieces_) {
      std::memmove(rest + rest_, rest + p.begin, p.rest * sizeof(K));
      rest_ += p.rest;
      zeros_ += p.zeros;
      nans_ += p.aside - p.zeros;
    }
  }

  /// Of the keys that are left.
  std::size_t rest() const { return rest_; }

  /// Moves the others, which are sorted keys now, to their places, and puts zeros and NaNs between.
  void put_back(K* keys) const {
    const bool nans_first = image_.codec.complement != 0;
    const K zero = image_.plain(0);
    const auto front = static_cast<std::size_t>(
        std::partition_point(keys, keys + rest_, [&](K key) { return image_.plain(key) < zero; }) - keys);
    const std::size_t first = nans_first ? nans_ : 0, zeros_at = first + front, behind = zeros_at + zeros_;
    std::memmove(keys + behind, keys + front, (rest_ - front) * sizeof(K));
    std::memmove(keys + first, keys, front * sizeof(K));
    K *zeros = keys + zeros_at, *nans = nans_first ? keys : keys + behind + rest_ - front;
    std::vector<target> targets;
    for (const piece& p : pieces_) {
      targets.push_back({zeros, nans});
      zeros += p.zeros;
      nans += p.aside - p.zeros;
    }
    for_each_task(workers_, pieces_.size(), progress_, [&](unsigned, std::size_t i) { write(pieces_[i], targets[i]); });
  }

 private:
  struct piece {
    std::size_t begin = 0, rest = 0, aside = 0, zeros = 0;
  };
  struct target {
    K *zeros, *nans;
  };

  bool is_zero(K key) const { return static_cast<K>(key & static_cast<K>(~image_.codec.sign)) == 0; }

  void write(const piece& p, target to) const {
    const K* const from = aside_ + p.begin;
    if (p.zeros == p.aside || p.zeros == 0) {
      std::memcpy(p.zeros == 0 ? to.nans : to.zeros, from, p.aside * sizeof(K));
      return;
    }
    for (std::size_t i = 0; i < p.aside; ++i)
      *(is_zero(from[i]) ? to.zeros : to.nans)++ = from[i];
  }

  const key_image<K>& image_;
  const K* const aside_;
  const unsigned workers_;
  progress_meter* const progress_;
  std::vector<piece> pieces_;
  std::size_t rest_ = 0, zeros_ = 0, nans_ = 0;
};

} // namespace sortile::cpu
