// Calls of the library and captures of other threads.
//
// While any thread captures a stream in CUDA's global mode (the default of cudaStreamBeginCapture), calls that CUDA
// deems unsafe are refused to all threads, and end that capture: cudaMalloc, cudaHostAlloc, cudaFree, asking an event,
// loading a kernel for the first time. They are unsafe to a thread that wants them in its graph. The library wants none
// of its own such calls in a graph, and tells CUDA so while a call of the library lasts.
//
// Two things stay forbidden in the library, since no mode helps: work on the legacy stream (a plain cudaMemcpy or
// cudaMemset), which waits for all blocking streams and breaks their captures; and cudaDeviceSynchronize.
#pragma once

#include <cuda_runtime_api.h>

namespace sortile::device {

/// During its lifetime the calling thread's unsafe calls are allowed and end no capture. Without a driver it does
/// nothing.
class capture_guard {
 public:
  capture_guard() noexcept { exchange(); }
  ~capture_guard() { exchange(); }
  capture_guard(const capture_guard&) = delete;
  capture_guard& operator=(const capture_guard&) = delete;

 private:
  void exchange() noexcept {
    if (cudaThreadExchangeStreamCaptureMode(&mode_) != cudaSuccess)
      static_cast<void>(cudaGetLastError());
  }

  cudaStreamCaptureMode mode_ = cudaStreamCaptureModeRelaxed;
};

} // namespace sortile::device
