// Device-wide scan as host code calls it; plain C++.
//
//   out[i] = initial ∘ in[0] ∘ … ∘ in[i]        inclusive
//   out[i] = initial ∘ in[0] ∘ … ∘ in[i − 1]    exclusive
//
// Units: n in items, workspace in bytes. Aliasing: `out` is `in`, or the two do not overlap. Any n, any alignment that
// T allows; 16-byte vectors are used where `in` and `out` lie alike within 16 bytes. Sums wrap. Asynchronous on the
// queue; allocates nothing, never synchronises, may be captured in a CUDA graph. Two launches; 2·sizeof(T) bytes of
// traffic an item. Which of two kernels runs (scan_kernel.hpp, resident_scan_kernel.hpp) depends on n, the alignment
// and the device. Source: Merrill and Garland, "Single-pass parallel prefix scan with decoupled look-back", 2016.
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
};

/// Grows with n; at most 32 bytes and 0.05 % of the array.
template <class T>
std::size_t scan_workspace_bytes(std::uint64_t n);

/// Puts the scan on the queue. Throws invalid_argument or workspace_too_small before anything is queued, simt::error
/// where a launch is refused.
template <class T>
void scan(const simt::queue& q, const scan_request<T>& request);

// ---- between the checked request and the kernels

namespace detail {

/// How the host call cuts an array for scan_kernel; measured on the H100 (docs/performance-log.md). Large tiles: a tile
/// waits for its ticket, its loads and its look-back whatever its size, and 16 loads a thread are what registers hold
/// without spilling.
template <class T>
struct scan_cut {
  static constexpr unsigned threads = sizeof(T) == 8 ? 256 : 512;
  static constexpr unsigned vectors = 16; ///< of 16 bytes, a thread
  static constexpr unsigned min_blocks = sizeof(T) == 8 ? 2 : 1;
};
template <class T>
inline constexpr std::uint64_t scan_tile_items = std::uint64_t{scan_cut<T>::threads} * scan_cut<T>::vectors * 16 /
                                                 sizeof(T);

/// And for resident_scan_kernel: six tiles of 32 KiB a multiprocessor cover the latencies of load and look-back.
struct resident_scan_cut {
  static constexpr unsigned scanners = 8, folders = 2, rows = 8, stages = 6;
};
template <class T>
inline constexpr std::uint64_t resident_scan_tile_items = std::uint64_t{resident_scan_cut::scanners} *
                                                          resident_scan_cut::rows * 512 / sizeof(T);

/// From here on the input does not stay in the L2, and resident blocks pay.
inline constexpr std::uint64_t large_scan_bytes = std::uint64_t{32} << 20;

/// Tiles of so many items in an array that starts `lead` items after a multiple of 16 bytes.
constexpr std::uint64_t scan_tiles(std::uint64_t n, std::uint64_t lead, std::uint64_t tile_items) {
  return (n + lead + tile_items - 1) / tile_items;
}

} // namespace detail

} // namespace sortile::kernels
