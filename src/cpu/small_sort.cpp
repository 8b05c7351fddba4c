// Short sorts. Idea: most of a short sort's time goes to what comes before its comparisons. So this file asks only what
// it must know, and leaves unusual requests to the front door.
//
// Keys alone of 4 and 8 bytes go to the vector sort as they are. All other requests are sorted as numbers that hold a
// key and its position:
//
//     word i   [ image of key i, the bits that differ ][ i: 7 bits ]
//
// Those of keys of 1 and 2 bytes have 32 bits; of such integers alone there is nothing but the key to sort. Longer ones
// of 16-bit keys are sorted so by words of 32 bits, with 16 bits for the position, and pairs of bytes too.
// Positions of bytes are counted. Of all but keys alone of 4 and 8 bytes the first four keys are compared before that:
// keys in order, or each before the one before it, are read once and need no words.
//
// No two words are equal, so a sort that is not stable puts them into the stable order, and −0, NaN and bit windows
// concern only the image. Positions then say where keys and values come from. Where keys of 64 or 128 bits differ in
// more than the 57 bits that are left, the words hold the highest 57, and one walk with insertions repairs what those
// leave equal.
#include "cpu/small_sort.hpp"

#include "cpu/key_image.hpp"
#include "cpu/sampled_split.hpp"
#include "cpu/short_calls.hpp"
#include "cpu/vector_sort.hpp"
#include "device/host_reach.hpp"
#include "plan/progress.hpp"
#include "primitives/key_codec.hpp"
#include "primitives/with_word.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <functional>

