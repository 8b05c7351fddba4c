// Which GPUs are there, and why one cannot be used: no driver, a driver older than the runtime, no device, a device
// older than the kernels. The runtime says these in five different ways; here they become one list and one sentence.
#include <sortile/device.hpp>

#include <cuda_runtime_api.h>

#include <string>

namespace sortile {
namespace {

constexpr int oldest_major = 8; // the kernels are compiled for 8.0 and later

std::string version_text(int version) {
  return std::to_string(version / 1000) + "." + std::to_string(version % 1000 / 10);
}

int attribute(cudaDeviceAttr which, int ordinal) {
  int value = 0;
  return cudaDeviceGetAttribute(&value, which, ordinal) == cudaSuccess ? value : 0;
}

std::string why_no_device(cudaError_t code) {
  int driver = 0, runtime = 0;
  static_cast<void>(cudaDriverGetVersion(&driver));
  static_cast<void>(cudaRuntimeGetVersion(&runtime));
  if (code == cudaSuccess || code == cudaErrorNoDevice)
    return driver == 0 ? "no NVIDIA driver is installed" : "the NVIDIA driver sees no GPU";
  if (code == cudaErrorInsufficientDriver && driver == 0)
    return "no NVIDIA driver is installed";
  if (code == cudaErrorInsufficientDriver)
    return "the NVIDIA driver is too old: it knows CUDA " + version_text(driver) + ", sortile was built with " +
           version_text(runtime);
  return std::string("CUDA reports ") + cudaGetErrorName(code) + " (" + cudaGetErrorString(code) + ")";
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
  if (info.compute_major < oldest_major)
    info.why_unusable = "compute capability " + std::to_string(info.compute_major) + "." +
                        std::to_string(info.compute_minor) +
                        " is too old: 8.0 is the oldest that sortile's kernels are built for";
  else if (attribute(cudaDevAttrComputeMode, ordinal) == cudaComputeModeProhibited)
    info.why_unusable = "its compute mode forbids computing";
  return info;
}

device_list look() {
  device_list list;
  int count = 0;
  const cudaError_t code = cudaGetDeviceCount(&count);
  if (code != cudaSuccess || count == 0) {
    list.why_none = why_no_device(code);
    static_cast<void>(cudaGetLastError());
    return list;
  }
  for (int ordinal = 0; ordinal < count; ++ordinal)
    list.devices.push_back(describe(ordinal));
  return list;
}

} // namespace

const device_list& devices() {
  static const device_list list = look();
  return list;
}

const device_info* first_usable_device() {
  for (const device_info& info : devices().devices)
    if (info.why_unusable.empty())
      return &info;
  return nullptr;
}

} // namespace sortile
