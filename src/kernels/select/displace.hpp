// Makes room for k elements that are to stand together, at the beginning of an array or at its end: what stands there
// and is not among them moves to where they have come from. Plain C++; the idea is in displace.cu.
//
// The elements themselves do not go to their places: a copy of them lies elsewhere, in what order the caller likes, and
// is copied over the window afterwards.
#pragma once

#include "simt/queue.hpp"

#include <cstddef>
#include <cstdint>

namespace sortile::kernels {

/// Arrays in device memory, apart from each other.
struct displace_request {
  void* elements = nullptr;
  std::uint64_t n = 0;
  std::size_t element_bytes = 0; ///< any size
  const void* chosen = nullptr;  ///< k different positions below n, ascending
  unsigned position_bytes = 4;   ///< 4 or 8
  std::uint64_t k = 0;           ///< at most n
  std::uint64_t begin = 0;       ///< of the window of k places, n − k at most
};

/// Asynchronous on the queue; allocates nothing. Afterwards the window's places hold what they held.
void displace(const simt::queue& q, const displace_request& request);

} // namespace sortile::kernels
