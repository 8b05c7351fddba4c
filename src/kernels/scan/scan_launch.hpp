// What lies between the checked request and the kernels: one declaration per backend, defined in the .cu files.
#pragma once

#include "kernels/scan/scan.hpp"

#include <type_traits>

namespace sortile::kernels::detail {

/// Items of 4 and 8 bytes are cut alike, whatever their type; the host side counts tiles with these.
inline constexpr unsigned scan_threads = 256;
inline constexpr unsigned scan_vectors = 4;
template <class T>
inline constexpr std::uint64_t scan_tile_items = std::uint64_t{scan_threads} * scan_vectors * 16 / sizeof(T);

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
