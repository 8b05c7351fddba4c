// Where device memory comes from: the stream-ordered pool of the device, or whatever the caller plugs in.
#pragma once

#include "device/cuda_error.hpp"

#include <sortile/device.hpp>

#include <cuda_runtime_api.h>

#include <cstddef>
#include <utility>

namespace sortile::device {

using memory_resource = device_memory_resource;

/// The default: cudaMallocAsync on the current device's pool; cudaMalloc where the device has no pools.
memory_resource& default_memory_resource();

/// Device memory that lives as long as this object; freed in the order of its stream.
class device_buffer {
 public:
  device_buffer() = default;
  device_buffer(std::size_t bytes, cudaStream_t stream, memory_resource& resource = default_memory_resource())
      : resource_(&resource), data_(bytes == 0 ? nullptr : resource.allocate(bytes, stream)), bytes_(bytes),
        stream_(stream) {}
  device_buffer(device_buffer&& other) noexcept { swap(other); }
  device_buffer& operator=(device_buffer&& other) noexcept {
    device_buffer taken(std::move(other));
    swap(taken);
    return *this;
  }
  ~device_buffer() {
    if (data_ != nullptr)
      resource_->deallocate(data_, bytes_, stream_);
  }

  void* data() const { return data_; }
  std::size_t bytes() const { return bytes_; }

 private:
  void swap(device_buffer& other) noexcept {
    std::swap(resource_, other.resource_);
    std::swap(data_, other.data_);
    std::swap(bytes_, other.bytes_);
    std::swap(stream_, other.stream_);
  }

  memory_resource* resource_ = nullptr;
  void* data_ = nullptr;
  std::size_t bytes_ = 0;
  cudaStream_t stream_ = nullptr;
};

} // namespace sortile::device
