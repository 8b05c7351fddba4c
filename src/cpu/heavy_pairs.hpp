// Sorts of pairs most of which have one of a few heavy keys.
//
// Idea. A heavy key says nothing but to which key a value belongs. So such keys are not moved: vectors compare each key
// with all of them, the values of the equal ones are packed side by side, and keys are written again where the result
// belongs. The rest, if there is any, is packed too, and sorted by itself.
//
//     keys    7 3 7 7 9 4 7 …        values of 4 [ v5 … ]   of 7 [ v0 v2 v3 v6 … ]       rest [ 3 9 … ] ──▶ sorted
//     values  v0 v1 v2 v3 v4 v5 …                  │               │                            │
//     result  3 | 4 … | 7 7 7 7 … | 9              ▼               ▼                            ▼
//
// Nothing is counted beforehand. Values of the least heavy key are packed where the result has its first ones, behind
// what has been read of it; those of the others in blocks, which are taken from a room as they are needed, a few dozen
// in all. When everything is sorted out it is known how many there are of each: the first ones make room for what of
// the rest comes before them, the others are copied behind them.
//
//     values of the result [ of 4 … |  not read yet …  ]       blocks [ of 7 | of 8 | of 7 | … ]       rest [ 3 9 … ]
//
// A sample suggests the keys, and nothing depends on it. If more is left than there is room for, or one of the rest has
// the image of a heavy key (−0 and 0, NaNs), it is given up: keys have not been written to, so they tell where each
// value was, and from the last one on all go back. Bit windows are left to other sorts.
//
// Invariants
//   - Before a step of pairs is sorted out there is room for all of them wherever they may go.
//   - Until nothing can fail any more, the result has been written to only where the input has been read, or is apart.
//
// Cost, of pairs within the caches: of each heavy key a comparison, a packing and a store for a vector of keys. Two
// keys of 4 bytes take a sixth of a nanosecond a pair, eight a third.
#pragma once

#include "cpu/sampled_split.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <functional>
#include <span>

namespace sortile::cpu {

/// Memory for what heavy_pairs sorts out.
template <class K>
struct heavy_room {
  lanes<K> rest;                 ///< of pairs with other keys; null: taken from the first area
  std::size_t rest_room = 0;     ///< so many have room there
  std::span<std::byte> areas[2]; ///< of blocks, which are taken from the first, then from the second
};

template <class K>
class heavy_pairs {
 public:
  static constexpr std::size_t fewest = sizeof(K) == 4 ? 129 : 40; ///< pairs; words sort fewer in less time

  /// Of n ≥ fewest keys, where up to `most_left` others can be sorted. Of few pairs the first ones are the sample.
  [[gnu::noinline]] heavy_pairs(const K* keys, std::size_t n, std::size_t most_left) {
    constexpr std::size_t few = 256, first = 32, sampled_from = 2048, some = 4, most_light = few_sampled / 4;
    const std::size_t size = n < few ? first : few_sampled;
    K taken[few_sampled];
    const auto sample = [&](std::size_t at) {
      if (n < sampled_from)
        return keys + at;
      sample_few(keys + at, n - at, taken);
      return static_cast<const K*>(taken);
    };
    // Each key to compare with takes its time, however few pairs there are.
    const std::size_t most = std::min(n * sizeof(K) < 4000 ? most_wanted / 2 : most_wanted, n * sizeof(K) / 128);
    const auto find = [&](std::size_t at) {
      const heavy_found found = best_kernels<K>().find_wanted(sample(at), size, most, key_, keys_);
      keys_ = found.values;
      others_ = size - found.keys;
    };
    find(0);
    // Of many values the first sample does not have all.
    for (std::size_t at = few_sampled, known = some;
         at <= 3 * few_sampled && n >= few && keys_ > known && others_ < most_light; at += few_sampled) {
      known = keys_;
      find(at);
    }
    size_ = size;
    is_likely_ = keys_ > 0 && others_ <= largest_rest(n) * size / n && others_ * n / 8 * 9 <= most_left * size;
  }

  /// Whether the sample says that it pays. Bit windows do not.
  bool is_likely() const { return is_likely_; }
  /// How many heavy keys the sample has, and whether it has met no others.
  std::size_t keys() const { return keys_; }
  bool are_all() const { return is_likely_ && others_ == 0; }
  /// Whether it has met one key alone.
  bool is_one() const { return is_likely_ && keys_ == 1 && others_ == 0; }
  /// So many pairs are likely to be left of n, at most: three deviations more than of the sample.
  std::size_t likely_rest(std::size_t n) const {
    const auto others = static_cast<double>(others_);
    return static_cast<std::size_t>(std::min(1.0, (others + 3 * std::sqrt(others) + 3) / static_cast<double>(size_)) *
                                    static_cast<double>(n));
  }

