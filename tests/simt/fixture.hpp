// What tests of kernels share. A test file is a kernel file: it is compiled for the executor and, where there is nvcc,
// for the GPU, and SIMT_TEST makes one test of each. Without a GPU the GPU's tests say that they are skipped.
#pragma once

#include "simt/simt.hpp"

#include <cstdlib>
#include <gtest/gtest.h>
#include <span>
#include <string_view>
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

/// Unchecked on several OS threads, then checked under `schedules` seeds; under SORTILE_EXECUTOR_SEED alone where that
/// is set.
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
  for (unsigned seed = 1; seed <= schedules && !::testing::Test::HasFailure(); ++seed) {
    executor::device checked({.seed = seed, .checks = executor::all_checks});
    SCOPED_TRACE("SORTILE_EXECUTOR_SEED=" + std::to_string(seed));
    test(simt::queue::executor(checked));
  }
}
#endif

/// Whether tests make do with fewer and smaller inputs, SORTILE_TESTS_SHORT=1: under tools that slow kernels down a
/// hundredfold and more. Every kernel is still run, by each of its ways.
inline bool short_tests() {
  const char* asked = std::getenv("SORTILE_TESTS_SHORT");
  return asked != nullptr && std::string_view(asked) != "" && std::string_view(asked) != "0";
}
template <class T>
T unless_short(T usual, T shorter) {
  return short_tests() ? shorter : usual;
}
/// Of inputs that are alike all, or in short tests so many: the last, the first, and evenly between.
template <class T>
std::vector<T> a_few(std::size_t kept, std::span<const T> all) {
  if (!short_tests() || kept >= all.size())
    return {all.begin(), all.end()};
  std::vector<T> few{all.back()};
  for (std::size_t i = 0; i + 1 < kept; ++i)
    few.insert(few.end() - 1, all[i * (all.size() - 1) / (kept - 1)]);
  return few;
}
template <class T>
std::vector<T> a_few(std::size_t kept, std::initializer_list<T> all) {
  return a_few(kept, std::span<const T>(all.begin(), all.size()));
}
template <class T, std::size_t Size>
std::vector<T> a_few(std::size_t kept, const T (&all)[Size]) {
  return a_few(kept, std::span<const T>(all));
}

/// Of inputs that are counted as they come, nested loops through, every one; in short tests one in `stride`. A stride
/// without a divisor in common with the loops' lengths still meets each of their members now and then.
class one_in {
 public:
  explicit one_in(unsigned stride) : stride_(unless_short(1u, stride)) {}
  /// Whether the next is taken.
  bool operator()() { return next_++ % stride_ == 0; }

 private:
  unsigned stride_, next_ = 0;
};

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
