// The inner loops of the CPU engine, as tables of functions: per key width those that only read keys (scan, histogram,
// digits), per key width and value width those that move them (partition, local sort, collection in blocks).
//
// radix_sort.hpp, which calls them, decides what is done where and by which thread, and knows the values' width as a
// number; the loops know nothing of threads. What vectors make faster is compiled once per instruction set
// (kernels_all.hpp), and the best one that the machine has is used. What moves keys one after the other is compiled
// once, and takes digits and images a block at a time from those.
#pragma once

#include "cpu/cell_map.hpp"
#include "cpu/key_image.hpp"

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <iterator>
#include <type_traits>
#include <utility>

namespace sortile::cpu {

/// A value as the sort moves it: bytes, with no alignment.
template <std::size_t Bytes>
struct value_bytes {
  unsigned char bytes[Bytes];
};

/// Stands for "no values" where a value type is wanted.
struct no_value {};

template <class V>
inline constexpr bool has_values = !std::is_same_v<V, no_value>;

/// Keys and the values that belong to them, in arrays side by side.
template <class K>
struct lanes {
  K* keys = nullptr;
  std::byte* values = nullptr;
  std::size_t width = 0; ///< of a value; 0: there are none

  lanes at(std::size_t i) const { return {keys + i, values != nullptr ? values + i * width : nullptr, width}; }
  template <class V>
  V* values_as() const {
    return reinterpret_cast<V*>(values);
  }
};

/// Lanes that are only read. Where there is a width and `values` is null, the value of key i is its position,
/// first_index + i: so argsort never reads positions, it makes them on the first move.
template <class K>
struct source {
  const K* keys = nullptr;
  const std::byte* values = nullptr;
  std::size_t width = 0;
  std::size_t first_index = 0;

  source() = default;
  source(const K* k, const void* v, std::size_t value_width, std::size_t first = 0)
      : keys(k), values(static_cast<const std::byte*>(v)), width(value_width), first_index(first) {}
  source(const lanes<K>& l) : keys(l.keys), values(l.values), width(l.width) {}

  bool makes_indices() const { return width != 0 && values == nullptr; }
  source at(std::size_t i) const {
    return {keys + i, values != nullptr ? values + i * width : nullptr, width, first_index + i};
  }
  template <class V>
  const V* values_as() const {
    return reinterpret_cast<const V*>(values);
  }
};

/// The bytes of a position as a value that has room for it.
template <class V>
void put_index(V& value, std::uint64_t index) {
  std::memcpy(static_cast<void*>(&value), &index,
              sizeof(V) < sizeof(index) ? sizeof(V) : sizeof(index)); // little endian
}

/// A digit of the image: `bits` bits from bit `shift` up.
struct digit {
  unsigned shift = 0;
  unsigned bits = 0;

  std::size_t buckets() const { return std::size_t{1} << bits; }
  bool operator==(const digit&) const = default;
};
inline constexpr unsigned max_digit_bits = 11;
inline constexpr std::size_t max_buckets = std::size_t{1} << max_digit_bits;
inline constexpr unsigned max_local_digits = 3;

/// Up to so many keys are sorted by insertion, which needs no scratch.
inline constexpr std::size_t insertion_limit = 24;

/// Splitters drawn from a sample of ordering images, as a search tree; or, in their place, a map. The tree has numbers
/// of 32 bits, whatever the keys: of wide keys the distance from where the sample is densest, as a float, so that
/// distances are told apart the better the shorter they are (kernels_splitters.ipp).
///
/// What is not below splitter i − 1, but below splitter i, is interval i, and has 2^part_bits buckets: the first one of
/// what has the number of splitter i − 1, the others of parts of the interval that are about equally wide.
template <class K>
struct splitter_tree {
  using number = std::uint32_t;
  static constexpr unsigned levels = 7;
  static constexpr std::size_t splitters = (std::size_t{1} << levels) - 1;
  static constexpr unsigned most_part_bits = max_digit_bits - levels;
  static constexpr bool is_wide = sizeof(K) > sizeof(number);
  static constexpr number middle = number{1} << 31;
  static constexpr unsigned mantissa_bits = sizeof(K) == 16 ? 23 : 24;     // of as many exponents as K has bits
  static constexpr std::uint64_t half = std::bit_cast<std::uint64_t>(0.5); // whole numbers are 0 or above it

