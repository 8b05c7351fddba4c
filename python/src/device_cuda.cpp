// The current device, by the CUDA runtime: in a module that has the engine for GPUs.
#include "device.hpp"

#include "device/cuda_error.hpp"

#include <cuda_runtime_api.h>

namespace sortile::python {

const bool has_gpu_engine = true;

device_scope::device_scope(int ordinal) {
  int current = 0;
  SORTILE_CUDA_CHECK(cudaGetDevice(&current));
  if (current == ordinal)
    return;
  SORTILE_CUDA_CHECK(cudaSetDevice(ordinal));
  previous_ = current;
}

device_scope::~device_scope() {
  if (previous_ >= 0)
    static_cast<void>(cudaSetDevice(previous_));
}

} // namespace sortile::python
