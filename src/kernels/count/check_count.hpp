// Tells the caller of an asynchronous sort what only the device can see: whether the number of keys that lay in device
// memory exceeded what the arrays hold. Plain C++.
#pragma once

#include "simt/queue.hpp"

#include <cstdint>

namespace sortile::kernels {

/// Writes to *status, in the order of the queue: 1 where *device_n > bound, else 0; 0 without device_n. Pointers are to
/// memory that the queue's device reaches. Throws invalid_argument, or simt::error where the launch is refused.
void check_count(const simt::queue& q, const std::uint64_t* device_n, std::uint64_t bound, std::uint32_t* status);

namespace detail {
struct count_check {
  const std::uint64_t* device_n;
  std::uint64_t bound;
  std::uint32_t* status;
};
} // namespace detail

} // namespace sortile::kernels