  alignas(64) number level[levels][std::size_t{1} << (levels - 1)] = {}; ///< level l has 2^l splitters, in order
  number sorted[splitters] = {};
  number least = 0; ///< stands for a splitter below interval 0
  K center = 0;     ///< of wide keys, where the sample is densest
  unsigned part_bits = 1;
  alignas(64) std::uint8_t shift[splitters + 1] = {}; ///< of an interval: from the distance to its splitter to the part

  /// Keys that fill so many places that vectors take them out beforehand (kernels_heavy.ipp). They have buckets that
  /// hold nothing else: those of splitters, or between those of the map.
  static constexpr std::size_t most_heavy = 8;
  K heavy[most_heavy] = {};
  K heavy_image[most_heavy] = {}; ///< in order
  std::uint16_t heavy_bucket[most_heavy] = {};
  std::size_t heavy_keys = 0;

  cell_map<K> map; ///< where it has buckets, there are no splitters

  splitter_tree() = default;
  /// From a sorted sample of images.
  splitter_tree(const K* sample, std::size_t n, unsigned bits_of_parts)
      : center(densest(sample, n)), part_bits(bits_of_parts) {
    find_splitters(sample, n, nullptr, 0);
  }
  /// The same beside heavy keys that the sample has been freed of, by their images in order; around one of these.
  splitter_tree(const K* sample, std::size_t n, unsigned bits_of_parts, const K* heavy_images, std::size_t heavies,
                K around, const key_image<K>& image)
      : center(around), part_bits(bits_of_parts) {
    find_splitters(sample, n, heavy_images, heavies);
    for (std::size_t h = 0; h < heavies; ++h) {
      const number x = number_of(heavy_images[h]);
      const auto bucket_of =
          bucket(static_cast<std::size_t>(std::upper_bound(sorted, sorted + splitters, x) - sorted), x);
      if (!is_of_equals(bucket_of))
        continue;
      heavy[heavy_keys] = image.key_of(heavy_images[h]);
      heavy_image[heavy_keys] = heavy_images[h];
      heavy_bucket[heavy_keys++] = bucket_of;
    }
  }
  /// By a map, beside heavy keys.
  splitter_tree(const cell_map<K>& cells, const K* heavy_images, std::size_t heavies, const key_image<K>& image)
      : map(cells) {
    for (std::size_t h = 0; h < heavies && h < most_heavy; ++h) {
      heavy[h] = image.key_of(heavy_images[h]);
      heavy_image[h] = heavy_images[h];
      heavy_bucket[h] = static_cast<std::uint16_t>(bucket_by_map(heavy_images[h]) + 1);
      ++heavy_keys;
    }
  }

  number number_of(K x) const { return number_of(x, center); }
  static number number_of(K x, K center) {
    if constexpr (is_wide) {
      const auto bits =
          std::bit_cast<std::uint64_t>(double_of(x > center ? static_cast<K>(x - center) : static_cast<K>(center - x)));
      const auto code = static_cast<number>(((bits > half ? bits : half) - half) >> (52 - mantissa_bits));
      return x < center ? middle - code : middle + code;
    } else {
      return x;
    }
  }

  bool has_map() const { return map.buckets > 0; }
  std::size_t buckets() const { return has_map() ? map.buckets + 2 * heavy_keys : (splitters + 1) << part_bits; }
  /// Of an image; one that is a heavy key has the bucket before its own.
  std::uint16_t bucket_by_map(K x) const {
    const auto below = std::lower_bound(heavy_image, heavy_image + heavy_keys, x) - heavy_image;
    return static_cast<std::uint16_t>(map.bucket(x) + 2 * below);
  }
  /// The last bucket of an interval, counted from its first.
  number last_part() const { return (number{1} << part_bits) - 1; }
  /// The bucket of a number that i splitters are not above. Whether it is the splitter's is no branch: it cannot be
  /// guessed where values repeat, and all that has been begun for the keys behind it would be lost.
  std::uint16_t bucket(std::size_t i, number x) const {
    const number splitter = i > 0 ? sorted[i - 1] : least;
    const number part = (x > splitter ? x - splitter : 0) >> shift[i];
    const number inside = std::min<number>(part, last_part() - 1) + 1;
    const number differs = number{i == 0} | number{x != splitter};
    return static_cast<std::uint16_t>((i << part_bits) + inside * differs);
  }
  /// Whether the keys of a bucket are known to be equal.
  bool is_of_equals(std::size_t bucket) const {
    if (has_map())
      return std::find(heavy_bucket, heavy_bucket + heavy_keys, bucket) != heavy_bucket + heavy_keys;
    if ((bucket & last_part()) != 0 || bucket < 1u << part_bits)
      return false;
    const number x = sorted[(bucket >> part_bits) - 1], exact = (mantissa_bits + 2) << mantissa_bits;
    return !is_wide || (x > middle - exact && x < middle + exact);
  }

