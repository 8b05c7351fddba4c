// Elements of several kinds, comparisons, and threads, for the tests of sorts by a comparison; the oracle is
// std::stable_sort.
#pragma once

#include "testing/workloads.hpp"

#include <sortile/sortile.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <numeric>
#include <stdexcept>
#include <string>
#include <vector>

namespace sortile::testing {

/// A key, and where the element stood, which no comparison sees: so equal elements differ.
template <std::size_t Bytes>
struct sized {
  std::uint32_t key;
  std::uint32_t place;
  std::array<std::uint8_t, Bytes - 8> rest;
  bool operator==(const sized&) const = default;
};

/// A small element that is not aligned to its size.
struct three_bytes {
  std::uint8_t key, high, low;
  bool operator==(const three_bytes&) const = default;
};

struct owner {
  std::uint32_t key;
  std::string place;
  bool operator==(const owner&) const = default;
};

template <class T>
T element(std::uint64_t key, std::size_t place) {
  if constexpr (std::integral<T>) {
    return static_cast<T>(key);
  } else if constexpr (std::same_as<T, three_bytes>) {
    return {static_cast<std::uint8_t>(key), static_cast<std::uint8_t>(place >> 8), static_cast<std::uint8_t>(place)};
  } else if constexpr (std::same_as<T, owner>) {
    return {static_cast<std::uint32_t>(key), "element number " + std::to_string(place)};
  } else {
    T t{static_cast<std::uint32_t>(key), static_cast<std::uint32_t>(place), {}};
    t.rest.fill(static_cast<std::uint8_t>(place));
    return t;
  }
}

/// Around the sizes at which a step changes.
inline constexpr std::size_t sizes[] = {0, 1, 2, 7, 8, 9, 16, 31, 64, 100, 1000, 2047, 2048, 2049, 5000, 70'001};

/// Every way in which the sort's steps can go: what the keys are, from all equal to all different.
enum class keys_are { random, few, one_frequent, rising, falling, in_runs, nearly_sorted };
inline constexpr std::array all_arrangements{keys_are::random,       keys_are::few,     keys_are::one_frequent,
                                             keys_are::rising,       keys_are::falling, keys_are::in_runs,
                                             keys_are::nearly_sorted};

inline std::uint64_t key_at(keys_are a, std::size_t i, std::size_t n, std::uint64_t seed) {
  const std::uint64_t r = random_bits(seed, i);
  switch (a) {
  case keys_are::random:
    return r >> 16;
  case keys_are::few:
    return r % 5;
  case keys_are::one_frequent:
    return r % 2 == 0 ? 1000 : (r >> 8) % 2000;
  case keys_are::rising:
    return i / 2;
  case keys_are::falling:
    return n - i;
  case keys_are::in_runs:
    return i % (n / 5 + 1) / 3;
  case keys_are::nearly_sorted:
    return i % 100 == 0 ? r % (n + 1) : i;
  }
  return 0;
}

template <class T>
std::vector<T> elements(keys_are a, std::size_t n, std::uint64_t seed) {
  std::vector<T> all;
  all.reserve(n);
  for (std::size_t i = 0; i < n; ++i)
    all.push_back(element<T>(key_at(a, i, n, seed), i));
  return all;
}

/// The order that the library cannot know: by the key without its lowest bit, the largest first. A type for all tests,
/// since each brings a sort of its own to compile.
struct coarse_descending {
  static inline bool is_forbidden = false; ///< whether no element may be read
  template <class T>
  bool operator()(const T& a, const T& b) const {
    if (is_forbidden)
      throw std::logic_error("an element was read");
    if constexpr (std::integral<T>)
      return (a | 1) > (b | 1);
    else
      return (a.key | 1) > (b.key | 1);
  }
};

} // namespace sortile::testing
