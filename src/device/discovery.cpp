// Which GPUs are there, and why one cannot be used: no driver, a driver older than the runtime, no device, a device
// older than the kernels. The runtime says these in five different ways; here they become one list, or one sentence.
#include "device/discovery.hpp"

#include "device/capture_guard.hpp"
#include "device/why_not.hpp"

#include <sortile/device.hpp>

#include <cuda_runtime_api.h>

#include <string>

namespace sortile {
namespace {

int attribute(cudaDeviceAttr which, int ordinal) {
  int value = 0;
  return cudaDeviceGetAttribute(&value, which, ordinal) == cudaSuccess ? value : 0;
}

device::runtime_answer answer_to_count(cudaError_t code) {
  using outcome = device::runtime_answer::outcome;
  device::runtime_answer answer;
  static_cast<void>(cudaDriverGetVersion(&answer.driver));
  static_cast<void>(cudaRuntimeGetVersion(&answer.runtime));
  answer.what = code == cudaSuccess                   ? outcome::counted
                : code == cudaErrorNoDevice           ? outcome::no_device
                : code == cudaErrorInsufficientDriver ? outcome::driver_insufficient
                                                      : outcome::failed;
  if (answer.what == outcome::failed)
    answer.error = std::string(cudaGetErrorName(code)) + " (" + cudaGetErrorString(code) + ")";
  return answer;
}

device_info describe(int ordinal) {
  device_info info;
  info.ordinal = ordinal;
  cudaDeviceProp properties{};
  if (const cudaError_t code = cudaGetDeviceProperties(&properties, ordinal); code != cudaSuccess) {
    info.why_unusable = std::string("its properties cannot be read: ") + cudaGetErrorName(code);
    return info;
  }
  info.name = properties.name;
  info.compute_major = properties.major;
  info.compute_minor = properties.minor;
  info.multiprocessors = properties.multiProcessorCount;
  info.memory_bytes = properties.totalGlobalMem;
  info.l2_bytes = static_cast<std::size_t>(properties.l2CacheSize);
  info.shared_bytes_per_block = properties.sharedMemPerBlockOptin;
  info.clusters = attribute(cudaDevAttrClusterLaunch, ordinal) != 0;
  info.memory_pools = attribute(cudaDevAttrMemoryPoolsSupported, ordinal) != 0;
  info.why_unusable = device::why_unusable(info.compute_major, info.compute_minor,
                                           attribute(cudaDevAttrComputeMode, ordinal) == cudaComputeModeProhibited,
                                           SORTILE_KERNELS_ARE_QUICK);
  return info;
}

device_list look() {
  const device::capture_guard relaxed;
  device_list list;
  int count = 0;
  const cudaError_t code = cudaGetDeviceCount(&count);
  if (code != cudaSuccess || count == 0) {
    list.why_none = device::why_no_device(answer_to_count(code));
    static_cast<void>(cudaGetLastError());
    return list;
  }
  for (int ordinal = 0; ordinal < count; ++ordinal)
    list.devices.push_back(describe(ordinal));
  return list;
}

} // namespace

const device_list& device::list() {
  static const device_list found = look();
  return found;
}

} // namespace sortile
