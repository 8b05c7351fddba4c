// Device-wide scan as host code calls it; plain C++.
//
//   out[i] = initial ∘ in[0] ∘ … ∘ in[i]        inclusive
//   out[i] = initial ∘ in[0] ∘ … ∘ in[i − 1]    exclusive
//
// Units: n in items, workspace in bytes. Aliasing: `out` is `in`, or the two do not overlap. Any n, any alignment that
// T allows; 16-byte vectors are used where `in` and `out` lie alike within 16 bytes. Sums wrap. Asynchronous on the
// queue; allocates nothing, never synchronises, may be captured in a CUDA graph. Two launches (one with a prepared
// workspace); 2·sizeof(T) bytes of traffic an item. Which of two kernels runs (scan_kernel.hpp,
// resident_scan_kernel.hpp) depends on n, the alignment and the device. Source: Merrill and Garland, "Single-pass
// parallel prefix scan with decoupled look-back", 2016.
#pragma once

#include "simt/queue.hpp"

#include <sortile/scan.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>

namespace sortile::kernels {

/// T is std::uint32_t, std::int32_t, std::uint64_t or std::int64_t. Pointers are memory that the queue's device can
/// reach.
template <class T>
struct scan_request {
  const T* in = nullptr;
  T* out = nullptr;
  std::uint64_t n = 0;
  scan_operator op = scan_operator::sum;
  scan_kind kind = scan_kind::exclusive;
  std::optional<T> initial = {};   ///< absent: 0 for sums, the lowest value for maxima
  void* workspace = nullptr;       ///< aligned to 16
  std::size_t workspace_bytes = 0; ///< at least scan_workspace_bytes<T>(n)
  /// The workspace was cleared by prepare_scan_workspace, with these workspace_bytes, and since then used by nothing
  /// but scans of this T, one after the other: saves a launch.
  bool prepared = false;
};

/// Grows with n; at most 32 bytes and 0.05 % of the array.
template <class T>
std::size_t scan_workspace_bytes(std::uint64_t n);

/// Puts the scan on the queue. Throws invalid_argument or workspace_too_small before anything is queued, simt::error
/// where a launch is refused.
template <class T>
void scan(const simt::queue& q, const scan_request<T>& request);

/// Clears a workspace for any number of scans with `prepared`.
void prepare_scan_workspace(const simt::queue& q, void* workspace, std::size_t bytes);

} // namespace sortile::kernels
