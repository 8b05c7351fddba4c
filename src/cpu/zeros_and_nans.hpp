// Floats among which −0 or NaN are, sorted by vectors all the same.
//
// Idea. Vectors sort keys whose order is that of their bits: equal keys are equal bits then, and no one can see whether
// the sort is stable. Of floats, zeros of both signs break that, and NaNs. So these are set aside, in the order in
// which they come; the others are sorted, and moved apart:
//
//     keys      [ 3 −0 nan −7 0 1 ]  ──▶  rest [ 3 −7 1 ]      aside [ −0 nan 0 ]
//     ascending    [ −7 | −0 0 | 1 3 | nan ]          descending    [ nan | 3 1 | −0 0 | −7 ]
//
// All zeros are equal, and so are all NaNs, so that their places are known once both are counted. Who makes images in
// the belief that there is neither, and meets one, goes on from there: the zeros among the images so far are +0 all,
// whose places among the others' follow from how many there are.
//
// Cost: one pass over the keys to set aside, instead of the one that makes images; one to move them apart; where memory
// is short, one before, to count.
#pragma once

#include "cpu/memory_slots.hpp"
#include "cpu/parallel.hpp"
#include "cpu/vector_parts.hpp"

#include <algorithm>
#include <cstring>

namespace sortile::cpu {

template <class K>
class zeros_and_nans {
 public:
  /// Of n keys; `aside` has room for `room` of them. In front of each piece stand `made` images in the place of keys,
  /// where that is not empty.
  zeros_and_nans(const vector_parts<K>& parts, const key_image<K>& image, const K* keys, std::size_t n, K* aside,
                 std::size_t room, const call_vector<std::size_t>& made, unsigned workers, progress_meter* progress)
      : parts_(parts), image_(image), keys_(keys), n_(n), aside_(aside), workers_(workers), progress_(progress),
        pieces_(pieces_for(workers)) {
    for (std::size_t i = 0; i < pieces_.size(); ++i) {
      pieces_[i].begin = pieces_[i].at = part_begin(n, pieces_.size(), i);
      pieces_[i].made = made.empty() ? 0 : made[i];
    }
    fits_ = room >= n || find_places(room);
  }

  /// Pieces of an array that so many threads share.
  static std::size_t pieces_for(unsigned workers) { return workers == 1 ? 1 : std::size_t{4} * workers; }

  /// Whether they fit into that room: for fewer than n keys they are counted first.
  bool fit() const { return fits_; }

  /// Moves zeros and NaNs aside, and images of the others to the front of `rest`, where those made stand already, and
  /// which may be where the keys are; how many those are.
  std::size_t take_out(K* rest) {
    const K zero = 0;
    K zero_image = 0;
    parts_.to_images(&zero, 1, image_, &zero_image);
    for_each_task(workers_, pieces_.size(), progress_, [&](unsigned, std::size_t i) {
      piece& p = pieces_[i];
      K* const aside = aside_ + p.at;
      const std::size_t from = p.begin + p.made, n = end_of(i) - from;
      const std::size_t others = parts_.set_aside(keys_ + from, n, image_, rest + from, aside);
      p.rest = p.made + others;
      p.aside = n - others;
      p.zeros_made = static_cast<std::size_t>(std::count(rest + p.begin, rest + from, zero_image));
      p.zeros = static_cast<std::size_t>(std::count_if(aside, aside + p.aside, [&](K key) { return is_zero(key); }));
    });
    for (const piece& p : pieces_) {
      std::memmove(rest + rest_, rest + p.begin, p.rest * sizeof(K));
      rest_ += p.rest;
      zeros_ += p.zeros_made + p.zeros;
      nans_ += p.aside - p.zeros;
    }
    return rest_;
  }

  /// Moves the others, which are sorted keys now, to their places, and puts zeros and NaNs between. Zeros that were
  /// made images stand among the others, and are written anew.
  void put_back(K* keys) const {
    const bool nans_first = image_.codec.complement != 0;
    const K zero = image_.plain(0);
    const auto below = [&](auto&& is_below) {
      return static_cast<std::size_t>(std::partition_point(keys, keys + rest_, is_below) - keys);
    };
    const std::size_t front = below([&](K key) { return image_.plain(key) < zero; });
    const std::size_t back = below([&](K key) { return image_.plain(key) <= zero; });
    const std::size_t first = nans_first ? nans_ : 0, zeros_at = first + front, behind = zeros_at + zeros_;
    std::memmove(keys + behind, keys + back, (rest_ - back) * sizeof(K));
    std::memmove(keys + first, keys, front * sizeof(K));
    K *zeros = keys + zeros_at, *nans = nans_first ? keys : keys + behind + rest_ - back;
    call_vector<target> targets;
    for (const piece& p : pieces_) {
      targets.push_back({zeros, nans});
      zeros += p.zeros_made + p.zeros;
      nans += p.aside - p.zeros;
    }
    for_each_task(workers_, pieces_.size(), progress_, [&](unsigned, std::size_t i) { write(pieces_[i], targets[i]); });
  }

 private:
  struct piece {
    std::size_t begin = 0, at = 0; ///< `at`: where its keys set aside begin
    std::size_t made = 0;          ///< images in front that it began with
    std::size_t zeros_made = 0;    ///< +0 among them
    std::size_t rest = 0, aside = 0;
    std::size_t zeros = 0; ///< set aside
  };
  struct target {
    K *zeros, *nans;
  };

  static constexpr std::size_t written_beyond = 64 / sizeof(K); // whole vectors are

  std::size_t end_of(std::size_t i) const { return part_begin(n_, pieces_.size(), i + 1); }

  bool find_places(std::size_t room) {
    for_each_task(workers_, pieces_.size(), progress_, [&](unsigned, std::size_t i) {
      pieces_[i].aside =
          static_cast<std::size_t>(std::count_if(keys_ + pieces_[i].begin + pieces_[i].made, keys_ + end_of(i),
                                                 [&](K key) { return is_zero(key) || image_.is_special(key); }));
    });
    std::size_t at = 0;
    for (piece& p : pieces_) {
      p.at = at;
      at += p.aside + written_beyond;
    }
    return at <= room;
  }

  bool is_zero(K key) const { return static_cast<K>(key & static_cast<K>(~image_.codec.sign)) == 0; }

  void write(const piece& p, target to) const {
    to.zeros = std::fill_n(to.zeros, p.zeros_made, K{0});
    const K* const from = aside_ + p.at;
    if (p.zeros == p.aside || p.zeros == 0) {
      std::memcpy(p.zeros == 0 ? to.nans : to.zeros, from, p.aside * sizeof(K));
      return;
    }
    constexpr std::size_t block = 256; // no branch on what each is: that would be mispredicted half of the time
    K zeros[block], nans[block];
    for (std::size_t i = 0; i < p.aside; i += block) {
      std::size_t zero = 0, nan = 0;
      for (std::size_t j = i; j < std::min(i + block, p.aside); ++j) {
        zeros[zero] = nans[nan] = from[j];
        const bool is_one = is_zero(from[j]);
        zero += is_one;
        nan += !is_one;
      }
      to.zeros = std::copy_n(zeros, zero, to.zeros);
      to.nans = std::copy_n(nans, nan, to.nans);
    }
  }

  const vector_parts<K>& parts_;
  const key_image<K>& image_;
  const K* const keys_;
  const std::size_t n_;
  K* const aside_;
  const unsigned workers_;
  progress_meter* const progress_;
  call_vector<piece> pieces_;
  bool fits_ = false;
  std::size_t rest_ = 0, zeros_ = 0, nans_ = 0;
};

} // namespace sortile::cpu