  /// Bytes that n pairs take at most, beside the sort of the rest.
  std::size_t room(std::size_t n, std::size_t most_left, std::size_t width) const {
    const sizes s(n);
    const std::size_t blocks = keys_ > 1 ? n / s.sure_of_block() + keys_ : 0;
    return room_of_rest(s, most_left, width) + blocks * s.block * width;
  }

  using rest_sorter = std::function<lanes<K>(const lanes<K>&, std::size_t, std::span<std::byte>)>;

  /// Sorts n pairs into `to`, which may be where they are and need not have keys. sort_rest(pairs, n, room) sorts
  /// others and returns where they lie then, which may be the end of `to`; nowhere, and nothing was done, where it
  /// cannot. False, and nothing has changed where the pairs are, where more are left than `most_left`, the room is too
  /// small, or two keys have one image.
  bool sort(const source<K>& from, std::size_t n, const lanes<K>& to, const key_image<K>& image, std::size_t most_left,
            heavy_room<K> room, const rest_sorter& sort_rest) {
    const auto sort_out = best_movers<K>(from.width).sort_out;
    if (sort_out == nullptr || !put_in_order(image))
      return false;
    if (is_one() && from.keys == to.keys && from.values == to.values && from.values != nullptr &&
        are_same_bits(from.keys, n))
      return true;
    const sizes s(n);
    if (room.rest.keys == nullptr) {
      room.rest_room = most_left + s.beyond_step();
      const std::size_t bytes = room_of_rest(s, most_left, from.width);
      if (room.areas[0].size() < bytes)
        return false;
      std::byte* const at = room.areas[0].data();
      room.rest = {reinterpret_cast<K*>(at), at + room.rest_room * sizeof(K), from.width};
      room.areas[0] = room.areas[0].subspan(bytes);
    }
    if (room.rest_room < s.beyond_step())
      return false;
    most_left = std::min(most_left, room.rest_room - s.beyond_step());
    const std::size_t block_bytes = s.block * from.width;
    sorted_out<K> out;
    out.rest = room.rest;
    out.last_rest = room.rest.keys + most_left;
    out.has_usually_rest = others_ > 0;
    for (std::size_t o = 0, x = 1; o < 2; ++x)
      if (std::find(key_, key_ + keys_, static_cast<K>(x)) == key_ + keys_)
        out.none[o++] = static_cast<K>(x);
    out.next[0] = to.values;
    out.last[0] = to.values + n * from.width;
    blocks_ = 0;
    const auto take_block = [&](std::size_t j) {
      std::span<std::byte>& area = room.areas[room.areas[0].size() < block_bytes];
      if (area.size() < block_bytes || blocks_ == most_blocks)
        return false;
      out.next[j] = area.data();
      out.last[j] = area.data() + s.sure_of_block() * from.width;
      block_[blocks_++] = {static_cast<std::uint8_t>(j), area.data(), nullptr};
      area = area.subspan(block_bytes);
      return true;
    };
    std::size_t done = 0;
    bool has_room = true;
    for (std::size_t j = 1; j < keys_; ++j)
      has_room = has_room && take_block(j);
    while (has_room && done < n) {
      done += sort_out(from.at(done), n - done, key_, keys_, s.step, out);
      if (done == n)
        break;
      has_room = out.rest.keys <= out.last_rest;
      for (std::size_t j = 1; has_room && j < keys_; ++j)
        if (out.next[j] > out.last[j]) {
          end_block(j, out);
          has_room = take_block(j);
        }
    }
    for (std::size_t j = 1; j < keys_; ++j)
      end_block(j, out);
    const auto rest = static_cast<std::size_t>(out.rest.keys - room.rest.keys);
    const auto give_up = [&] {
      if (from.values == to.values)
        put_back(from.keys, done, to, out);
      return false;
    };
    if (done < n || rest > most_left || has_equal_images(room.rest.keys, rest))
      return give_up();
    lanes<K> others = room.rest;
    if (rest > 1) {
      others = sort_rest(room.rest, rest, room.areas[room.areas[0].size() < room.areas[1].size()]);
      if (others.keys == nullptr)
        return give_up();
    }
    place(out, others, rest, room.rest, n, to);
    return true;
  }

 private:
  /// How many values a step and a block have.
  struct sizes {
    explicit sizes(std::size_t n)
        : step(n < 4096 ? 64 : digit_block),
          block((n < 4096 ? 256 : std::max<std::size_t>(1024, n / 64 / 512 * 512)) + apart) {}
    /// So that blocks, which fill alike, do not begin at the same places of pages, and of a cache's ways.
    static constexpr std::size_t apart = 80;
    std::size_t step, block;
    std::size_t beyond_step() const { return step + sorted_out<K>::written_behind; }
    /// So many are in a block when the next one is taken, or more.
    std::size_t sure_of_block() const { return block - beyond_step(); }
  };
  static constexpr std::size_t most_blocks = 112;
  struct block {
    std::uint8_t owner;
    std::byte *begin, *end;
  };

