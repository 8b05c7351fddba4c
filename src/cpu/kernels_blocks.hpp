// The kernel of the partition in place: keys collect in a block for each bucket, and whole blocks are written to the
// front, over what has been read. in_place.hpp says what happens to the blocks.
//
//     [ block of 3 | block of 0 | block of 3 |      free      | not read yet … ]
//                                             ^slot            ^i               fewer keys are written than read
//
// A block stays in the L2 cache until it is full, so a bucket costs one mispredicted branch a block and no counter
// of positions. Stable: the blocks of a bucket are filled one after the other. Heavy keys are taken out of what is
// collected one by one, as those of a partition with spare arrays are (kernels_heavy.ipp).
#pragma once

#include "cpu/kernels.hpp"

#include <algorithm>
#include <cstring>

namespace sortile::cpu {

template <class K, class V, bool WithKeys = true>
void flush_block(block_collector<K>& c, std::size_t bucket) {
  const std::size_t block = c.block, at = bucket * block;
  c.fill[bucket] = 0;
  if (c.in_head[bucket] != 0) {
    const std::size_t begin = at + c.head[bucket], n = block - c.head[bucket];
    c.in_head[bucket] = 0;
    if constexpr (WithKeys)
      std::memcpy(c.heads.keys + begin, c.buffers.keys + begin, n * sizeof(K));
    if constexpr (has_values<V>)
      std::memcpy(c.heads.template values_as<V>() + begin, c.buffers.template values_as<V>() + begin, n * sizeof(V));
    return;
  }
  if constexpr (WithKeys)
    std::memcpy(c.array.keys + c.slot * block, c.buffers.keys + at, block * sizeof(K));
  if constexpr (has_values<V>)
    std::memcpy(c.array.template values_as<V>() + c.slot * block, c.buffers.template values_as<V>() + at,
                block * sizeof(V));
  c.targets[c.slot++] = c.next[bucket]++ | (WithKeys ? 0 : block_collector<K>::without_keys);
}

/// Puts m keys into the buffers of their buckets.
template <class K, class V>
[[gnu::noinline]] void collect_block(block_collector<K>& c, const K* keys, const V* values, std::size_t m,
                                     const std::uint16_t* digits) {
  // Of the collector in registers: a value's bytes could be any part of it.
  std::uint32_t* const fill = c.fill;
  K* const buffer_keys = c.buffers.keys;
  V* const buffer_values = c.buffers.template values_as<V>();
  const std::size_t block = c.block;
  const auto put = [&](std::size_t j) {
    const std::size_t b = digits[j], at = fill[b];
    buffer_keys[b * block + at] = keys[j];
    if constexpr (has_values<V>)
      buffer_values[b * block + at] = values[j];
    fill[b] = static_cast<std::uint32_t>(at + 1);
    if (at + 1 == block) [[unlikely]]
      flush_block<K, V>(c, b);
  };
  std::size_t j = 0;
  for (; j + digit_run <= m; j += digit_run) {
    const std::size_t b = digits[j], at = fill[b];
    if (is_run(digits + j) && at + digit_run < block) {
      std::memcpy(buffer_keys + b * block + at, keys + j, digit_run * sizeof(K));
      if constexpr (has_values<V>)
        std::memcpy(buffer_values + b * block + at, values + j, digit_run * sizeof(V));
      fill[b] = static_cast<std::uint32_t>(at + digit_run);
    } else {
      for (std::size_t l = j; l < j + digit_run; ++l)
        put(l);
    }
  }
  for (; j < m; ++j)
    put(j);
}

/// Puts n values of one key into the buffer of its bucket; the key is left out.
template <class K, class V>
[[gnu::noinline]] void collect_equal(block_collector<K>& c, std::size_t bucket, const V* values, std::size_t n) {
  while (n > 0) {
    const std::size_t fill = c.fill[bucket], at = bucket * c.block + fill, some = std::min(n, c.block - fill);
    std::memcpy(c.buffers.template values_as<V>() + at, values, some * sizeof(V));
    c.fill[bucket] = static_cast<std::uint32_t>(fill + some);
    if (fill + some == c.block)
      flush_block<K, V, false>(c, bucket);
    values += some;
    n -= some;
  }
}

template <class K, class V>
void collect_by_digits(std::size_t begin, std::size_t n, const key_image<K>& image, const split<K>& d,
                       block_collector<K>& state) {
  const kernels<K>& k = best_kernels<K>();
  block_collector<K> c = state;
  const source<K> from = c.from.at(begin);
  alignas(64) std::uint16_t digits[digit_block];
  value_block<V> values_of;
  for (std::size_t i = 0; i < n; i += digit_block) {
    const std::size_t m = n - i < digit_block ? n - i : digit_block;
    k.digits(from.keys + i, m, image, d, digits);
    collect_block<K, V>(c, from.keys + i, values_of(from, i, m), m, digits);
  }
  state.slot = c.slot;
}

/// Moves n keys to `to`, which lies in a cache: straight to where their buckets have come.
template <class K, class V>
void scatter(const source<K>& from, std::size_t n, const key_image<K>& image, const split<K>& d,
             std::uint64_t* position, const lanes<K>& to) {
  const kernels<K>& k = best_kernels<K>();
  K* const to_keys = to.keys;
  V* const to_values = to.template values_as<V>();
  alignas(64) std::uint16_t digits[digit_block];
  value_block<V> values_of;
  for (std::size_t i = 0; i < n; i += digit_block) {
    const std::size_t m = n - i < digit_block ? n - i : digit_block;
    k.digits(from.keys + i, m, image, d, digits);
    const K* const keys = from.keys + i;
    [[maybe_unused]] const V* const values = values_of(from, i, m);
    for (std::size_t j = 0; j < m; ++j) {
      const std::uint64_t at = position[digits[j]]++;
      to_keys[at] = keys[j];
      if constexpr (has_values<V>)
        to_values[at] = values[j];
    }
  }
}

} // namespace sortile::cpu
