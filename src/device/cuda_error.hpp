// CUDA's error codes as sortile's exceptions: with file, line, the call and CUDA's own name for what happened.
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>

namespace sortile::device {

/// Throws device_failure unless `code` is cudaSuccess. `what` is the call as it was written.
/// A pending (non-sticky) error is cleared, so that the next call is judged by itself.
void check(cudaError_t code, const char* what, const char* file, int line);

/// Throws out_of_memory naming the bytes wanted and free where `code` says so, else as check().
void check_allocation(cudaError_t code, std::size_t wanted, const char* what, const char* file, int line);

} // namespace sortile::device

#define SORTILE_CUDA_CHECK(call) ::sortile::device::check((call), #call, __FILE__, __LINE__)
#define SORTILE_CUDA_CHECK_ALLOCATION(call, wanted)                                                                    \
  ::sortile::device::check_allocation((call), (wanted), #call, __FILE__, __LINE__)