 private:
  static K densest(const K* sample, std::size_t n) {
    const std::size_t near = n / 16;
    K narrowest = sample[near] - sample[0], found = sample[near / 2];
    for (std::size_t i = 1; i + near < n; ++i)
      if (const K width = static_cast<K>(sample[i + near] - sample[i]); width < narrowest) {
        narrowest = width;
        found = sample[i + near / 2];
      }
    return found;
  }

  void find_splitters(const K* sample, std::size_t n, const K* heavy_images, std::size_t heavies) {
    const std::size_t drawn = splitters - heavies;
    for (std::size_t i = 0; i < drawn; ++i)
      sorted[i] = number_of(sample[(i + 1) * n / (drawn + 1)]);
    for (std::size_t h = 0; h < heavies && h < most_heavy; ++h) // the second bound is for compilers
      sorted[drawn + h] = number_of(heavy_images[h]);
    std::inplace_merge(sorted, sorted + drawn, sorted + splitters);
    least = std::min(sorted[0], number_of(sample[0]));
    const number greatest = std::max(sorted[splitters - 1], number_of(sample[n - 1]));
    for (unsigned l = 0; l < levels; ++l)
      for (std::size_t i = 0; i < std::size(level[l]); ++i)
        level[l][i] = i < std::size_t{1} << l ? sorted[((2 * i + 1) << (levels - 1 - l)) - 1] : 0;
    for (std::size_t i = 0; i <= splitters; ++i) {
      const number end = i < splitters ? sorted[i] : greatest;
      const auto width = static_cast<unsigned>(std::bit_width(end - (i > 0 ? sorted[i - 1] : least)));
      shift[i] = static_cast<std::uint8_t>(width > part_bits ? width - part_bits : 0);
    }
  }

  static double double_of(K x) {
    if constexpr (sizeof(K) == 16)
      return static_cast<double>(static_cast<std::uint64_t>(x >> 64)) * 0x1p64 +
             static_cast<double>(static_cast<std::uint64_t>(x));
    else
      return static_cast<double>(x);
  }
};

/// How a segment is split into buckets: by a digit, between splitters or by a map, or around a key that is very
/// frequent, into what is below it, equal to it and above it.
template <class K>
struct split {
  digit by{};
  bool around_key = false;
  K key_image = 0; ///< the ordering image of that key
  const splitter_tree<K>* tree = nullptr;

  split() = default;
  split(digit d) : by(d) {}
  explicit split(K image) : around_key(true), key_image(image) {}
  explicit split(const splitter_tree<K>& t) : tree(&t) {}
  std::size_t buckets() const { return around_key ? 3 : tree != nullptr ? tree->buckets() : by.buckets(); }
  bool is_any() const { return around_key || tree != nullptr || by.bits > 0; }
  /// Whether all keys of a bucket are equal, so that it needs no sort.
  bool is_of_equals(std::size_t bucket) const {
    return around_key ? bucket == 1 : tree != nullptr && tree->is_of_equals(bucket);
  }
  /// Whether a partition leaves out keys of such buckets, for whoever writes them where they belong.
  bool leaves_keys_out() const { return tree != nullptr && tree->heavy_keys > 0; }
  /// The key that a partition leaves out of a bucket; null where it moves all.
  const K* left_out(std::size_t bucket) const {
    for (std::size_t h = 0; leaves_keys_out() && h < tree->heavy_keys; ++h)
      if (tree->heavy_bucket[h] == bucket)
        return tree->heavy + h;
    return nullptr;
  }
  bool operator==(const split&) const = default;
};

/// Buckets between splitters, or by a map, that were found when keys were counted: finding them once more takes longer
/// than two bytes a key.
struct kept_digits {
  std::uint16_t* digits = nullptr;
  std::size_t n = 0; ///< of so many of the first keys
};

/// What one scan finds out about keys, gathered over pieces.
template <class K>
struct look_result {
  K any = 0;                     ///< OR of the images
  K all = static_cast<K>(~K{0}); ///< AND of the images
  bool ascending = true;         ///< no image is smaller than the one before it
  bool descending = true;        ///< every image is smaller than the one before it
  bool special = false;          ///< a scan with plain images met −0 or NaN: its other findings do not count then

