// What tests of kernels share. A test file is a kernel file: it is compiled for the executor and, where there is nvcc,
// for the GPU, and SIMT_TEST makes one test of each. Without a GPU the GPU's tests say that they are skipped.
#pragma once

#include "simt/simt.hpp"
#include "tests/short_tests.hpp"

#include <cstdlib>
#include <gtest/gtest.h>
#include <vector>

#if SORTILE_ON_CUDA
#include <cuda_runtime.h>
#else
#include "simt/executor/device.hpp"
#endif

#if SORTILE_ON_CUDA
#define SIMT_TEST(SUITE, NAME)                                                                                         \
  static void SUITE##_##NAME();                                                                                        \
  TEST(SUITE##_on_cuda, NAME) {                                                                                        \
    if (!::sortile::simt_tests::device_usable())                                                                       \
      GTEST_SKIP() << "no usable GPU";                                                                                 \
    SUITE##_##NAME();                                                                                                  \
  }                                                                                                                    \
  static void SUITE##_##NAME()
#else
#define SIMT_TEST(SUITE, NAME) TEST(SUITE##_on_executor, NAME)
#endif

namespace sortile::simt_tests {

using testing::a_few;
using testing::one_in;
using testing::short_tests;
using testing::unless_short;

inline namespace SORTILE_BACKEND {

#if SORTILE_ON_CUDA
inline bool device_usable() {
  int n = 0;
  return cudaGetDeviceCount(&n) == cudaSuccess && n > 0;
}

inline unsigned architecture() {
  cudaDeviceProp p;
  return cudaGetDeviceProperties(&p, 0) == cudaSuccess ? unsigned(p.major * 10 + p.minor) : 0;
}

/// Memory that kernels use, filled from and read back to the host.
template <class T>
class buffer {
 public:
  explicit buffer(const std::vector<T>& v) : size_(v.size()) {
    EXPECT_EQ(cudaMalloc(&data_, size_ * sizeof(T) + 16), cudaSuccess);
    EXPECT_EQ(cudaMemcpy(data_, v.data(), size_ * sizeof(T), cudaMemcpyDefault), cudaSuccess);
  }
  explicit buffer(std::size_t n, T value = {}) : buffer(std::vector<T>(n, value)) {}
  ~buffer() { cudaFree(data_); }
  buffer(const buffer&) = delete;
  std::vector<T> host() const {
    std::vector<T> v(size_);
    EXPECT_EQ(cudaMemcpy(v.data(), data_, size_ * sizeof(T), cudaMemcpyDefault), cudaSuccess);
    return v;
  }
  simt::global<T> view() const { return {data_, size_}; }

 private:
  T* data_ = nullptr;
  std::size_t size_;
};

template <class F>
void on_every_schedule(F&& test, unsigned = 0) {
  test(simt::queue::cuda(nullptr));
  ASSERT_EQ(cudaDeviceSynchronize(), cudaSuccess);
}
#else
inline unsigned architecture() {
  return 90;
}

template <class T>
class buffer {
 public:
  explicit buffer(const std::vector<T>& v) : raw_(v.size() * sizeof(T) + 128), size_(v.size()) {
    std::copy(v.begin(), v.end(), data());
  }
  explicit buffer(std::size_t n, T value = {}) : buffer(std::vector<T>(n, value)) {}
  buffer(const buffer&) = delete;
  std::vector<T> host() const { return std::vector<T>(data(), data() + size_); }
  simt::global<T> view() const { return {data(), size_}; }

 private:
  // As device allocations are: aligned to more than any vector.
  T* data() const {
    const auto at = reinterpret_cast<std::uintptr_t>(raw_.data());
    return reinterpret_cast<T*>((at + 127) / 128 * 128);
  }
  std::vector<char> raw_;
  std::size_t size_;
};

/// Unchecked on several OS threads, then checked under `schedules` seeds, of which short tests take a quarter; under
/// SORTILE_EXECUTOR_SEED alone where that is set.
template <class F>
void on_every_schedule(F&& test, unsigned schedules = 20) {
  if (std::getenv("SORTILE_EXECUTOR_SEED")) {
    executor::device one(executor::options_from_environment({.checks = executor::all_checks}));
    return test(simt::queue::executor(one));
  }
  {
    executor::device fast;
    test(simt::queue::executor(fast));
  }
  const unsigned taken = unless_short(schedules, (schedules + 3) / 4);
  for (unsigned seed = 1; seed <= taken && !::testing::Test::HasFailure(); ++seed) {
    executor::device checked({.seed = seed, .checks = executor::all_checks});
    SCOPED_TRACE("SORTILE_EXECUTOR_SEED=" + std::to_string(seed));
    test(simt::queue::executor(checked));
  }
}
#endif

/// A few values that no small mistake makes equal.
inline std::vector<std::uint32_t> noise(std::size_t n, std::uint32_t seed = 1) {
  std::vector<std::uint32_t> v(n);
  std::uint64_t state = seed;
  for (std::uint32_t& x : v) {
    state = state * 6364136223846793005ull + 1442695040888963407ull;
    x = std::uint32_t(state >> 32);
  }
  return v;
}

} // namespace SORTILE_BACKEND
} // namespace sortile::simt_tests