  static std::size_t room_of_rest(const sizes& s, std::size_t most_left, std::size_t width) {
    return ((most_left + s.beyond_step()) * (sizeof(K) + width) + 63) / 64 * 64;
  }

  /// By their images; false where two are equal.
  bool put_in_order(const key_image<K>& image) {
    image_ = image.exactly();
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

  /// Whether one of the others has the image of a heavy key, which zeros and NaNs alone have.
  bool has_equal_images(const K* others, std::size_t n) const {
    for (std::size_t j = 0; j < keys_; ++j)
      if (image_.is_float && (key_[j] == 0 || image_.is_special(key_[j])))
        for (std::size_t i = 0; i < n; ++i)
          if (image_(others[i]) == images_[j])
            return true;
    return false;
  }

  void end_block(std::size_t j, const sorted_out<K>& out) {
    for (std::size_t b = blocks_; b-- > 0;)
      if (block_[b].owner == j) {
        block_[b].end = out.next[j];
        return;
      }
  }

  /// Of the first `done` pairs that were in `to`: each value back to where its key is.
  void put_back(const K* keys, std::size_t done, const lanes<K>& to, sorted_out<K>& out) const {
    std::size_t in[most_wanted]; // the block of each key
    std::fill(in, in + keys_, blocks_);
    const auto step_back = [&](std::size_t j) {
      do
        --in[j];
      while (block_[in[j]].owner != j || block_[in[j]].begin == block_[in[j]].end);
      out.next[j] = block_[in[j]].end;
    };
    for (std::size_t i = done; i-- > 0;) {
      const auto j = static_cast<std::size_t>(std::find(key_, key_ + keys_, keys[i]) - key_);
      if (j == keys_) { // others of one step may have changed their order, but not those of one key
        std::size_t behind = 0;
        while (out.rest.keys[-1 - static_cast<std::ptrdiff_t>(behind)] != keys[i])
          ++behind;
        std::byte* const value = out.rest.values - (behind + 1) * to.width;
        std::memcpy(to.values + i * to.width, value, to.width);
        std::memmove(value, value + to.width, behind * to.width);
        std::copy(out.rest.keys - behind, out.rest.keys, out.rest.keys - behind - 1);
        --out.rest.keys;
        out.rest.values -= to.width;
        continue;
      }
      if (j > 0 && (in[j] == blocks_ || out.next[j] == block_[in[j]].begin))
        step_back(j);
      out.next[j] -= to.width;
      std::memmove(to.values + i * to.width, out.next[j], to.width);
    }
  }

  /// Writes the result from what has been sorted out. `spare` has room for the others.
  void place(const sorted_out<K>& out, lanes<K> others, std::size_t rest, const lanes<K>& spare, std::size_t n,
             const lanes<K>& to) {
    std::size_t below[most_wanted], counts[most_wanted] = {}; // others before each heavy key; values of it
    for (std::size_t j = 0; j < keys_; ++j)
      below[j] = static_cast<std::size_t>(
          std::partition_point(others.keys, others.keys + rest, [&](K key) { return image_(key) < images_[j]; }) -
          others.keys);
    counts[0] = static_cast<std::size_t>(out.next[0] - to.values) / to.width;
    for (std::size_t b = 0; b < blocks_; ++b)
      counts[block_[b].owner] += static_cast<std::size_t>(block_[b].end - block_[b].begin) / to.width;
    const bool end_is_placed = rest > 0 && others.values == to.values + (n - rest) * to.width;
    if (end_is_placed && below[keys_ - 1] > 0) {
      copy_values(others.values, spare, 0, below[keys_ - 1]);
      std::copy(others.keys, others.keys + below[keys_ - 1], spare.keys);
      others = spare;
    }
    std::memmove(to.values + below[0] * to.width, to.values, counts[0] * to.width);
    std::size_t at = 0, placed = 0; // in the result; of the rest
    const auto place_rest = [&](std::size_t until) {
      if (placed == until)
        return;
      if (to.keys != nullptr)
        std::copy(others.keys + placed, others.keys + until, to.keys + at);
      copy_values(others.at(placed).values, to, at, until - placed);
      at += until - placed;
      placed = until;
    };
    for (std::size_t j = 0; j < keys_; ++j) {
      place_rest(below[j]);
      if (to.keys != nullptr)
        best_kernels<K>().fill(to.keys + at, counts[j], key_[j], false);
      std::size_t next = at;
      for (std::size_t b = 0; b < blocks_; ++b)
        if (block_[b].owner == j) {
          const auto some = static_cast<std::size_t>(block_[b].end - block_[b].begin) / to.width;
          copy_values(block_[b].begin, to, next, some);
          next += some;
        }
      at += counts[j];
    }
    if (!end_is_placed)
      place_rest(rest);
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
  std::size_t size_ = 0;                     // of the sample
  bool is_likely_ = false;
  block block_[most_blocks]; // as they were taken
  std::size_t blocks_ = 0;
};

} // namespace sortile::cpu
