// The inner loops of the CPU engine, as a table of functions per key width and value width: scan, histogram, partition,
// local.
//
// radix_sort.hpp, which calls them, decides what is done where and by which thread; the loops know nothing of threads.
// There is a table for each instruction set (kernels_all.hpp), and the best one that the machine has is used.
#pragma once

#include "cpu/key_image.hpp"

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <type_traits>

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
template <class K, class V>
struct lanes {
  K* keys = nullptr;
  V* values = nullptr;

  lanes at(std::size_t i) const {
    if constexpr (has_values<V>)
      return {keys + i, values != nullptr ? values + i : nullptr};
    else
      return {keys + i, nullptr};
  }
};

/// Lanes that are only read. Where V carries values and `values` is null, the value of key i is its position,
/// first_index + i: so argsort never reads positions, it makes them on the first move.
template <class K, class V>
struct source {
  const K* keys = nullptr;
  const V* values = nullptr;
  std::size_t first_index = 0;

  source() = default;
  source(const K* k, const V* v, std::size_t first = 0) : keys(k), values(v), first_index(first) {}
  source(const lanes<K, V>& l) : keys(l.keys), values(l.values) {}

  bool makes_indices() const { return has_values<V> && values == nullptr; }
  source at(std::size_t i) const {
    if constexpr (has_values<V>)
      return {keys + i, values != nullptr ? values + i : nullptr, first_index + i};
    else
      return {keys + i, nullptr, 0};
  }
};

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

/// Splitters drawn from a sample of ordering images, as a search tree: bucket 2 i holds what lies between splitters
/// i − 1 and i, bucket 2 i + 1 what is equal to splitter i.
template <class K>
struct splitter_tree {
  static constexpr unsigned levels = 7;
  static constexpr std::size_t splitters = (std::size_t{1} << levels) - 1;

  K level[levels][std::size_t{1} << (levels - 1)]; ///< level l has 2^l splitters, in order
  K sorted[splitters + 1];

  splitter_tree() = default;
  /// From a sorted sample of at least as many images as there are buckets between splitters.
  splitter_tree(const K* sample, std::size_t n) {
    for (std::size_t i = 0; i < splitters; ++i)
      sorted[i] = sample[(i + 1) * n / (splitters + 1)];
    sorted[splitters] = sorted[splitters - 1]; // never equal to a key that comes here: those are above it
    for (unsigned l = 0; l < levels; ++l)
      for (std::size_t i = 0; i < std::size(level[l]); ++i)
        level[l][i] = i < std::size_t{1} << l ? sorted[((2 * i + 1) << (levels - 1 - l)) - 1] : K{0};
  }
};

/// How a segment is split into buckets: by a digit, between splitters, or around a key that is very frequent, into what is
/// below it, equal to it and above it.
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
  std::size_t buckets() const {
    return around_key ? 3 : tree != nullptr ? 2 * splitter_tree<K>::splitters + 1 : by.buckets();
  }
  bool is_any() const { return around_key || tree != nullptr || by.bits > 0; }
  /// Whether all keys of a bucket are equal, so that it needs no sort.
  bool is_of_equals(std::size_t bucket) const { return (around_key || tree != nullptr) && bucket % 2 == 1; }
  bool operator==(const split&) const = default;
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
/// whole cache lines. Every flush is a mispredicted branch, so 8-byte keys get two lines.
constexpr std::size_t line_keys(std::size_t key_bytes, std::size_t value_width) {
  if (value_width == 0)
    return key_bytes <= 2 ? 64 / key_bytes : 128 / key_bytes;
  const std::size_t narrower = key_bytes < value_width ? key_bytes : value_width;
  return narrower <= 4 ? 16 : narrower == 8 ? 8 : 4;
}

/// Scratch of a local sort: three lanes of the largest local size, and counters.
template <class K, class V>
struct local_scratch {
  lanes<K, V> first;
  lanes<K, V> second;
  lanes<K, V> result;    ///< where the result is made that is then written past the caches
  std::uint32_t* counts; ///< [max_local_digits][max_buckets]
};

/// A stretch of a segment whose keys one thread collects in blocks of one bucket each, in place (kernels_blocks.ipp).
template <class K, class V>
struct block_collector {
  lanes<K, V> array;      ///< the segment: slot s holds the keys [s · block, (s + 1) · block) of it
  lanes<K, V> buffers;    ///< [buckets][block]: what has not filled a block yet
  lanes<K, V> heads;      ///< [buckets][block]: what lies before the first whole block of a bucket
  std::uint32_t* fill;    ///< keys in each buffer
  std::uint32_t* head;    ///< where the head of each bucket begins within its block
  std::uint32_t* in_head; ///< whether the buffer of a bucket holds its head
  std::uint32_t* next;    ///< the slot where the next block of each bucket will come to lie
  std::uint32_t* targets; ///< for each slot that is filled, where its block will come to lie
  std::size_t slot = 0;   ///< the next one to fill
  std::size_t block = 0;  ///< keys in a block
};

template <class K, class V>
struct kernels {
  /// Scans keys[0, n); `before` is the key before them, or null.
  void (*look)(const K* keys, std::size_t n, const K* before, const key_image<K>& image, look_result<K>& found);

  /// counts[digit] += how often it occurs.
  void (*histogram)(const K* keys, std::size_t n, const key_image<K>& image, const split<K>& d, std::uint64_t* counts);

  /// Moves n keys to `to`, each to where its bucket has come: position[b], counted up. Stable. `start` holds the
  /// positions before; `buffers` has max_buckets · line_keys(…) keys, then as many values, aligned to 64. With
  /// `stream`, past the caches.
  void (*partition)(source<K, V> from, std::size_t n, const key_image<K>& image, const split<K>& d,
                    std::uint64_t* position, const std::uint64_t* start, lanes<K, V> to, bool stream,
                    std::byte* buffers);

  /// Sorts n ≤ local limit keys into `to`, which may be where they are. Stable. With `stream`, `to` is written past the
  /// caches.
  void (*local)(source<K, V> from, std::size_t n, const key_image<K>& image, lanes<K, V> to,
                const local_scratch<K, V>& scratch, bool stream);

  /// Collects the keys [begin, begin + n) of the segment in blocks. Stable.
  void (*collect)(std::size_t begin, std::size_t n, const key_image<K>& image, const split<K>& d,
                  block_collector<K, V>& state);

  /// Copies past the caches.
  void (*write_out)(const void* from, std::size_t bytes, void* to);
};

/// The fastest kernels for this machine.
template <class K, class V>
const kernels<K, V>& best_kernels();

#define SORTILE_KERNELS_OF(KEY)                                                                                        \
  extern template const kernels<KEY, no_value>& best_kernels();                                                        \
  extern template const kernels<KEY, value_bytes<4>>& best_kernels();                                                  \
  extern template const kernels<KEY, value_bytes<8>>& best_kernels();                                                  \
  extern template const kernels<KEY, value_bytes<16>>& best_kernels();
SORTILE_KERNELS_OF(std::uint8_t)
SORTILE_KERNELS_OF(std::uint16_t)
SORTILE_KERNELS_OF(std::uint32_t)
SORTILE_KERNELS_OF(std::uint64_t)
SORTILE_KERNELS_OF(uint128)
#undef SORTILE_KERNELS_OF

} // namespace sortile::cpu