  void join(const look_result& other) {
    any = static_cast<K>(any | other.any);
    all = static_cast<K>(all & other.all);
    ascending = ascending && other.ascending;
    descending = descending && other.descending;
    special = special || other.special;
  }
};

/// Keys that a write-combining buffer collects per bucket before it writes them out, so that both lanes are written in
/// whole cache lines. Every flush is a mispredicted branch, so 8-byte keys alone get two lines, and so do pairs of four
/// bytes each: as much as leaves room in the L2 cache.
constexpr std::size_t line_keys(std::size_t key_bytes, std::size_t value_width) {
  if (value_width == 0)
    return key_bytes <= 2 ? 64 / key_bytes : 128 / key_bytes;
  const std::size_t narrower = key_bytes < value_width ? key_bytes : value_width;
  return key_bytes + value_width <= 8 ? 32 : narrower <= 4 ? 16 : narrower == 8 ? 8 : 4;
}

/// The same of few buckets: longer lines in the same room, so fewer flushes.
inline constexpr std::size_t few_buckets = 512;
constexpr std::size_t long_line_keys(std::size_t key_bytes, std::size_t value_width) {
  const std::size_t usual = line_keys(key_bytes, value_width);
  return std::clamp(std::bit_floor(512 / (key_bytes + value_width)), usual, max_buckets / few_buckets * usual);
}

/// Scratch of a local sort: three lanes of the largest local size, and counters.
template <class K>
struct local_scratch {
  lanes<K> first;
  lanes<K> second;
  lanes<K> result;       ///< where the result is made that is then written past the caches
  std::uint32_t* counts; ///< [max_local_digits][max_buckets]

  local_scratch() = default;
  /// Counters, then the keys of all lanes (`second` follows `first`), then their values, from `at` on.
  local_scratch(std::byte* at, std::size_t lane_keys, std::size_t value_width)
      : counts(reinterpret_cast<std::uint32_t*>(at)) {
    K* const keys = reinterpret_cast<K*>(at + max_local_digits * max_buckets * sizeof(std::uint32_t));
    std::byte* const values = value_width != 0 ? reinterpret_cast<std::byte*>(keys + 3 * lane_keys) : nullptr;
    first = {keys, values, value_width};
    second = first.at(lane_keys);
    result = second.at(lane_keys);
  }
};

/// A stretch of a segment whose keys one thread collects in blocks of one bucket each, in place (kernels_blocks.hpp).
template <class K>
struct block_collector {
  /// Of a target: the block's keys are all one, and are left out.
  static constexpr std::uint32_t without_keys = std::uint32_t{1} << 31;

