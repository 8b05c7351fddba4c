// Where launches go: a CUDA stream, or the executor. A plain header: host code that chooses a backend at run time
// includes this and never a kernel.
//
// A kernel file is compiled twice. Its host functions are explicit specialisations on the backend's tag:
//
//     // histogram.hpp, plain C++
//     template <class Backend> SORTILE_LAUNCH void histogram(simt::queue, const std::uint32_t* keys, std::size_t n,
//                                                            std::uint32_t* bins);
//     // histogram.cu
//     template <> void histogram<simt::this_backend>(simt::queue q, ...) {
//       simt::launch(q, {.grid = blocks}, kernel{...});
//     }
//     // the caller
//     simt::visit(q, [&](auto backend) { histogram<decltype(backend)>(q, keys, n, bins); });
#pragma once

#include "simt/types.hpp"

namespace sortile::executor {
class device;
}

/// In front of the declaration of a launch that is defined in its backend's library: a weak symbol, so that a program
/// may be linked with the kernels of one backend and without the other's.
#define SORTILE_LAUNCH [[gnu::weak]]

namespace sortile::simt {

struct on_cuda {};
struct on_executor {};
#if SORTILE_ON_CUDA
using this_backend = on_cuda;
#else
using this_backend = on_executor;
#endif

/// A stream of launches. Copies share the stream; the stream or the executor must outlive them.
class queue {
 public:
  /// A CUDA stream (`cudaStream_t`, null for the default one) of the current device.
  static queue cuda(void* stream) { return queue(stream, nullptr); }
  /// The executor; a launch returns when the kernel has ended, and throws what went wrong.
  static queue executor(executor::device& device) { return queue(nullptr, &device); }

  bool is_executor() const { return device_ != nullptr; }
  void* cuda_stream() const { return stream_; }
  executor::device& executor_device() const { return *device_; }

 private:
  queue(void* stream, sortile::executor::device* device) : stream_(stream), device_(device) {}
  void* stream_;
  sortile::executor::device* device_;
};

/// Calls `f` with the tag of the queue's backend. Queues of a backend that the build leaves out are refused
/// (SORTILE_HAS_CUDA = 1: there are kernels for CUDA; SORTILE_HAS_EXECUTOR = 0: there are none for the executor).
template <class F>
decltype(auto) visit(const queue& q, F&& f) {
  if (!q.is_executor()) {
#if defined(SORTILE_HAS_CUDA) && SORTILE_HAS_CUDA
    return f(on_cuda{});
#else
    throw error("simt: this build has no CUDA side");
#endif
  }
#if defined(SORTILE_HAS_EXECUTOR) && !SORTILE_HAS_EXECUTOR
  throw error("simt: this build has no executor");
#else
  return f(on_executor{});
#endif
}

} // namespace sortile::simt
