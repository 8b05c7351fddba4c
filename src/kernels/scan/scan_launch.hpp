// What lies between the checked request and the kernels: one declaration per backend, defined in the .cu files.
#pragma once

#include "kernels/scan/scan.hpp"

#include <type_traits>

namespace sortile::kernels::detail {

/// How the host call cuts an array; measured on the H100 (docs/performance-log.md). Large tiles: a tile waits for its
/// ticket, its loads and its look-back whatever its size, and 16 loads a thread are what registers hold without
/// spilling.
template <class T>
struct scan_cut {
  static constexpr unsigned threads = sizeof(T) == 8 ? 256 : 512;
  static constexpr unsigned vectors = 16; ///< of 16 bytes, a thread
  static constexpr unsigned min_blocks = sizeof(T) == 8 ? 2 : 1;
};
template <class T>
inline constexpr std::uint64_t scan_tile_items = std::uint64_t{scan_cut<T>::threads} * scan_cut<T>::vectors * 16 /
                                                 sizeof(T);
/// From here on the input does not stay in the L2.
inline constexpr std::uint64_t scan_streamed_bytes = std::uint64_t{32} << 20;

/// Tiles of an array that starts `lead` items after a multiple of 16 bytes.
template <class T>
constexpr std::uint64_t scan_tiles(std::uint64_t n, std::uint64_t lead) {
  return (n + lead + scan_tile_items<T> - 1) / scan_tile_items<T>;
}

/// A checked request with everything decided.
template <class T>
struct scan_plan {
  const T* in;
  T* out;
  std::uint64_t n;
  void* workspace;
  std::uint32_t capacity; ///< status words in the workspace
  std::uint32_t tiles;
  std::uint32_t lead;
  T initial;
  bool vectors_allowed;
  bool streamed;
  bool exclusive;
  bool prepared;
};

template <class Backend, class T>
void launch_plus_scan(const simt::queue& q, const scan_plan<T>& plan);
template <class Backend, class T>
void launch_maximum_scan(const simt::queue& q, const scan_plan<T>& plan);
template <class Backend>
void launch_clear(const simt::queue& q, void* memory, std::size_t bytes);

} // namespace sortile::kernels::detail
