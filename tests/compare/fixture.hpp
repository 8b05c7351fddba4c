// What the tests of compare.cuh share: guarded arrays that host and kernels see, random structs, the oracle.
#pragma once

#include "testing/guarded_buffer.hpp"
#include "tests/compare/shapes.hpp"
#include "tests/simt/fixture.hpp"

#include <algorithm>
#include <cstdlib>
#include <new>
#include <numeric>

namespace sortile::compare_tests {
inline namespace SORTILE_BACKEND {

#if SORTILE_ON_CUDA
inline const testing::array_memory managed{[](std::size_t bytes) {
                                             void* memory = nullptr;
                                             if (cudaMallocManaged(&memory, bytes) != cudaSuccess)
                                               throw std::bad_alloc();
                                             return memory;
                                           },
                                           [](void* memory) { static_cast<void>(cudaFree(memory)); },
                                           [] { ASSERT_EQ(cudaDeviceSynchronize(), cudaSuccess); }};
inline const testing::array_memory* const where = &managed;
inline void finish() {
  ASSERT_EQ(cudaDeviceSynchronize(), cudaSuccess);
}
#else
inline const testing::array_memory* const where = nullptr;
inline void finish() {}
#endif

/// A guarded array whose start is no better aligned than its type asks.
template <class T>
class array {
 public:
  explicit array(std::size_t n) : n_(n), memory_(n * sizeof(T), alignof(T), n, where) {}
  explicit array(const std::vector<T>& v) : array(v.size()) {
    if (n_ > 0)
      std::memcpy(static_cast<void*>(memory_.data()), v.data(), n_ * sizeof(T));
  }
  std::span<T> span() { return {reinterpret_cast<T*>(memory_.data()), n_}; }

  /// The bytes are those of `expected`, padding included, and nobody wrote beside the array.
  void expect(const std::vector<T>& expected, const char* what) const {
    EXPECT_TRUE(n_ == 0 || std::memcmp(memory_.data(), expected.data(), n_ * sizeof(T)) == 0) << what;
    EXPECT_EQ(memory_.damage(), "") << what;
  }

 private:
  std::size_t n_;
  testing::guarded_buffer memory_;
};

template <class Shape>
std::vector<typename Shape::type> random_structs(std::size_t n, std::uint64_t seed) {
  random_engine random(seed);
  std::vector<typename Shape::type> v(n);
  for (auto& t : v) {
    auto* const bytes = reinterpret_cast<unsigned char*>(&t);
    for (std::size_t i = 0; i < sizeof t; ++i)
      bytes[i] = static_cast<unsigned char>(random()); // padding travels too
    Shape::fill(t, random);
  }
  return v;
}

template <class Shape>
std::vector<std::uint64_t> expected_order(const std::vector<typename Shape::type>& v, order direction) {
  std::vector<std::uint64_t> positions(v.size());
  std::iota(positions.begin(), positions.end(), 0u);
  std::stable_sort(positions.begin(), positions.end(), [&](std::uint64_t a, std::uint64_t b) {
    const int c = Shape::compare(v[a], v[b]);
    return direction == order::ascending ? c < 0 : c > 0;
  });
  return positions;
}

/// An order of u64 that several translation units sort by, each with kernels of its own, of more than 48 KiB of shared
/// storage.
struct downwards {
  SORTILE_HOST_DEVICE bool operator()(std::uint64_t a, std::uint64_t b) const { return b < a; }
};
inline std::vector<std::uint64_t> numbers(std::size_t n, std::uint64_t seed) {
  random_engine random(seed);
  std::vector<std::uint64_t> v(n);
  for (std::uint64_t& x : v)
    x = random();
  return v;
}
/// Sorts that many downwards, in place.
inline void check_downwards(std::size_t n) {
  std::vector<std::uint64_t> v = numbers(n, n);
  array<std::uint64_t> keys(v);
  sortile::sort(keys.span(), on_device(downwards{}));
  finish();
  std::sort(v.begin(), v.end(), downwards{});
  keys.expect(v, "downwards");
}

/// A copy by memcpy: assignment may leave padding behind.
template <class T>
std::vector<T> in_order(const std::vector<T>& v, const std::vector<std::uint64_t>& positions) {
  std::vector<T> out(v.size());
  for (std::size_t i = 0; i < v.size(); ++i)
    std::memcpy(static_cast<void*>(&out[i]), &v[positions[i]], sizeof(T));
  return out;
}

} // namespace SORTILE_BACKEND
} // namespace sortile::compare_tests