  source<K> from;         ///< the segment as it is read: where it lies, or with positions that are made
  lanes<K> array;         ///< the segment: slot s holds the keys [s · block, (s + 1) · block) of it
  lanes<K> buffers;       ///< [buckets][block]: what has not filled a block yet
  lanes<K> heads;         ///< [buckets][block]: what lies before the first whole block of a bucket
  std::uint32_t* fill;    ///< keys in each buffer
  std::uint32_t* head;    ///< where the head of each bucket begins within its block
  std::uint32_t* in_head; ///< whether the buffer of a bucket holds its head
  std::uint32_t* next;    ///< the slot where the next block of each bucket will come to lie
  std::uint32_t* targets; ///< for each slot that is filled, where its block will come to lie
  std::size_t slot = 0;   ///< the next one to fill
  std::size_t block = 0;  ///< keys in a block
};

/// Digits are taken from keys a block at a time, in a loop of its own, which is made of vectors; the loops that count
/// or move one key after another then only load them. That halves their instructions.
inline constexpr std::size_t digit_block = 256;

/// Of an array that is in order, or nearly, neighbours go to one bucket, and each would wait for the counter that the
/// one before it has just written. So keys are taken by the dozen where so many digits are equal.
inline constexpr std::size_t digit_run = 16;

inline bool is_run(const std::uint16_t* digits) {
  std::uint64_t words[digit_run / 4];
  std::memcpy(words, digits, sizeof(words));
  const std::uint64_t alike = digits[0] * 0x0001000100010001u;
  std::uint64_t differing = 0;
  for (const std::uint64_t word : words)
    differing |= word ^ alike;
  return differing == 0;
}

/// The values of a block of keys, one after the other: where they lie, or positions that are made.
template <class V>
class value_block {
 public:
  /// Of m ≤ digit_block keys from key i on; good until the next call.
  template <class K>
  const V* operator()(const source<K>& from, std::size_t i, std::size_t m) {
    if (!from.makes_indices())
      return has_values<V> ? from.template values_as<V>() + i : nullptr;
    for (std::size_t j = 0; j < m; ++j)
      put_index(made_[j], from.first_index + i + j);
    return made_;
  }

 private:
  V made_[has_values<V> ? digit_block : 1];
};

/// Asks for elements [first, last) from `at` on, which are read soon; they need not be there.
template <class T>
void fetch(const T* at, std::size_t first, std::size_t last) {
  const auto begin = reinterpret_cast<std::uintptr_t>(at);
  for (std::size_t i = first * sizeof(T); i < last * sizeof(T); i += 64)
    __builtin_prefetch(reinterpret_cast<const void*>(begin + i));
}

/// How keys become words for a local sort (kernels_words.hpp).
struct word_shape;

/// What kernels::find_wanted finds in a sample.
struct heavy_found {
  std::size_t values = 0; ///< that are heavy
  std::size_t keys = 0;   ///< that have these
};

/// What reads keys.
template <class K>
struct kernels {
  /// Scans keys[0, n); `before` is the key before them, or null.
  void (*look)(const K* keys, std::size_t n, const K* before, const key_image<K>& image, look_result<K>& found);

  /// counts[digit] += how often it occurs.
  void (*histogram)(const K* keys, std::size_t n, const key_image<K>& image, const split<K>& d, std::uint64_t* counts);
  /// The same of a split between splitters, with the digits kept.
  void (*count_and_keep)(const K* keys, std::size_t n, const key_image<K>& image, const split<K>& d,
                         std::uint64_t* counts, std::uint16_t* kept);
  /// histogram in the counters of a local sort.
  void (*count)(const K* keys, std::size_t n, const key_image<K>& image, const split<K>& d, std::uint32_t* counts);

  /// The buckets of n ≤ digit_block keys, but of a split around a key.
  void (*digits)(const K* keys, std::size_t n, const key_image<K>& image, const split<K>& d, std::uint16_t* digits);

  /// The bits of the window in which the images of n keys differ.
  K (*differing)(const K* keys, std::size_t n, const key_image<K>& image);

  template <class Word>
  using word_maker = void (*)(const K* keys, std::size_t n, const key_image<K>& image, const word_shape& shape,
                              Word* words);
  word_maker<std::uint32_t> make_short_words;
  word_maker<std::uint64_t> make_long_words;
  template <class Word>
  word_maker<Word> make_words() const {
    if constexpr (sizeof(Word) == 4)
      return make_short_words;
    else
      return make_long_words;
  }

  /// Of n ≤ 64 keys with something before them, in the order of their words: which have an image below that of the one
  /// before. That needs words that differ in `bits` alone.
  template <class Word>
  using tie_finder = std::uint64_t (*)(const K* keys, const Word* words, std::size_t n, const key_image<K>& image,
                                       Word bits);
  tie_finder<std::uint32_t> wrong_short_ties;
  tie_finder<std::uint64_t> wrong_long_ties;
  template <class Word>
  tie_finder<Word> wrong_ties() const {
    if constexpr (sizeof(Word) == 4)
      return wrong_short_ties;
    else
      return wrong_long_ties;
  }

