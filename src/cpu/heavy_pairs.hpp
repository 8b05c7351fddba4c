// Short sorts of pairs most of which have one of a few heavy keys.
//
// Idea. A heavy key says nothing but to which key a value belongs. So such keys are counted and never moved: vectors
// compare each key with all of them, the values of the equal ones are packed side by side, and keys are written again
// where the result belongs. The rest, if there is any, is packed too, and sorted by itself.
//
//     keys    7 3 7 7 9 4 7 …        values of 4 [ v5 … ]   of 7 [ v0 v2 v3 v6 … ]       rest [ 3 9 … ] ──▶ sorted
//     values  v0 v1 v2 v3 v4 v5 …                  │               │                            │
//     result  3 | 4 … | 7 7 7 7 … | 9              ▼               ▼                            ▼
//
// A count comes before anything is moved, so nothing depends on the sample: if the rest is too large, the usual sort
// takes all. The result is written when all of the input has been read, but for the values of the least key where there
// is no rest: these are packed in the result at once, behind what has been read of it.
//
// A key of the rest may have the image of a heavy one (−0 and 0, NaNs): then nothing was done, and the usual sort takes
// all. Bit windows are left to it, too.
//
// Cost, of pairs within the caches: a read that counts, and of each heavy key a comparison, a packing and a store for a
// vector of keys. Two keys of 4 bytes take a third of a nanosecond a pair, four a half.
#pragma once

#include "cpu/sampled_split.hpp"

#include <algorithm>
#include <cstring>
#include <span>

namespace sortile::cpu {

template <class K>
class heavy_pairs {
 public:
  static constexpr std::size_t fewest = sizeof(K) == 4 ? 129 : 40; ///< pairs; words sort fewer in less time

  /// Of n ≥ fewest keys. Of few pairs the first ones are the sample.
  heavy_pairs(const K* keys, std::size_t n) {
    constexpr std::size_t few = 256, first = 32, sampled_from = 2048;
    const std::size_t size = n < few ? first : few_sampled;
    K sample[few_sampled];
    if (n >= sampled_from)
      sample_few(keys, n, sample);
    // Each key to compare with takes its time, however few pairs there are.
    const std::size_t most = std::min(most_wanted, n * sizeof(K) / 128);
    const heavy_found found = best_kernels<K>().find_wanted(n < sampled_from ? keys : sample, size, most, key_);
    keys_ = found.values;
    others_ = size - found.keys;
    is_likely_ = keys_ > 0 && others_ <= largest_rest(n) * size / n;
  }

  /// Whether the sample says that it pays. Bit windows do not.
  bool is_likely() const { return is_likely_; }
  /// Whether it has met no others.
  bool are_all() const { return is_likely_ && others_ == 0; }

  /// Bytes that n pairs take beside the sort of the rest.
  static std::size_t room(std::size_t n, std::size_t most_left, std::size_t width) {
    return n * width + most_left * sizeof(K) + (most_wanted + 2) * (written_behind + 64);
  }

  /// Sorts n pairs into `to`, which may be where they are and need not have keys. sort_rest(pairs, n, room) sorts
  /// others where they lie. False, and nothing was written, where more are left than `most_left` or than pays, `room`
  /// is too small, or two keys have one image.
  template <class SortRest>
  bool sort(const source<K>& from, std::size_t n, const lanes<K>& to, const key_image<K>& image, std::size_t most_left,
            std::span<std::byte> room, const SortRest& sort_rest) {
    const auto sort_out = best_movers<K>(from.width).sort_out;
    if (sort_out == nullptr || !put_in_order(image))
      return false;
    std::size_t counts[most_wanted], rest = n;
    best_kernels<K>().count_wanted(from.keys, n, key_, keys_, counts);
    for (std::size_t j = 0; j < keys_; ++j)
      rest -= counts[j];
    if (rest > std::min(most_left, largest_rest(n)))
      return false;
    std::byte *packed[most_wanted], *ends[most_wanted];
    lanes<K> others;
    const auto take = [&](std::size_t bytes) {
      const std::size_t whole = (bytes + written_behind + 63) / 64 * 64, taken = std::min(whole, room.size());
      std::byte* const at = whole <= room.size() ? room.data() : nullptr;
      room = room.subspan(taken);
      return at;
    };
    for (std::size_t j = 0; j < keys_; ++j)
      if (packed[j] = ends[j] = j == 0 && rest == 0 ? to.values : take(counts[j] * from.width); packed[j] == nullptr)
        return false;
    if (rest > 0) {
      others = {reinterpret_cast<K*>(take(rest * sizeof(K))), take(rest * from.width), from.width};
      if (others.values == nullptr)
        return false;
    }
    sort_out(from, n, key_, keys_, ends, others);
    if (rest > 1 && !sort_rest(others, rest, room))
      return false;
    std::size_t below[most_wanted]; // of the rest, those before each heavy key
    for (std::size_t j = 0; j < keys_; ++j) {
      const K* const others_end = others.keys + rest;
      const K* const at =
          std::partition_point(others.keys, others.keys + rest, [&](K key) { return image_(key) < images_[j]; });
      if (at != others_end && image_(*at) == images_[j])
        return false;
      below[j] = static_cast<std::size_t>(at - others.keys);
    }
    std::size_t at = 0, placed = 0; // in the result; of the rest
    const auto place_rest = [&](std::size_t until) {
      if (to.keys != nullptr)
        std::copy(others.keys + placed, others.keys + until, to.keys + at);
      copy_values(others.at(placed).values, to, at, until - placed);
      at += until - placed;
      placed = until;
    };
    for (std::size_t j = 0; j < keys_; ++j) {
      if (rest > 0)
        place_rest(below[j]);
      if (to.keys != nullptr)
        best_kernels<K>().fill(to.keys + at, counts[j], key_[j], false);
      if (packed[j] != to.values)
        copy_values(packed[j], to, at, counts[j]);
      at += counts[j];
    }
    if (rest > 0)
      place_rest(rest);
    return true;
  }

 private:
  /// By their images; false where two are equal.
  bool put_in_order(const key_image<K>& image) {
    image_ = image;
    image_.exact = image.is_float;
    for (std::size_t j = 0; j < keys_; ++j) {
      const K key = key_[j], x = image_(key);
      std::size_t at = j;
      for (; at > 0 && images_[at - 1] > x; --at) {
        key_[at] = key_[at - 1];
        images_[at] = images_[at - 1];
      }
      if (at > 0 && images_[at - 1] == x)
        return false;
      key_[at] = key;
      images_[at] = x;
    }
    return true;
  }

  /// So many of n pairs may be left: few where the rest is sorted fast, or where many keys are compared with.
  std::size_t largest_rest(std::size_t n) const {
    constexpr std::size_t few = 128; // which words sort
    return n <= few ? n / 4 : keys_ < 4 ? n / 8 * 5 : n / 8;
  }

  static void copy_values(const std::byte* from, const lanes<K>& to, std::size_t at, std::size_t n) {
    if (n > 0)
      std::memcpy(to.values + at * to.width, from, n * to.width);
  }

  key_image<K> image_;
  K key_[most_wanted], images_[most_wanted]; // in order
  std::size_t keys_ = 0, others_ = 0;        // others of the sample
  bool is_likely_ = false;
};

} // namespace sortile::cpu
