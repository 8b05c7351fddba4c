// Sorts of up to 128 keys as numbers that hold a key and its position:
//
//     word i   [ image of key i, the bits that differ ][ i: 7 bits ]
//
// Those of keys of 1 and 2 bytes have 32 bits; of such integers alone there is nothing but the key to sort.
//
// No two words are equal, so a sort that is not stable puts them into the stable order, and −0, NaN and bit windows
// concern only the image. Positions then say where keys and values come from. Where keys of 64 or 128 bits differ in
// more than the 57 bits that are left, the words hold the highest 57, and one walk with insertions repairs what those
// leave equal.
#include "cpu/few_words.hpp"

#include "cpu/key_image.hpp"
#include "cpu/vector_sort.hpp"
#include "cpu/with_width.hpp"
#include "primitives/key_codec.hpp"
#include "primitives/with_word.hpp"

#include <cstring>
#include <type_traits>

namespace sortile::cpu {

namespace {

constexpr unsigned position_bits = 7;
constexpr std::uint64_t position_mask = most_in_words - 1;
constexpr std::size_t most_moves = 8; // of a key in the walk with insertions, where the usual way is left

// The words of up to most_in_words keys: of keys of 1 and 2 bytes 32 bits hold both parts, which vectors sort in half
// the time.
template <class K>
using word_of_few = std::conditional_t<(sizeof(K) <= 2), std::uint32_t, std::uint64_t>;

template <class K, class Word>
void make_words(const K* keys, std::size_t n, const key_codec<K>& codec, Word* words) {
  const key_codec<K> c = codec;
  for (std::size_t i = 0; i < n; ++i)
    words[i] = static_cast<Word>(static_cast<Word>(c.image(keys[i])) << position_bits | i);
}

/// The 64 bits of a key from a bit on; shifts of 128 bits by a number that is not known take several times as long.
template <class K>
std::uint64_t bits_from(K key, unsigned first) {
  if constexpr (sizeof(K) == 16)
    if (first >= 64)
      return static_cast<std::uint64_t>(key >> 64) >> (first - 64);
  return static_cast<std::uint64_t>(key >> first);
}

// Wide keys: where they differ in too many bits, the words hold the highest ones. Of all, the images.
template <class K>
bool make_words(const K* keys, std::size_t n, const key_codec<K>& codec, std::uint64_t* words, K* images) {
  const key_codec<K> c = codec;
  K differing = 0;
  if (sizeof(K) == 16 && c.bits == 128) { // there are no floats of that width
    const K flip = c.sign ^ c.complement;
    for (std::size_t i = 0; i < n; ++i) {
      images[i] = keys[i] ^ flip;
      differing |= keys[i] ^ keys[0];
    }
  } else {
    for (std::size_t i = 0; i < n; ++i) {
      images[i] = c.image(keys[i]);
      differing |= images[i] ^ images[0];
    }
  }
  const unsigned width = width_of_key(differing), surplus = width + position_bits > 64 ? width + position_bits - 64 : 0;
  for (std::size_t i = 0; i < n; ++i)
    words[i] = bits_from(images[i], surplus) << position_bits | i;
  return surplus > 0;
}

// Sorts what equal words hold. False where a key would have to move farther: many differ in lower bits alone.
template <class K>
bool repair(std::uint64_t* words, std::size_t n, const K* images, std::size_t farthest) {
  for (std::size_t i = 1; i < n; ++i) {
    const std::uint64_t word = words[i];
    std::size_t at = i;
    for (; at > 0 && words[at - 1] >> position_bits == word >> position_bits &&
           images[words[at - 1] & position_mask] > images[word & position_mask];
         --at) {
      if (i - at == farthest)
        return false;
      words[at] = words[at - 1];
    }
    words[at] = word;
  }
  return true;
}

template <class Word>
void place(const void* from, void* to, std::size_t width, const Word* words, std::size_t n) {
  alignas(64) std::byte copy[most_in_words * widest_in_words];
  std::memcpy(copy, from, n * width);
  take_elements(copy, to, width, n, [words](std::size_t i) { return words[i] & position_mask; });
}

template <class Word>
void place_positions(void* to, std::size_t width, const Word* words, std::size_t n) {
  if (width == 4)
    for (std::size_t i = 0; i < n; ++i)
      static_cast<std::uint32_t*>(to)[i] = static_cast<std::uint32_t>(words[i] & position_mask);
  else
    for (std::size_t i = 0; i < n; ++i)
      static_cast<std::uint64_t*>(to)[i] = words[i] & position_mask;
}

/// Fills and sorts the words of n keys. Written out twice it would only make programs larger.
template <class K>
[[gnu::noinline]] bool order_words(key_type type, const void* from, std::size_t n, const ordering& by,
                                   word_of_few<K>* words) {
  const auto* const vectors = best_vector_kernels<word_of_few<K>>();
  if (vectors == nullptr || !are_bits_of(by.bits, 8 * sizeof(K)))
    return false;
  const key_codec<K> codec = make_key_codec<K>(type, by.direction, by.bits);
  const K* const keys = static_cast<const K*>(from);
  if constexpr (sizeof(K) >= 8) {
    alignas(64) K images[most_in_words];
    const bool truncated = make_words(keys, n, codec, words, images);
    vectors->sort(words, n, {}, words);
    return !truncated || repair(words, n, images, by.takes_long ? most_in_words : most_moves);
  } else {
    make_words(keys, n, codec, words);
    vectors->sort(words, n, {}, words);
    return true;
  }
}

template <class K>
bool sort_words(const sort_request& r, const ordering& by) {
  alignas(64) word_of_few<K> words[most_in_words];
  if (!order_words<K>(r.type, r.keys_in, r.n, by, words))
    return false;
  if (r.keys_out != nullptr)
    place(r.keys_in, r.keys_out, sizeof(K), words, r.n);
  if (r.carries == payload::indices)
    place_positions(r.values_out, r.value_bytes, words, r.n);
  else if (r.carries == payload::values)
    place(r.values_in, r.values_out, r.value_bytes, words, r.n);
  return true;
}

// Integers of 1 and 2 bytes alone, of which the whole key decides: no one can tell equal ones apart, so they are sorted
// as numbers of 32 bits.
template <class K>
bool sort_as_numbers(const sort_request& r, const ordering& by) {
  const vector_kernels<std::uint32_t>* const vectors = best_vector_kernels<std::uint32_t>();
  if (vectors == nullptr)
    return false;
  const K flip = key_image<K>(r.type, by.direction, {}).flip;
  const auto* const keys = static_cast<const K*>(r.keys_in);
  auto* const sorted = static_cast<K*>(r.keys_out);
  alignas(64) std::uint32_t numbers[most_in_words];
  for (std::size_t i = 0; i < r.n; ++i)
    numbers[i] = static_cast<K>(keys[i] ^ flip);
  vectors->sort(numbers, r.n, {}, numbers);
  for (std::size_t i = 0; i < r.n; ++i)
    sorted[i] = static_cast<K>(numbers[i] ^ flip);
  return true;
}

} // namespace

bool sort_by_words(const sort_request& r, const ordering& by) {
  return with_word(r.type, [&]<class K>(K) {
    if constexpr (sizeof(K) <= 2)
      if (r.carries == payload::none && by.is_whole() && !is_float(r.type))
        return sort_as_numbers<K>(r, by);
    return sort_words<K>(r, by);
  });
}

bool order_few(key_type type, const void* keys, std::size_t n, const options& opts, std::uint8_t* positions) noexcept {
  if (n == 1) {
    positions[0] = 0;
    return true;
  }
  const ordering by{opts.order, opts.bits, true};
  if (order_by_places(type, keys, n, by, positions))
    return true;
  return with_word(type, [&]<class K>(K) {
    alignas(64) word_of_few<K> words[most_in_words];
    if (!order_words<K>(type, keys, n, by, words))
      return false;
    for (std::size_t i = 0; i < n; ++i)
      positions[i] = static_cast<std::uint8_t>(words[i] & position_mask);
    return true;
  });
}

} // namespace sortile::cpu
