// What the tests of sizes that only a GPU can do share: device memory that may not be had, loops over all of it, and a
// check of sorted keys that needs no second copy.
#pragma once

#include "tests/simt/fixture.hpp"

namespace sortile::simt_tests {
inline namespace SORTILE_BACKEND {

/// Device memory, not filled; empty where the device has not enough.
template <class T>
class device_array {
 public:
  explicit device_array(std::size_t n) {
    if (cudaMalloc(&data_, n * sizeof(T)) != cudaSuccess) {
      data_ = nullptr;
      static_cast<void>(cudaGetLastError());
    }
  }
  ~device_array() { cudaFree(data_); }
  device_array(const device_array&) = delete;
  T* data() const { return data_; }

 private:
  T* data_ = nullptr;
};

template <class... Arrays>
bool all_there(const Arrays&... arrays) {
  return (... && (arrays.data() != nullptr));
}
/// Skips the test, or ends a part of it, where the device had not enough memory for one of these arrays.
#define SKIP_UNLESS_ALL_THERE(...)                                                                                     \
  if (!all_there(__VA_ARGS__))                                                                                         \
  GTEST_SKIP() << "not enough GPU memory"

SORTILE_DEVICE std::uint64_t mixed(std::uint64_t x) { // SplitMix64
  x += 0x9e3779b97f4a7c15;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9;
  x = (x ^ (x >> 27)) * 0x94d049bb133111eb;
  return x ^ (x >> 31);
}

/// f(i) for all i < n, in a grid of any size.
template <class F>
SORTILE_DEVICE void for_each_index(std::uint64_t n, F f) {
  const auto stride = std::uint64_t{simt::grid_size()} * simt::block_size();
  for (auto i = std::uint64_t{simt::block_index()} * simt::block_size() + simt::thread_index(); i < n; i += stride)
    f(i);
}

/// found[0]: neighbours out of order; found[1]: the sum of the keys' hashes, which no permutation changes.
template <class Word>
struct check_keys {
  static constexpr unsigned block_threads = 256;
  simt::global<const Word> keys;
  simt::global<std::uint64_t> found;
  std::uint64_t n;
  SORTILE_DEVICE void operator()() const {
    std::uint64_t falls = 0, sum = 0;
    for_each_index(n, [&](std::uint64_t i) {
      const Word key = keys.load(i);
      falls += i + 1 < n && keys.load(i + 1) < key;
      sum += mixed(key);
    });
    found.fetch_add(0, falls);
    found.fetch_add(1, sum);
  }
};

} // namespace SORTILE_BACKEND
} // namespace sortile::simt_tests
