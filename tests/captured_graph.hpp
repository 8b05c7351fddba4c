// What a test queues on a stream, captured as a CUDA graph that it replays with other input.
#pragma once

#include "device/cuda_error.hpp"

#include <cuda_runtime_api.h>

namespace sortile::testing {

class captured_graph {
 public:
  /// Calls queue(), whose work on the stream is captured and not done. CUDA's strictest mode: a call that allocates,
  /// waits or touches the legacy stream, on any thread, ends the capture with an error.
  template <class Queue>
  captured_graph(cudaStream_t stream, const Queue& queue) : stream_(stream) {
    SORTILE_CUDA_CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
    queue();
    SORTILE_CUDA_CHECK(cudaStreamEndCapture(stream, &graph_));
    SORTILE_CUDA_CHECK(cudaGraphInstantiate(&ready_, graph_, 0));
  }
  ~captured_graph() {
    static_cast<void>(cudaGraphExecDestroy(ready_));
    static_cast<void>(cudaGraphDestroy(graph_));
  }
  captured_graph(const captured_graph&) = delete;
  captured_graph& operator=(const captured_graph&) = delete;

  /// Does the work, with what the arrays hold now, and waits for it.
  void replay() const {
    SORTILE_CUDA_CHECK(cudaGraphLaunch(ready_, stream_));
    SORTILE_CUDA_CHECK(cudaStreamSynchronize(stream_));
  }

 private:
  cudaStream_t stream_;
  cudaGraph_t graph_ = nullptr;
  cudaGraphExec_t ready_ = nullptr;
};

} // namespace sortile::testing
