// The local kernel by words: a stable sort by means of one that is not.
//
// Idea: a segment of the local sort is short, so a key and its position fit into 64 bits. No two such words are equal;
// the vector sort of 64-bit numbers puts them into the stable order, and the positions in them say where keys and
// values come from. −0, NaN, bit windows and orders concern the image alone.
//
//     word i   [ image of key i: the bits that differ in the segment ][ position i ]
//
// Where 64-bit keys differ in more bits than there is room for, the words hold the highest of them. Few neighbours are
// equal in those (a segment of 2^15 keys leaves room for 49 bits); one walk finds and repairs them.
#pragma once

#include "cpu/kernels.hpp"
#include "cpu/vector_sort.hpp"

#include <algorithm>
#include <bit>
#include <cstring>

namespace sortile::cpu {

// The lowest `bits` bits.
template <class K>
K low_bits(unsigned bits) {
  return bits >= 8 * sizeof(K) ? static_cast<K>(~K{0}) : static_cast<K>((K{1} << bits) - 1);
}

// `from` may be `to`.
template <class K, class V>
void copy_lanes(const source<K>& from, std::size_t n, const lanes<K>& to) {
  if (from.keys != to.keys)
    std::memcpy(to.keys, from.keys, n * sizeof(K));
  if constexpr (has_values<V>) {
    if (from.makes_indices())
      for (std::size_t i = 0; i < n; ++i)
        put_index(to.template values_as<V>()[i], from.first_index + i);
    else if (from.values != to.values)
      std::memcpy(to.values, from.values, n * sizeof(V));
  }
}

// How images become words.
struct word_shape {
  unsigned width;         // of the differing bits, counted from bit 0
  unsigned dropped;       // lowest bits of the image that the words do not hold
  unsigned position_bits; // of the position
  bool whole;             // all that differs is in the words

  word_shape(std::uint64_t differing, std::size_t n)
      : width(static_cast<unsigned>(std::bit_width(differing))),
        dropped(differing == 0 ? 0 : static_cast<unsigned>(std::countr_zero(differing))),
        position_bits(static_cast<unsigned>(std::bit_width(n - 1))), whole(true) {
    if (width - dropped + position_bits > 64) {
      dropped = width + position_bits - 64;
      whole = false;
    }
  }
};

// Words that differ in their positions alone are put into the order of the bits that they do not hold.
template <class K>
void repair_words(std::uint64_t* words, std::size_t n, const K* keys, const key_image<K>& image,
                  const word_shape& shape) {
  const std::uint64_t positions = low_bits<std::uint64_t>(shape.position_bits);
  const auto ordering = [&](std::uint64_t word) { return image.ordering(keys[word & positions]); };
  for (std::size_t i = 1; i < n; ++i) {
    if ((words[i] ^ words[i - 1]) > positions)
      continue;
    std::size_t end = i + 1;
    while (end < n && (words[end] ^ words[i]) <= positions)
      ++end;
    std::stable_sort(words + i - 1, words + end,
                     [&](std::uint64_t a, std::uint64_t b) { return ordering(a) < ordering(b); });
    i = end;
  }
}

template <class K, class V>
void gather_words(const source<K>& from, std::size_t n, const std::uint64_t* words, unsigned position_bits,
                  const lanes<K>& to) {
  const std::uint64_t positions = low_bits<std::uint64_t>(position_bits);
  const K* const keys = from.keys;
  K* const to_keys = to.keys;
  if constexpr (has_values<V>) {
    V* const to_values = to.template values_as<V>();
    if (from.makes_indices()) {
      for (std::size_t i = 0; i < n; ++i) {
        const auto at = static_cast<std::size_t>(words[i] & positions);
        to_keys[i] = keys[at];
        put_index(to_values[i], from.first_index + at);
      }
      return;
    }
    const V* const values = from.template values_as<V>();
    for (std::size_t i = 0; i < n; ++i) {
      const auto at = static_cast<std::size_t>(words[i] & positions);
      to_keys[i] = keys[at];
      to_values[i] = values[at];
    }
  } else {
    for (std::size_t i = 0; i < n; ++i)
      to_keys[i] = keys[words[i] & positions];
  }
}

// Sorts a segment whose images differ in the bits `differing`.
template <class K, class V>
void sort_by_words(const source<K>& from, std::size_t n, const key_image<K>& image, K differing, const lanes<K>& to,
                   const local_scratch<K>& scratch) {
  auto* const words = reinterpret_cast<std::uint64_t*>(scratch.first.keys); // `second` follows it, `result` is free
  const word_shape shape(differing, n);
  best_kernels<K>().make_words(from.keys, n, image, shape, words);
  best_vector_kernels<std::uint64_t>()->sort(words, n, {}, words);
  if (!shape.whole)
    repair_words(words, n, from.keys, image, shape);
  const bool aliased = from.keys == to.keys || (has_values<V> && from.values == to.values);
  gather_words<K, V>(from, n, words, shape.position_bits, aliased ? scratch.result : to);
  if (aliased)
    copy_lanes<K, V>(scratch.result, n, to);
}

} // namespace sortile::cpu
