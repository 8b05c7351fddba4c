// What lies between the checked request and the kernels: one declaration per backend, defined in the .cu files.
#pragma once

#include "simt/queue.hpp"

#include <cstddef>
#include <cstdint>

namespace sortile::kernels::detail {

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

/// A checked request with everything decided but the kernel, which depends on the device.
template <class T>
struct scan_plan {
  const T* in;
  T* out;
  std::uint64_t n;
  void* workspace;
  std::uint32_t capacity; ///< status words in the workspace
  std::uint32_t lead;
  T initial;
  bool vectors_allowed;
  bool large;
  bool exclusive;
  bool prepared;
};

template <class Backend, class T>
SORTILE_LAUNCH void launch_plus_scan(const simt::queue& q, const scan_plan<T>& plan);
template <class Backend, class T>
SORTILE_LAUNCH void launch_maximum_scan(const simt::queue& q, const scan_plan<T>& plan);
template <class Backend>
SORTILE_LAUNCH void launch_clear(const simt::queue& q, void* memory, std::size_t bytes);

} // namespace sortile::kernels::detail
