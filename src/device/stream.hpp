// Streams and events as owned objects.
#pragma once

#include "device/cuda_error.hpp"

#include <cuda_runtime_api.h>

#include <utility>

namespace sortile::device {

/// A stream of its own, not synchronising with the default stream. Work still queued at destruction is finished by
/// CUDA.
class stream {
 public:
  stream() { SORTILE_CUDA_CHECK(cudaStreamCreateWithFlags(&handle_, cudaStreamNonBlocking)); }
  stream(stream&& other) noexcept : handle_(std::exchange(other.handle_, nullptr)) {}
  stream& operator=(stream&& other) noexcept {
    std::swap(handle_, other.handle_);
    return *this;
  }
  ~stream() {
    if (handle_ != nullptr)
      static_cast<void>(cudaStreamDestroy(handle_));
  }

  cudaStream_t get() const { return handle_; }

  /// Waits for all work queued so far; errors of that work surface here.
  void synchronize() const { SORTILE_CUDA_CHECK(cudaStreamSynchronize(handle_)); }

 private:
  cudaStream_t handle_ = nullptr;
};

/// A point in a stream.
class event {
 public:
  enum class timing { off, on };

  explicit event(timing kind = timing::off) {
    SORTILE_CUDA_CHECK(
        cudaEventCreateWithFlags(&handle_, kind == timing::on ? cudaEventDefault : cudaEventDisableTiming));
  }
  event(event&& other) noexcept : handle_(std::exchange(other.handle_, nullptr)) {}
  event& operator=(event&& other) noexcept {
    std::swap(handle_, other.handle_);
    return *this;
  }
  ~event() {
    if (handle_ != nullptr)
      static_cast<void>(cudaEventDestroy(handle_));
  }

  cudaEvent_t get() const { return handle_; }
  void record(cudaStream_t on) const { SORTILE_CUDA_CHECK(cudaEventRecord(handle_, on)); }
  void synchronize() const { SORTILE_CUDA_CHECK(cudaEventSynchronize(handle_)); }

  /// Work queued on `waiting` from now on starts after this event.
  void hold_back(cudaStream_t waiting) const { SORTILE_CUDA_CHECK(cudaStreamWaitEvent(waiting, handle_, 0)); }

  /// Milliseconds from `start` to this event; both with timing on and reached.
  float milliseconds_since(const event& start) const {
    float milliseconds = 0;
    SORTILE_CUDA_CHECK(cudaEventElapsedTime(&milliseconds, start.handle_, handle_));
    return milliseconds;
  }

 private:
  cudaEvent_t handle_ = nullptr;
};

} // namespace sortile::device
