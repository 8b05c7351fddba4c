// The local kernel by words: a stable sort by means of one that is not.
//
// Idea: a segment of the local sort is short, so a key and its position fit into one word. No two such words are equal;
// the vector sort of numbers puts them into the stable order, and the positions in them say where keys and
// values come from. −0, NaN, bit windows and orders concern the image alone.
//
//     word i   [ image of key i: the bits that differ in the segment ][ position i ]     32 or 64 bits
//
// Where keys differ in more bits than there is room for, the words hold the highest of them. Few neighbours are equal
// in those, and one walk finds and repairs them: a long run of ties is sorted by the bits that were left out, as words
// once more. So up to 2^14 keys 32 bits do (13 of position and 19 of key leave one uniform key in 64 a tie), which are
// sorted in half the time. A segment with many ties that are no equal keys, as skew makes them, gets words of 64 bits;
// a sample of the words tells, or else the walk.
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

  word_shape(std::uint64_t differing, std::size_t n, unsigned word_bits)
      : width(static_cast<unsigned>(std::bit_width(differing))),
        dropped(differing == 0 ? 0 : static_cast<unsigned>(std::countr_zero(differing))),
        position_bits(static_cast<unsigned>(std::bit_width(n - 1))), whole(true) {
    if (width - dropped + position_bits > word_bits) {
      dropped = width + position_bits - word_bits;
      whole = false;
    }
  }
};

// Puts n words that differ in their positions alone into the order of the bits that they do not hold.
template <class K, class Word>
void sort_ties(Word* words, std::size_t n, const K* keys, const key_image<K>& image, const word_shape& shape) {
  constexpr std::size_t few = 16;
  const auto positions = low_bits<Word>(shape.position_bits);
  const auto image_of = [&](Word word) { return image.ordering(keys[word & positions]); };
  if (n <= few || shape.dropped + shape.position_bits > 8 * sizeof(Word)) {
    std::sort(words, words + n, [&](Word a, Word b) {
      const K x = image_of(a), y = image_of(b);
      return x < y || (x == y && a < b);
    });
    return;
  }
  const auto held = static_cast<Word>(words[0] & ~positions);
  const auto left_out = low_bits<K>(shape.dropped);
  for (std::size_t i = 0; i < n; ++i)
    words[i] = static_cast<Word>(static_cast<Word>(image_of(words[i]) & left_out) << shape.position_bits |
                                 (words[i] & positions));
  best_vector_kernels<Word>()->sort(words, n, {}, words);
  for (std::size_t i = 0; i < n; ++i)
    words[i] = static_cast<Word>(held | (words[i] & positions));
}

// Whether many of n words that hold not all of a key will tie with those of other keys: some do in a sample of them. A
// sample of m has m² / n² of the pairs that tie.
template <class K, class Word>
bool will_tie(const Word* words, std::size_t n, const K* keys, const key_image<K>& image, const word_shape& shape) {
  constexpr std::size_t least = 16, most = 512;
  const std::size_t size = std::min(n / 32, most);
  if (size < least)
    return false;
  Word sample[most];
  for (std::size_t i = 0; i < size; ++i)
    sample[i] = words[n / size * i];
  best_vector_kernels<Word>()->sort(sample, size, {}, sample);
  const auto positions = low_bits<Word>(shape.position_bits);
  const auto image_of = [&](Word word) { return image.ordering(keys[word & positions]); };
  std::size_t ties = 0;
  for (std::size_t i = 1; i < size; ++i)
    ties += (sample[i] ^ sample[i - 1]) <= positions && image_of(sample[i]) != image_of(sample[i - 1]);
  return ties > size / 256;
}

template <class K, class V, class Word>
void gather_words(const source<K>& from, std::size_t n, const Word* words, Word positions, const lanes<K>& to) {
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

// Puts what sorted words were gathered into `to` into order where words tie: neighbours there whose keys descend say
// where that is needed, so equal keys, which are in order as they are, cost nothing. False, and nothing is in order,
// where more than `most` would be sorted.
template <class K, class V, class Word>
bool repair_ties(const source<K>& from, std::size_t n, Word* words, const key_image<K>& image, const word_shape& shape,
                 std::size_t most, const lanes<K>& to) {
  const auto positions = low_bits<Word>(shape.position_bits);
  const auto wrong_ties = best_kernels<K>().template wrong_ties<Word>();
  constexpr std::size_t block = 64;
  std::size_t sorted = 0;
  for (std::size_t i = 1, end = 1; i < n; i += block) {
    std::uint64_t wrong = wrong_ties(to.keys + i, words + i, std::min(block, n - i), image, positions);
    for (; wrong != 0; wrong &= wrong - 1) {
      const std::size_t at = i + static_cast<std::size_t>(std::countr_zero(wrong));
      if (at < end) // sorted already, with one before it
        continue;
      const auto ties = [&](std::size_t j) { return (words[j] ^ words[at]) <= positions; };
      std::size_t begin = at - 1;
      for (end = at + 1; end < n && ties(end);)
        ++end;
      while (begin > 0 && ties(begin - 1))
        --begin;
      sorted += end - begin - 1;
      if (sorted > most)
        return false;
      sort_ties(words + begin, end - begin, from.keys, image, shape);
      gather_words<K, V>(from, end - begin, words + begin, positions, to.at(begin));
    }
  }
  return true;
}

// Sorts a segment whose images differ in the bits `differing`. False where too many words of this width would be ties.
template <class Word, class K, class V>
bool sort_words_of(const source<K>& from, std::size_t n, const key_image<K>& image, K differing, const lanes<K>& to,
                   const local_scratch<K>& scratch) {
  auto* const words = reinterpret_cast<Word*>(scratch.first.keys); // `second` follows it, `result` is free
  const word_shape shape(differing, n, 8 * sizeof(Word));
  const auto positions = low_bits<Word>(shape.position_bits);
  best_kernels<K>().template make_words<Word>()(from.keys, n, image, shape, words);
  if (sizeof(Word) < 8 && !shape.whole && will_tie(words, n, from.keys, image, shape))
    return false;
  if constexpr (has_values<V>)
    if (!from.makes_indices())
      fetch(from.values, 0, n * sizeof(V)); // while the words are sorted
  best_vector_kernels<Word>()->sort(words, n, {}, words);
  const bool aliased = from.keys == to.keys || (has_values<V> && from.values == to.values);
  const lanes<K>& target = aliased ? scratch.result : to;
  gather_words<K, V>(from, n, words, positions, target);
  if (!shape.whole && !repair_ties<K, V>(from, n, words, image, shape, sizeof(Word) < 8 ? n / 16 : n, target))
    return false;
  if (aliased)
    copy_lanes<K, V>(scratch.result, n, to);
  return true;
}

// Up to so many keys 32 bits hold a position and enough of a key.
inline constexpr std::size_t short_words_most = std::size_t{1} << 14;

template <class K, class V>
void sort_by_words(const source<K>& from, std::size_t n, const key_image<K>& image, K differing, const lanes<K>& to,
                   const local_scratch<K>& scratch) {
  if (n > short_words_most || !sort_words_of<std::uint32_t, K, V>(from, n, image, differing, to, scratch))
    sort_words_of<std::uint64_t, K, V>(from, n, image, differing, to, scratch);
}

} // namespace sortile::cpu