  /// Writes where keys come before the one before them: up to `most` places; returns how many, more than `most` where
  /// there are more.
  std::size_t (*find_descents)(const K* keys, std::size_t n, const key_image<K>& image, std::size_t most,
                               std::size_t* at);

  /// What fills many places, of keys of 4 and 8 bytes, by AVX-512 or AVX2 (kernels_heavy.ipp).
  heavy_found (*find_wanted)(const K* sample, std::size_t n, std::size_t most, K* wanted, std::size_t known);

  /// Copies past the caches.
  void (*write_out)(const void* from, std::size_t bytes, void* to);
  /// Writes a key n times; with `stream`, past the caches.
  void (*fill)(K* to, std::size_t n, K key, bool stream);
};

template <class K>
class value_chains;

inline constexpr std::size_t most_wanted = 16; ///< of movers::sort_out

/// Where movers::sort_out appends what it sorts out. It goes on as long as nothing is behind where it shall be last.
template <class K>
struct sorted_out {
  static constexpr std::size_t written_behind = 16; ///< values or keys that may be written behind those appended

  std::byte* next[most_wanted]; ///< a value of each heavy key
  std::byte* last[most_wanted]; ///< from here on `step` of them have room, and what is written behind
  lanes<K> rest;                ///< a pair of another key
  const K* last_rest = nullptr;
  bool has_usually_rest = false; ///< in most vectors: only a guess
  K none[2];                     ///< keys that are not wanted, nor zero, beside which a float's −0 would have to stay
};

/// What moves keys with values of one width.
template <class K>
struct movers {
  /// Moves n keys to `to`, each to where its bucket has come: position[b], counted up. Stable. `start` holds the
  /// positions before; `buffers` has radix_layout::line_bytes, aligned to 64. With `stream`, past the caches.
  void (*partition)(const source<K>& from, std::size_t n, const key_image<K>& image, const split<K>& d,
                    const kept_digits& kept, std::uint64_t* position, const std::uint64_t* start, const lanes<K>& to,
                    bool stream, std::byte* buffers);

  /// Sorts n ≤ local limit keys into `to`, which may be where they are. Stable. With `stream`, `to` is written past the
  /// caches.
  void (*local)(const source<K>& from, std::size_t n, const key_image<K>& image, const lanes<K>& to,
                const local_scratch<K>& scratch, bool stream);

  /// Collects the keys [begin, begin + n) of the segment in blocks. Stable.
  void (*collect)(std::size_t begin, std::size_t n, const key_image<K>& image, const split<K>& d,
                  block_collector<K>& state);

  /// A partition into lanes that a cache holds: without buffers, and not beside heavy keys.
  void (*scatter)(const source<K>& from, std::size_t n, const key_image<K>& image, const split<K>& d,
                  std::uint64_t* position, const lanes<K>& to);

  /// Appends the values of n keys to the chains of these; false where there is no room for the chain of one. Null
  /// without values.
  bool (*chain)(const source<K>& from, std::size_t n, value_chains<K>& chains);

  /// Appends the value of each of n pairs whose key is wanted[j], of up to most_wanted, and the other pairs, to where
  /// `out` says; `step` ≤ digit_block pairs at a time, as long as there is room. Returns how many. What belongs to
  /// wanted[0] may come to lie where it is read, and nothing is written behind that. Null where no vectors do that.
  std::size_t (*sort_out)(const source<K>& from, std::size_t n, const K* wanted, std::size_t m, std::size_t step,
                          sorted_out<K>& out);
};

/// The fastest for this machine. Values of 0 (none), 4, 8 or 16 bytes.
template <class K>
const kernels<K>& best_kernels();
template <class K>
const movers<K>& best_movers(std::size_t value_width);

#define SORTILE_KERNELS_OF(KEY)                                                                                        \
  extern template const kernels<KEY>& best_kernels();                                                                  \
  extern template const movers<KEY>& best_movers(std::size_t);
SORTILE_KERNELS_OF(std::uint8_t)
SORTILE_KERNELS_OF(std::uint16_t)
SORTILE_KERNELS_OF(std::uint32_t)
SORTILE_KERNELS_OF(std::uint64_t)
SORTILE_KERNELS_OF(uint128)
#undef SORTILE_KERNELS_OF

} // namespace sortile::cpu
