// What the tests of cub.cuh share: a call in its two phases, keys with their images, the oracle. Arrays are those of
// the tests of compare.cuh.
#pragma once

#include "tests/compare/fixture.hpp"

#include <sortile/cub.cuh>

#include <functional>

#if SORTILE_ON_CUDA
#include <cuda/std/tuple>
#define SORTILE_TEST_TUPLE cuda::std::tuple
#else
#define SORTILE_TEST_TUPLE std::tuple
#endif

namespace sortile::cub_tests {
inline namespace SORTILE_BACKEND {

using compare_tests::array;
using compare_tests::finish;
using compare_tests::in_order;
using compare_tests::where;

/// As many as make the large paths run on a GPU, and few for the executor.
constexpr std::size_t many = SORTILE_ON_CUDA ? 1'000'003 : 9001;

inline cudaError_t expect_success(cudaError_t result) {
  EXPECT_EQ(result, cudaSuccess) << cub::last_error_message();
  return result;
}

/// Asks `call(storage, bytes)` for its size, and makes it in storage of that size which begins `off` bytes after a
/// boundary of 128.
template <class Call>
void in_two_phases(const Call& call, std::size_t off = 0) {
  std::size_t bytes = 0;
  if (expect_success(call(nullptr, bytes)) != cudaSuccess)
    return;
  ASSERT_GT(bytes, 0u);
  testing::guarded_buffer storage(bytes, off, 1, where);
  std::size_t given = bytes;
  expect_success(call(storage.data(), given));
  finish();
  EXPECT_EQ(given, bytes);
  EXPECT_EQ(storage.damage(), "") << "beyond the storage";
}

/// The unsigned number that sorts as a key does, written down once more: −0 as +0, every NaN the largest.
template <class K>
auto image_of(const K& key) {
  using bits = sortile::detail::bits_of_size<sizeof(K)>;
  constexpr key_type type = key_type_of<K>;
  constexpr bits sign = bits(bits{1} << (8 * sizeof(K) - 1));
  bits b;
  std::memcpy(&b, &key, sizeof b);
  if constexpr (is_float(type)) {
    constexpr unsigned mantissa = type == key_type::f16    ? 10
                                  : type == key_type::bf16 ? 7
                                  : type == key_type::f32  ? 23
                                                           : 52;
    const bits magnitude = bits(b & ~sign), infinity = bits(bits(~sign) >> mantissa << mantissa);
    if (magnitude > infinity)
      return bits(~bits{0});
    if (magnitude == 0)
      return sign;
    return (b & sign) != 0 ? bits(~b) : bits(b | sign);
  } else {
    return is_signed_integer(type) ? bits(b ^ sign) : b;
  }
}

/// Random keys with many ties; of floats with both zeros, infinities and NaNs.
template <class K>
std::vector<K> random_keys(std::size_t n, std::uint64_t seed) {
  using bits = sortile::detail::bits_of_size<sizeof(K)>;
  compare_tests::random_engine random(seed);
  std::vector<K> keys(n);
  for (K& key : keys) {
    const std::uint64_t r = random();
    bits b = bits(random());
    if constexpr (sizeof(K) == 16)
      b |= bits(random()) << 64;
    if (r % 4 == 0)
      b = bits(b % 7);
    if (is_float(key_type_of<K>) && r % 16 == 1)
      b = bits(bits{1} << (8 * sizeof(K) - 1));
    if (is_float(key_type_of<K>) && r % 16 == 2)
      b = bits(~(r % 64));
    std::memcpy(static_cast<void*>(&key), &b, sizeof b);
  }
  return keys;
}

template <class V = std::uint32_t>
std::vector<V> numbered(std::size_t n) {
  std::vector<V> v(n);
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t b = 0; b < sizeof(V); ++b)
      reinterpret_cast<unsigned char*>(&v[i])[b] = static_cast<unsigned char>(i >> (8 * (b % 4)));
  return v;
}

/// What is asked of a sort of keys.
struct asked {
  bool descending = false;
  int begin_bit = 0, end_bit = -1; ///< -1: to the end
};

/// The order of the keys [first, last) by these bits of their images, stable.
template <class K>
std::vector<std::uint64_t> positions_in_order(const std::vector<K>& keys, const asked& a, std::size_t first,
                                              std::size_t last) {
  constexpr int width = 8 * sizeof(K);
  const int end = a.end_bit < 0 ? width : a.end_bit;
  const auto bits_of = [&](std::size_t i) {
    auto image = image_of(keys[i]);
    using bits = decltype(image);
    if (end == a.begin_bit)
      return bits{0};
    image = bits(bits(image << (width - end)) >> (width - end));
    return bits(image >> a.begin_bit);
  };
  std::vector<std::uint64_t> positions(last - first);
  std::iota(positions.begin(), positions.end(), first);
  std::stable_sort(positions.begin(), positions.end(), [&](std::uint64_t x, std::uint64_t y) {
    return a.descending ? bits_of(y) < bits_of(x) : bits_of(x) < bits_of(y);
  });
  return positions;
}

template <class K>
std::vector<std::uint64_t> positions_in_order(const std::vector<K>& keys, const asked& a = {}) {
  return positions_in_order(keys, a, 0, keys.size());
}

} // namespace SORTILE_BACKEND
} // namespace sortile::cub_tests
