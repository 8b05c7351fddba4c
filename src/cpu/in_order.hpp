// Segments that need no sort: copied as they are, or backwards, by several threads.
#pragma once

#include "cpu/kernels.hpp"
#include "cpu/parallel.hpp"

#include <cstring>

namespace sortile::cpu {

namespace detail {

template <class V>
void put_index(V& value, std::uint64_t index) {
  std::memcpy(&value, &index, sizeof(V) < sizeof(index) ? sizeof(V) : sizeof(index));
}

/// Swaps i and n − 1 − i on the way from `from` to `to`, which may be one array.
template <class T>
void reverse_lane(const T* from, T* to, std::size_t n, std::size_t begin, std::size_t end) {
  for (std::size_t i = begin; i < end; ++i) {
    const T front = from[i], back = from[n - 1 - i];
    to[i] = back;
    to[n - 1 - i] = front;
  }
}

} // namespace detail

/// Copies n keys with their values, or makes indices; nothing where `to` is `from`.
template <class K, class V>
void copy_in_order(const source<K, V>& from, std::size_t n, const lanes<K, V>& to, unsigned workers) {
  if (from.keys == to.keys && (!has_values<V> || from.values == to.values))
    return;
  for_each_piece(workers, n, 1, [&](std::size_t begin, std::size_t end) {
    if (from.keys != to.keys)
      std::memcpy(to.keys + begin, from.keys + begin, (end - begin) * sizeof(K));
    if constexpr (has_values<V>) {
      if (from.makes_indices())
        for (std::size_t i = begin; i < end; ++i)
          detail::put_index(to.values[i], from.first_index + i);
      else if (from.values != to.values)
        std::memcpy(to.values + begin, from.values + begin, (end - begin) * sizeof(V));
    }
  });
}

/// The same from back to front; `to` may be `from`.
template <class K, class V>
void copy_reversed(const source<K, V>& from, std::size_t n, const lanes<K, V>& to, unsigned workers) {
  for_each_piece(workers, (n + 1) / 2, 1, [&](std::size_t begin, std::size_t end) {
    detail::reverse_lane(from.keys, to.keys, n, begin, end);
    if constexpr (has_values<V>) {
      if (from.makes_indices())
        for (std::size_t i = begin; i < end; ++i) {
          detail::put_index(to.values[i], from.first_index + n - 1 - i);
          detail::put_index(to.values[n - 1 - i], from.first_index + i);
        }
      else
        detail::reverse_lane(from.values, to.values, n, begin, end);
    }
  });
}

} // namespace sortile::cpu
