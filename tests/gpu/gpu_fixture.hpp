// What tests of engine "cuda" share: the skip without a GPU, arrays that host and device both see, a stream.
#pragma once

#include "device/stream.hpp"
#include "testing/guarded_buffer.hpp"

#include <sortile/device.hpp>

#include <cuda_runtime.h>
#include <gtest/gtest.h>
#include <new>

namespace sortile::testing {

class gpu : public ::testing::Test {
 protected:
  void SetUp() override {
    if (first_usable_device() == nullptr)
      GTEST_SKIP() << "no usable GPU";
  }
};

inline const array_memory managed_memory{[](std::size_t bytes) {
                                           void* memory = nullptr;
                                           if (cudaMallocManaged(&memory, bytes) != cudaSuccess)
                                             throw std::bad_alloc();
                                           return memory;
                                         },
                                         [](void* memory) { static_cast<void>(cudaFree(memory)); },
                                         [] { SORTILE_CUDA_CHECK(cudaDeviceSynchronize()); }};

/// An array in device memory with copies to and from the host.
template <class T>
class device_array {
 public:
  explicit device_array(std::size_t n) : n_(n) { SORTILE_CUDA_CHECK(cudaMalloc(&data_, n * sizeof(T))); }
  explicit device_array(const std::vector<T>& v) : device_array(v.size()) { set(v); }
  ~device_array() { static_cast<void>(cudaFree(data_)); }
  device_array(const device_array&) = delete;
  device_array& operator=(const device_array&) = delete;

  void set(const std::vector<T>& v) {
    SORTILE_CUDA_CHECK(cudaMemcpy(data_, v.data(), n_ * sizeof(T), cudaMemcpyHostToDevice));
    SORTILE_CUDA_CHECK(cudaStreamSynchronize(nullptr)); // other streams do not wait for the rest of a pageable copy
  }
  std::vector<T> host() const {
    std::vector<T> v(n_);
    SORTILE_CUDA_CHECK(cudaMemcpy(v.data(), data_, n_ * sizeof(T), cudaMemcpyDeviceToHost));
    return v;
  }
  std::span<T> span() const { return {data_, n_}; }

 private:
  T* data_ = nullptr;
  std::size_t n_;
};

} // namespace sortile::testing