namespace sortile::cpu {

namespace {

// Of keys alone: what the L2 cache holds, and no second thread pays.
constexpr std::size_t most_bytes = std::size_t{1} << 20;
constexpr std::size_t least_sampled = 100'000;           // below no call allocates, as the long way does
constexpr std::size_t most_words = most_in_words;        // what one leaf of the vector sort takes
constexpr std::size_t most_merged = 2048;                // keys that are sorted sooner than merged
constexpr std::size_t most_of_two = 65535;               // keys of two runs that one thread merges
constexpr std::size_t sorted_from = 12, sorted_to = 512; // keys of 4 and 8 bytes that vectors sort sooner than that
constexpr std::size_t most_columns = 8;                  // each is sorted by, whether it decides or not
constexpr std::size_t most_inserted = 6;                 // rows that are ordered by comparisons of all columns
constexpr std::size_t most_keys_of_16_bits = 4096;       // from here on counting them pays
constexpr std::size_t most_positions_of_16_bits = 16384; // likewise
constexpr std::size_t most_positions_of_8_bits = 32768;  // from here on a second thread may pay
constexpr std::size_t most_narrow_pairs = 2048;          // of keys of 1 and 2 bytes, and values
constexpr std::size_t widest_narrow = 8;                 // bytes of such a value
constexpr std::size_t least_in_order = 9, most_in_order = 4096; // keys that are sought to be in order as they are; of
                                                                // more, the long way finds it
constexpr unsigned position_bits = 7;
constexpr std::uint64_t position_mask = most_words - 1;
constexpr std::size_t most_moves = 8; // of a key in the walk with insertions, where the usual way is left

// What of the options a short sort goes by.
struct ordering {
  order direction = order::ascending;
  bit_window bits{};
  bool takes_long = false; ///< rather than leaving it to the front door
  bool is_whole() const { return bits.begin == 0 && bits.end == bit_window::whole_key; }
};

// What a sample says of long arrays of few values, which the long way counts in half the time of a sort or less: values
// that come twice in it, or one that fills most of it. Not if they begin in order: a read here finds them to be so.
enum class few_values : std::uint8_t { unlikely, likely, one_alone };
template <class K>
few_values sampled_values(const K* keys, std::size_t n, const vector_kernels<K>& vectors) {
  constexpr std::size_t size = 128, most = 112, first = 1024;
  const bool begins_in_order =
      std::is_sorted(keys, keys + first) || std::is_sorted(keys, keys + first, std::greater<>());
  if (begins_in_order && keys[0] != keys[first - 1])
    return few_values::unlikely;
  K sample[size];
  for (std::size_t i = 0; i < size; ++i)
    sample[i] = keys[sampled_position(i, size, n)];
  vectors.sort(sample, size, {}, sample);
  std::size_t values = 0, once = 0, twice = 0, heaviest = 0;
  for (std::size_t i = 0, end = 0; i < size; i = end, ++values) {
    while (end < size && sample[end] == sample[i])
      ++end;
    once += end - i == 1;
    twice += end - i == 2;
    heaviest = std::max(heaviest, end - i);
  }
  if (values == 1)
    return std::memcmp(keys, keys + 1, (n - 1) * sizeof(K)) == 0 ? few_values::one_alone : few_values::likely;
  // Beside a value that fills more than a quarter they are not counted, unless there are hardly any others.
  const bool few = values <= most && once <= (heaviest <= size / 4 ? 16 * twice + 2 : 2);
  return !begins_in_order && (few || heaviest >= size / 4 * 3) ? few_values::likely : few_values::unlikely;
}

template <class K>
bool sort_keys(const sort_request& r, const ordering& by) {
  const vector_kernels<K>* const vectors = best_vector_kernels<K>();
  if (vectors == nullptr)
    return false;
  if (r.n >= least_sampled && !by.takes_long)
    switch (sampled_values(static_cast<const K*>(r.keys_in), r.n, *vectors)) {
    case few_values::likely:
      return false;
    case few_values::one_alone:
      if (r.keys_in != r.keys_out)
        std::memcpy(r.keys_out, r.keys_in, r.n * sizeof(K));
      return true;
    case few_values::unlikely:
      break;
    }
  const plain_image<K> image(key_image<K>(r.type, by.direction, {}));
  return vectors->unseen(static_cast<const K*>(r.keys_in), r.n, image, static_cast<K*>(r.keys_out));
}

// Whether the arrays are as the front door wants them.
bool are_sound(const sort_request& r, std::size_t key) {
  const std::size_t keys = r.n * key;
  if (r.keys_in == nullptr || !is_aligned(r.keys_in, key) || !is_aligned(r.keys_out, key) ||
      (r.keys_out == nullptr && r.carries != payload::indices) || !same_or_apart(r.keys_in, r.keys_out, keys) ||
      r.device_n != nullptr || r.device_status != nullptr)
    return false;
  if (r.carries == payload::none)
    return true;
  const std::size_t values = r.n * r.value_bytes;
  if (r.values_out == nullptr || r.value_bytes == 0 || r.value_bytes > widest_in_words ||
      !apart(r.keys_in, keys, r.values_out, values) || !apart(r.keys_out, keys, r.values_out, values))
    return false;
  if (r.carries == payload::indices)
    return (r.value_bytes == 4 || r.value_bytes == 8) && is_aligned(r.values_out, r.value_bytes);
  return r.carries == payload::values && r.values_in != nullptr && same_or_apart(r.values_in, r.values_out, values) &&
         apart(r.keys_in, keys, r.values_in, values) && apart(r.keys_out, keys, r.values_in, values) &&
         (r.keys_in == r.keys_out) == (r.values_in == r.values_out);
}

bool is_in_reach(const sort_request& r) {
  return are_in_reach({r.keys_in, r.keys_out}) &&
         (r.carries == payload::none || are_in_reach({r.values_in, r.values_out}));
}

// The same of what is written, and of what each part of a list reads.
template <class Part>
bool is_in_reach(const void* out, std::span<const Part> parts, const void* Part::*read) {
  return !device::has_driver() ||
         (!device::is_out_of_reach(out) && std::none_of(parts.begin(), parts.end(), [&](const Part& part) {
           return device::is_out_of_reach(part.*read);
         }));
}

/// Keys that a merge or an order of rows reads, beside what it writes.
bool can_be_read(const void* keys, std::size_t n, std::size_t key, const void* out, std::size_t out_bytes) {
  return n == 0 || (keys != nullptr && is_aligned(keys, key) && apart(keys, n * key, out, out_bytes));
}

bool can_be_written(const void* out, std::size_t alignment) {
  return out != nullptr && is_aligned(out, alignment);
}

template <class Word>
void take(const void* column, const std::uint32_t* order, std::size_t n, void* keys) {
  for (std::size_t i = 0; i < n; ++i)
    std::memcpy(static_cast<std::byte*>(keys) + i * sizeof(Word),
                static_cast<const std::byte*>(column) + order[i] * sizeof(Word), sizeof(Word));
}

void take(const void* column, std::size_t key, const std::uint32_t* order, std::size_t n, void* keys) {
  switch (key) {
  case 1:
    return take<std::uint8_t>(column, order, n, keys);
  case 2:
    return take<std::uint16_t>(column, order, n, keys);
  case 4:
    return take<std::uint32_t>(column, order, n, keys);
  default:
    return take<std::uint64_t>(column, order, n, keys);
  }
}

// The words of up to most_words keys: of keys of 1 and 2 bytes 32 bits hold both parts, which vectors sort in half the
// time.
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

template <std::size_t Width, class Word>
void place(const void* from, void* to, const Word* words, std::size_t n) {
  alignas(64) std::byte copy[most_words * Width];
  std::memcpy(copy, from, n * Width);
  auto* out = static_cast<std::byte*>(to);
  for (std::size_t i = 0; i < n; ++i)
    std::memcpy(out + i * Width, copy + (words[i] & position_mask) * Width, Width);
}

template <class Word>
void place(const void* from, void* to, std::size_t width, const Word* words, std::size_t n) {
  switch (width) {
  case 1:
    return place<1>(from, to, words, n);
  case 2:
    return place<2>(from, to, words, n);
  case 4:
    return place<4>(from, to, words, n);
  case 8:
    return place<8>(from, to, words, n);
  case 16:
    return place<16>(from, to, words, n);
  default: // 3, 5 … widest_in_words
    std::byte copy[most_words * widest_in_words];
    std::memcpy(copy, from, n * width);
    for (std::size_t i = 0; i < n; ++i)
      std::memcpy(static_cast<std::byte*>(to) + i * width, copy + (words[i] & position_mask) * width, width);
  }
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

/// Fills and sorts the words of n keys.
template <class K>
bool order_words(key_type type, const void* from, std::size_t n, const ordering& by, word_of_few<K>* words) {
  const auto* const vectors = best_vector_kernels<word_of_few<K>>();
  const unsigned width = 8 * sizeof(K), end = by.bits.end == bit_window::whole_key ? width : by.bits.end;
  if (vectors == nullptr || by.bits.begin > end || end > width)
    return false;
  const key_codec<K> codec = make_key_codec<K>(type, by.direction, by.bits);
  const K* const keys = static_cast<const K*>(from);
  if constexpr (sizeof(K) >= 8) {
    alignas(64) K images[most_words];
    const bool truncated = make_words(keys, n, codec, words, images);
    vectors->sort(words, n, {}, words);
    return !truncated || repair(words, n, images, by.takes_long ? most_words : most_moves);
  } else {
    make_words(keys, n, codec, words);
    vectors->sort(words, n, {}, words);
    return true;
  }
}

template <class K>
bool sort_words(const sort_request& r, const ordering& by) {
  alignas(64) word_of_few<K> words[most_words];
  if (!order_words<K>(r.type, r.keys_in, r.n, by, words))
    return false;
  if (r.keys_out != nullptr)
    place<sizeof(K)>(r.keys_in, r.keys_out, words, r.n);
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
  alignas(64) std::uint32_t numbers[most_words];
  for (std::size_t i = 0; i < r.n; ++i)
    numbers[i] = static_cast<K>(keys[i] ^ flip);
  vectors->sort(numbers, r.n, {}, numbers);
  for (std::size_t i = 0; i < r.n; ++i)
    sorted[i] = static_cast<K>(numbers[i] ^ flip);
  return true;
}

bool sort_few(const sort_request& r, const ordering& by) {
  return with_word(r.type, [&]<class K>(K) {
    if constexpr (sizeof(K) <= 2)
      if (r.carries == payload::none && by.is_whole() && !is_float(r.type))
        return sort_as_numbers<K>(r, by);
    return sort_words<K>(r, by);
  });
}

// Keys of 1 and 2 bytes, up to as many as 16 bits number: words of 32 bits with the image above the position. They are
// made where the positions are wanted, or on the stack.
void place_by_words(const void* from, void* to, std::size_t width, const std::uint32_t* words, std::size_t n) {
  const auto place = [&]<std::size_t Width>(std::integral_constant<std::size_t, Width>) {
    std::byte copy[most_narrow_pairs * Width];
    std::memcpy(copy, from, n * Width);
    for (std::size_t i = 0; i < n; ++i)
      std::memcpy(static_cast<std::byte*>(to) + i * Width, copy + (words[i] & 0xffff) * Width, Width);
  };
  switch (width) {
  case 1:
    return place(std::integral_constant<std::size_t, 1>{});
  case 2:
    return place(std::integral_constant<std::size_t, 2>{});
  case 4:
    return place(std::integral_constant<std::size_t, 4>{});
  default:
    return place(std::integral_constant<std::size_t, widest_narrow>{});
  }
}

template <class K>
void sort_by_short_words(const sort_request& r, const ordering& by) {
  const vector_kernels<std::uint32_t>* const vectors = best_vector_kernels<std::uint32_t>();
  const bool indices = r.carries == payload::indices;
  const key_codec<K> codec = make_key_codec<K>(r.type, by.direction, {});
  const auto* const keys = static_cast<const K*>(r.keys_in);
  alignas(64) std::uint32_t own[most_keys_of_16_bits];
  std::uint32_t* const words = indices ? static_cast<std::uint32_t*>(r.values_out) : own;
  for (std::size_t i = 0; i < r.n; ++i)
    words[i] = static_cast<std::uint32_t>(static_cast<std::uint32_t>(codec.image(keys[i])) << 16 | i);
  vectors->sort(words, r.n, {}, words);
  if (!indices) {
    K copy[most_keys_of_16_bits];
    std::memcpy(copy, keys, r.n * sizeof(copy[0]));
    for (std::size_t i = 0; i < r.n; ++i)
      static_cast<K*>(r.keys_out)[i] = copy[words[i] & 0xffff];
    if (r.carries == payload::values)
      place_by_words(r.values_in, r.values_out, r.value_bytes, words, r.n);
  } else if (r.value_bytes == 4) {
    for (std::size_t i = 0; i < r.n; ++i)
      words[i] &= 0xffff;
  } else {
    for (std::size_t i = r.n; i-- > 0;) { // the last one first: each is written over words that were read
      const std::uint64_t position = words[i] & 0xffff;
      std::memcpy(static_cast<std::byte*>(r.values_out) + i * sizeof(position), &position, sizeof(position));
    }
  }
}

// Positions of keys of 1 byte: counted, and written where the counts say. Four tables of counts, so that equal keys
// behind each other do not wait for each other.
template <class Index>
void count_bytes(const sort_request& r, const ordering& by) {
  const key_codec<std::uint8_t> codec = make_key_codec<std::uint8_t>(r.type, by.direction, {});
  const auto* const keys = static_cast<const std::uint8_t*>(r.keys_in);
  std::uint32_t counts[4][256] = {};
  for (std::size_t i = 0; i < r.n; ++i)
    ++counts[i % 4][codec.image(keys[i])];
  std::uint32_t places[256], place = 0;
  for (std::size_t value = 0; value < 256; ++value) {
    places[value] = place;
    place += counts[0][value] + counts[1][value] + counts[2][value] + counts[3][value];
  }
  for (std::size_t i = 0; i < r.n; ++i)
    static_cast<Index*>(r.values_out)[places[codec.image(keys[i])]++] = static_cast<Index>(i);
}

void sort_8_bits(const sort_request& r, const ordering& by) {
  if (r.value_bytes == 4)
    count_bytes<std::uint32_t>(r, by);
  else
    count_bytes<std::uint64_t>(r, by);
}

// Longer sorts of keys of 1 and 2 bytes, of keys alone, positions alone or pairs.
bool sorts_narrow(const sort_request& r, std::size_t key, const ordering& by) {
  if (key <= 2 && r.carries == payload::values)
    return by.is_whole() && r.n <= most_narrow_pairs && std::has_single_bit(r.value_bytes) &&
           r.value_bytes <= widest_narrow && best_vector_kernels<std::uint32_t>() != nullptr;
  const bool indices = r.carries == payload::indices;
  const bool alone = r.carries == payload::none || (indices && r.keys_out == nullptr);
  if (!alone || r.input_is_scratch || !by.is_whole())
    return false;
  if (key == 1)
    return indices && r.n <= most_positions_of_8_bits;
  return key == 2 && best_vector_kernels<std::uint32_t>() != nullptr &&
         r.n <= (indices ? most_positions_of_16_bits : most_keys_of_16_bits);
}

// Whether a request is one for this file, and its arrays are sound.
bool is_short(const sort_request& r) {
  const std::size_t key = key_bytes(r.type);
  return r.n >= 2 && r.n <= most_bytes / 4 && key != 0 && (!r.input_is_scratch || r.keys_in == r.keys_out) &&
         are_sound(r, key);
}

// Whether sort_short() sorts a sound request whatever the keys are, where it may take long: all but floats that need
// more than words, of which one may be −0 or a NaN.
bool sorts_any_keys(const sort_request& r, const ordering& by) {
  if (best_vector_kernels<std::uint64_t>() == nullptr)
    return false;
  const std::size_t key = key_bytes(r.type);
  if (r.n <= most_words)
    return !r.input_is_scratch || r.carries != payload::indices;
  if (r.carries == payload::none && by.is_whole() && !is_float(r.type) && (key == 4 || key == 8))
    return r.n <= most_bytes / key;
  return sorts_narrow(r, key, by);
}

template <std::size_t Width>
void turn_round(const std::byte* from, std::byte* to, std::size_t n) {
  for (std::size_t i = 0, j = n - 1; i <= j; ++i, --j) {
    std::byte front[Width], back[Width];
    std::memcpy(front, from + i * Width, Width);
    std::memcpy(back, from + j * Width, Width);
    std::memcpy(to + i * Width, back, Width);
    std::memcpy(to + j * Width, front, Width);
  }
}

/// Writes n > 1 elements as they are, or the last one first; `to` may be `from`. False where elements have such a width
/// that they would be turned round byte by byte.
bool copy_run(const void* from, void* to, std::size_t width, std::size_t n, bool falls) {
  if (!falls) {
    if (from != to)
      std::memcpy(to, from, n * width);
    return true;
  }
  const auto* const source = static_cast<const std::byte*>(from);
  auto* const target = static_cast<std::byte*>(to);
  switch (width) {
  case 1:
    return turn_round<1>(source, target, n), true;
  case 2:
    return turn_round<2>(source, target, n), true;
  case 4:
    return turn_round<4>(source, target, n), true;
  case 8:
    return turn_round<8>(source, target, n), true;
  case 16:
    return turn_round<16>(source, target, n), true;
  default:
    return false;
  }
}

template <class Index>
void number(Index* positions, std::size_t n, bool falls) {
  for (std::size_t i = 0; i < n; ++i)
    positions[i] = static_cast<Index>(falls ? n - 1 - i : i);
}

// Whether the images of n ≥ 4 keys rise, or fall strictly. Keys of random order show it within the first four, eleven
// times out of twelve; these are read without a branch.
enum class key_order : std::uint8_t { none, rising, falling };
template <class K>
key_order order_of(const K* keys, std::size_t n, const key_codec<K>& codec) {
  constexpr std::size_t first = 4;
  unsigned descents = 0;
  for (std::size_t i = 1; i < first; ++i)
    descents += codec.image(keys[i]) < codec.image(keys[i - 1]);
  if (descents - 1 < first - 2)
    return key_order::none;
  K last = codec.image(keys[0]);
  for (std::size_t i = 1; i < n; ++i) {
    const K image = codec.image(keys[i]);
    if ((image < last) != (descents != 0))
      return key_order::none;
    last = image;
  }
  return descents != 0 ? key_order::falling : key_order::rising;
}

// Requests whose keys are in order, or strictly against it. False: nothing was done.
bool is_placed_in_order(const sort_request& r, std::size_t key, const ordering& by) {
  const key_order found = with_word(r.type, [&]<class K>(K) {
    return order_of(static_cast<const K*>(r.keys_in), r.n, make_key_codec<K>(r.type, by.direction, {}));
  });
  const bool falls = found == key_order::falling;
  if (found == key_order::none ||
      (r.carries == payload::values && !copy_run(r.values_in, r.values_out, r.value_bytes, r.n, falls)))
    return false;
  if (r.keys_out != nullptr)
    copy_run(r.keys_in, r.keys_out, key, r.n, falls);
  if (r.carries == payload::indices && r.value_bytes == sizeof(std::uint32_t))
    number(static_cast<std::uint32_t*>(r.values_out), r.n, falls);
  else if (r.carries == payload::indices)
    number(static_cast<std::uint64_t*>(r.values_out), r.n, falls);
  return true;
}

bool sort_short(const sort_request& r, const ordering& by) {
  const std::size_t key = key_bytes(r.type);
  if (r.carries == payload::none && by.is_whole()) {
    if (key == 4 && sort_keys<std::uint32_t>(r, by))
      return true;
    if (key == 8 && r.n <= most_bytes / 8 && sort_keys<std::uint64_t>(r, by))
      return true;
  }
  if (r.input_is_scratch && r.carries == payload::indices)
    return false;
  if (by.is_whole() && r.n >= least_in_order && r.n <= most_in_order && is_placed_in_order(r, key, by))
    return true;
  if (r.n <= most_words)
    return sort_few(r, by);
  if (!sorts_narrow(r, key, by))
    return false;
  if (key == 2)
    sort_by_short_words<std::uint16_t>(r, by);
  else if (r.carries == payload::values)
    sort_by_short_words<std::uint8_t>(r, by);
  else
    sort_8_bits(r, by);
  return true;
}

} // namespace

bool sort_small(const sort_request& r, const options& opts, bool engine_is_open) noexcept {
  if (!is_plain(opts, engine_is_open) || !is_short(r) || !is_in_reach(r))
    return false;
  const bool has_limit = opts.workspace_limit != 0; // which the usual way may not keep
  const ordering by{opts.order, opts.bits, has_limit};
  return (!has_limit || sorts_any_keys(r, by)) && sort_short(r, by);
}

bool sorts_at_once(const sort_request& r, const options& opts) {
  return is_short(r) && sorts_any_keys(r, {opts.order, opts.bits});
}

void sort_at_once(const sort_request& r, const options& opts) {
  progress_meter progress(&opts.progress, r.n);
  progress.report();
  sort_short(r, {opts.order, opts.bits, true});
  progress.finish();
}

bool sort_small(const sort_request& r) noexcept {
  return is_short(r) && sort_short(r, {});
}

bool order_few(key_type type, const void* keys, std::size_t n, const options& opts, std::uint8_t* positions) noexcept {
  if (n == 1) {
    positions[0] = 0;
    return true;
  }
  return with_word(type, [&]<class K>(K) {
    alignas(64) word_of_few<K> words[most_words];
    if (!order_words<K>(type, keys, n, {opts.order, opts.bits, true}, words))
      return false;
    for (std::size_t i = 0; i < n; ++i)
      positions[i] = static_cast<std::uint8_t>(words[i] & position_mask);
    return true;
  });
}

namespace {

/// One of two keys without a branch.
template <class K>
K choose(K a, K b, std::ptrdiff_t takes_b) {
  return static_cast<K>(a ^ ((a ^ b) & static_cast<K>(-static_cast<K>(takes_b))));
}

/// 1 where the key b comes before the key a, to be counted with: then compilers make no branch of it.
template <bool Exact, class K>
std::ptrdiff_t comes_before(K b, K a, const key_image<K>& image) {
  return Exact ? image.exact_float(b) < image.exact_float(a) : image.plain(b) < image.plain(a);
}

/// Merges two sorted runs from both ends at once, so that two chains of steps run side by side; each end takes at most
/// half of the shorter run, so that runs which are out of order do no harm.
template <bool Exact, class K>
void merge_two(const K* a, const K* a_end, const K* b, const K* b_end, const key_image<K>& given, K* out) {
  const key_image<K> image = given;
  K* out_end = out + (a_end - a) + (b_end - b);
  while (const auto steps = std::min(a_end - a, b_end - b) / 2) {
    for (std::ptrdiff_t i = 0; i < steps; ++i) {
      const K first_a = *a, first_b = *b, last_a = a_end[-1], last_b = b_end[-1];
      const std::ptrdiff_t takes_b = comes_before<Exact>(first_b, first_a, image);
      *out++ = choose(first_a, first_b, takes_b);
      b += takes_b;
      a += takes_b ^ 1;
      const std::ptrdiff_t takes_a = comes_before<Exact>(last_b, last_a, image);
      *--out_end = choose(last_b, last_a, takes_a);
      a_end -= takes_a;
      b_end -= takes_a ^ 1;
    }
  }
  while (a != a_end && b != b_end)
    *out++ = comes_before<Exact>(*b, *a, image) != 0 ? *b++ : *a++;
  std::copy(b, b_end, std::copy(a, a_end, out));
}

template <class K>
void merge_two(const merge_request& r, order direction) {
  const auto *const a = static_cast<const K*>(r.runs[0].keys), *const b = static_cast<const K*>(r.runs[1].keys);
  const key_image<K> image(r.type, direction, {});
  const auto merge = [&]<bool Exact>(std::bool_constant<Exact>) {
    merge_two<Exact>(a, a + r.runs[0].n, b, b + r.runs[1].n, image, static_cast<K*>(r.keys_out));
  };
  if constexpr (width_has_floats<K>)
    if (image.is_float)
      return merge(std::true_type{});
  merge(std::false_type{});
}

} // namespace

bool merge_small(const merge_request& r, const options& opts, bool engine_is_open) noexcept {
  const std::size_t key = key_bytes(r.type);
  const bool whole = opts.bits.begin == 0 && opts.bits.end == bit_window::whole_key;
  const bool two = r.runs.size() == 2 && whole;
  const std::size_t most = two ? most_of_two : key == 4 || key == 8 ? most_merged : most_words;
  if (r.value_bytes != 0 || key == 0 || opts.workspace_limit != 0 || !is_plain(opts, engine_is_open) ||
      !can_be_written(r.keys_out, key) || !is_in_reach(r.keys_out, r.runs, &sorted_run::keys))
    return false;
  std::size_t n = 0;
  for (const sorted_run& run : r.runs)
    if (run.n > most - n)
      return false;
    else
      n += run.n;
  for (const sorted_run& run : r.runs)
    if (!can_be_read(run.keys, run.n, key, r.keys_out, n * key))
      return false;
  if (two && ((key != 4 && key != 8) || n < sorted_from || n > sorted_to)) {
    with_word(r.type, [&]<class K>(K) { merge_two<K>(r, opts.order); });
    return true;
  }
  alignas(64)
      std::byte keys[most_merged * sizeof(std::uint64_t)]; // the output stays as it is where it is not sorted here
  std::byte* end = keys;
  for (const sorted_run& run : r.runs)
    if (run.n > 0) {
      std::memcpy(end, run.keys, run.n * key);
      end += run.n * key;
    }
  return sort_small({.type = r.type, .n = n, .keys_in = keys, .keys_out = r.keys_out}, opts, engine_is_open);
}

namespace {

/// Keys of a column as numbers that sort as they do, each in 64 bits.
template <class K>
void take_images(const column& c, std::size_t n, std::uint64_t* images) {
  const key_codec<K> codec = make_key_codec<K>(c.type, c.order, {});
  for (std::size_t i = 0; i < n; ++i)
    images[i] = codec.image(static_cast<const K*>(c.data)[i]);
}

void take_images(const column& c, std::size_t n, std::uint64_t* images) {
  switch (key_bytes(c.type)) {
  case 1:
    return take_images<std::uint8_t>(c, n, images);
  case 2:
    return take_images<std::uint16_t>(c, n, images);
  case 4:
    return take_images<std::uint32_t>(c, n, images);
  default:
    return take_images<std::uint64_t>(c, n, images);
  }
}

/// The order of so few rows that each is put between those before it.
void insert_rows(const rows_request& r) {
  std::uint64_t images[most_columns][most_inserted];
  for (std::size_t c = 0; c < r.columns.size(); ++c)
    take_images(r.columns[c], r.n, images[c]);
  const auto is_below = [&](std::size_t a, std::size_t b) {
    for (std::size_t c = 0; c < r.columns.size(); ++c)
      if (images[c][a] != images[c][b])
        return images[c][a] < images[c][b];
    return false;
  };
  std::uint8_t order[most_inserted];
  for (std::size_t i = 0; i < r.n; ++i) {
    std::size_t at = i;
    for (; at > 0 && is_below(i, order[at - 1]); --at)
      order[at] = order[at - 1];
    order[at] = static_cast<std::uint8_t>(i);
  }
  if (r.index_bytes == 4)
    std::copy(order, order + r.n, static_cast<std::uint32_t*>(r.indices_out));
  else
    std::copy(order, order + r.n, static_cast<std::uint64_t*>(r.indices_out));
}

} // namespace

bool argsort_rows_small(const rows_request& r, const options& opts, bool engine_is_open) noexcept {
  const bool usual = opts.order == order::ascending && opts.bits.begin == 0 && opts.bits.end == bit_window::whole_key &&
                     opts.workspace_limit == 0;
  if (r.n < 2 || r.n > most_words || r.columns.empty() || r.columns.size() > most_columns || !usual ||
      !is_plain(opts, engine_is_open) || (r.index_bytes != 4 && r.index_bytes != 8) ||
      !can_be_written(r.indices_out, r.index_bytes) || !is_in_reach(r.indices_out, r.columns, &column::data))
    return false;
  for (const column& c : r.columns) {
    const std::size_t key = key_bytes(c.type);
    if (key == 0 || key > 8 || !is_direction(c.order) || (c.n != column::length_of_the_rows && c.n != r.n) ||
        !can_be_read(c.data, r.n, key, r.indices_out, r.n * r.index_bytes))
      return false;
  }
  if (r.n <= most_inserted)
    return insert_rows(r), true;
  alignas(64) std::byte keys[most_words * sizeof(std::uint64_t)];
  std::uint32_t order[most_words];
  ordering by;
  for (std::size_t left = r.columns.size(); left > 0; --left) {
    const column& c = r.columns[left - 1];
    sort_request sort{.type = c.type, .n = r.n, .value_bytes = sizeof(order[0]), .values_out = order};
    if (left == r.columns.size()) {
      sort.keys_in = c.data;
      sort.carries = payload::indices;
    } else {
      take(c.data, key_bytes(c.type), order, r.n, keys);
      sort.keys_in = keys; // which are used up
      sort.carries = payload::values;
      sort.values_in = order;
    }
    by.direction = c.order;
    if (!sort_few(sort, by))
      return false;
  }
  if (r.index_bytes == sizeof(order[0]))
    std::memcpy(r.indices_out, order, r.n * sizeof(order[0]));
  else
    std::copy(order, order + r.n, static_cast<std::uint64_t*>(r.indices_out));
  return true;
}

} // namespace sortile::cpu
