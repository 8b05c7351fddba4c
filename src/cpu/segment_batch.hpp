// Short segments that have to be sorted stably, several at once, as numbers. Idea: a number holds the segment that a
// key belongs to, the key's image and its place in the batch. No two such numbers are equal, so a sort of numbers that
// is not stable sorts a whole batch of segments stably. And one sort of 128 numbers by vectors costs less than
// insertion sorts of many short segments.
//
//     word   [ segment of the batch: up to 7 bits ][ image, the bits that differ ][ place in the batch: 7 bits ]
//
// Where 64-bit images differ in more bits than there is room for, the words hold the highest, and one walk with
// insertions repairs what those leave equal (as small_sort.cpp does for one short array).
#pragma once

#include "cpu/kernels.hpp"
#include "cpu/vector_sort.hpp"
#include "plan/segment_places.hpp"

#include <bit>
#include <cstring>

namespace sortile::cpu {

template <class K, class V>
class segment_batch {
 public:
  static constexpr std::size_t most = 128;     ///< elements of a batch
  static constexpr std::size_t longest = 64;   ///< elements of a segment in it
  static constexpr bool fits = sizeof(K) <= 8; ///< whether images fit into words

  /// Takes the segments first, first + 1, … as long as they are short and there is room; returns how many. `values`
  /// null: positions are made.
  std::size_t take(const segments& where, std::size_t first, std::size_t last, const key_codec<K>& codec, const K* keys,
                   const V* values) {
    std::size_t i = first;
    for (; i < last && count_ < most; ++i) {
      const segment_place p = place_of(where, i);
      if (p.n > longest || elements_ + p.n > most)
        break;
      if (p.n == 0)
        continue;
      for (std::size_t k = 0; k < p.n; ++k, ++elements_) {
        keys_[elements_] = keys[p.first + k];
        images_[elements_] = static_cast<std::uint64_t>(codec.image(keys_[elements_]));
        segment_[elements_] = static_cast<std::uint8_t>(count_);
        if constexpr (has_values<V>)
          if (values != nullptr)
            values_[elements_] = values[p.first + k];
      }
      origin_[count_] = p.first;
      end_[count_++] = static_cast<std::uint8_t>(elements_);
    }
    return i - first;
  }

  /// Sorts all that was taken, and writes it to the segments' places of the outputs; keys null: not wanted.
  void put(K* keys, V* values, bool makes_indices) {
    if (elements_ == 0)
      return;
    sort();
    std::size_t e = 0;
    for (std::size_t s = 0; s < count_; ++s) {
      const std::size_t begin = e;
      for (; e < end_[s]; ++e) {
        const std::size_t from = words_[e] & place_mask, at = origin_[s] + e - begin;
        if (keys != nullptr)
          keys[at] = keys_[from];
        if constexpr (has_values<V>) {
          const std::uint64_t index = from - begin;
          if (makes_indices)
            std::memcpy(&values[at], &index, sizeof(V) < sizeof index ? sizeof(V) : sizeof index);
          else
            values[at] = values_[from];
        }
      }
    }
  }

 private:
  static constexpr unsigned place_bits = 7;
  static constexpr std::uint64_t place_mask = most - 1;

  void sort() {
    std::uint64_t differing = 0;
    for (std::size_t e = 1; e < elements_; ++e)
      differing |= images_[e] ^ images_[0];
    const auto width = static_cast<unsigned>(std::bit_width(differing));
    const auto segment_bits = static_cast<unsigned>(std::bit_width(count_ - 1));
    const unsigned room = 64 - place_bits - segment_bits, dropped = width > room ? width - room : 0;
    const unsigned kept = width - dropped;
    const std::uint64_t low = width == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << width) - 1;
    for (std::size_t e = 0; e < elements_; ++e) {
      const std::uint64_t image = (images_[e] & low) >> dropped;
      words_[e] = (std::uint64_t{segment_[e]} << (kept % 64) | image) << place_bits | e;
    }
    best_vector_kernels<std::uint64_t>()->sort(words_, elements_, {}, words_);
    if (dropped > 0)
      repair();
  }

  /// Words that differ in their places alone are of one segment.
  void repair() {
    for (std::size_t i = 1; i < elements_; ++i) {
      const std::uint64_t word = words_[i];
      std::size_t at = i;
      for (; at > 0 && words_[at - 1] >> place_bits == word >> place_bits &&
             images_[words_[at - 1] & place_mask] > images_[word & place_mask];
           --at)
        words_[at] = words_[at - 1];
      words_[at] = word;
    }
  }

  std::size_t elements_ = 0, count_ = 0;
  alignas(64) std::uint64_t words_[most];
  std::uint64_t images_[most];
  K keys_[most];
  V values_[has_values<V> ? most : 1];
  std::size_t origin_[most];
  std::uint8_t segment_[most], end_[most];
};

} // namespace sortile::cpu
