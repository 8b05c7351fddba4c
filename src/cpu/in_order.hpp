// Segments that need no sort: copied as they are or backwards by several threads, or written from counts.
#pragma once

#include "cpu/kernels.hpp"
#include "cpu/parallel.hpp"

#include <algorithm>
#include <cstring>

namespace sortile::cpu {

namespace detail {

/// Calls f with a value of the type that values of a width are moved as.
template <class F>
void with_value_of(std::size_t width, F&& f) {
  switch (width) {
  case 4:
    return f(value_bytes<4>{});
  case 8:
    return f(value_bytes<8>{});
  default:
    return f(value_bytes<16>{});
  }
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
template <class K>
void copy_in_order(const source<K>& from, std::size_t n, const lanes<K>& to, unsigned workers) {
  if (from.keys == to.keys && from.values == to.values && !from.makes_indices())
    return;
  for_each_piece(workers, n, 1, [&](std::size_t begin, std::size_t end) {
    if (from.keys != to.keys)
      std::memcpy(to.keys + begin, from.keys + begin, (end - begin) * sizeof(K));
    if (from.makes_indices())
      detail::with_value_of(from.width, [&]<class V>(V) {
        for (std::size_t i = begin; i < end; ++i)
          put_index(to.template values_as<V>()[i], from.first_index + i);
      });
    else if (from.width != 0 && from.values != to.values)
      std::memcpy(to.at(begin).values, from.at(begin).values, (end - begin) * from.width);
  });
}

/// The same from back to front; `to` may be `from`.
template <class K>
void copy_reversed(const source<K>& from, std::size_t n, const lanes<K>& to, unsigned workers) {
  for_each_piece(workers, (n + 1) / 2, 1, [&](std::size_t begin, std::size_t end) {
    detail::reverse_lane(from.keys, to.keys, n, begin, end);
    if (from.width == 0)
      return;
    detail::with_value_of(from.width, [&]<class V>(V) {
      V* const values = to.template values_as<V>();
      if (!from.makes_indices())
        return detail::reverse_lane(from.template values_as<V>(), values, n, begin, end);
      for (std::size_t i = begin; i < end; ++i) {
        put_index(values[i], from.first_index + n - 1 - i);
        put_index(values[n - 1 - i], from.first_index + i);
      }
    });
  });
}

/// Writes places [begin, end) of an array in which the v-th value, key_of(v), ends at ends[v].
template <class K, class KeyOf>
void fill_between(K* to, std::size_t begin, std::size_t end, const std::uint64_t* ends, std::size_t values,
                  KeyOf key_of) {
  auto v = static_cast<std::size_t>(std::upper_bound(ends, ends + values, begin) - ends);
  for (; begin < end; ++v) {
    const std::size_t until = std::min<std::size_t>(ends[v], end);
    std::fill(to + begin, to + until, key_of(v));
    begin = until;
  }
}

} // namespace sortile::cpu
