// What engine "cuda" does with the CUDA runtime. In a build without CUDA these throw, and the engine is never run.
#pragma once

#include "gpu/named_array.hpp"
#include "plan/engine.hpp"
#include "simt/queue.hpp"
#include "sort/facts.hpp"

#include <functional>
#include <initializer_list>
#include <span>

namespace sortile::gpu {

/// Calls `launch` with the caller's stream and with a workspace: `given`, or one of `bytes` allocated in stream order.
/// \throws invalid_argument where an array is out of the device's reach, out_of_memory, device_failure
void queue_in_device_memory(std::span<const named_array> arrays, std::size_t bytes, std::span<std::byte> given,
                            const options& opts, const std::function<void(const simt::queue&, void*)>& launch);
inline void queue_in_device_memory(std::initializer_list<named_array> arrays, std::size_t bytes,
                                   std::span<std::byte> given, const options& opts,
                                   const std::function<void(const simt::queue&, void*)>& launch) {
  queue_in_device_memory(std::span(arrays.begin(), arrays.size()), bytes, given, opts, launch);
}

/// Queues the sort on the caller's stream. \throws as queue_in_device_memory()
void run_in_device_memory(const sort_request& request, const options& opts, const execution& how);

/// The same of a sort within segments.
void run_segments_in_device_memory(const segmented_request& request, const options& opts, const execution& how);

/// Copies the arrays to the device, sorts there, copies back. \throws out_of_memory, with nothing changed yet;
/// device_failure, cancelled
void run_from_host_memory(const sort_request& request, const options& opts, const execution& how);

/// Of the current device, or any_device where there is none.
device_facts current_device();

/// The request on copies of its arrays, which are sorted in place.
sort_request as_copied(const sort_request& request, void* keys, void* values);

} // namespace sortile::gpu
