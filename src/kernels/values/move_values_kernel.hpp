// The kernel of move_values.hpp: a power of two of threads per value, each moving every so many units of it.
#pragma once

#include "simt/simt.hpp"

namespace sortile::kernels::inline SORTILE_BACKEND {

/// Unit: std::uint8_t or std::uint32_t. Index: of the positions; void where values stay in their order.
template <class Unit, class Index>
struct move_values_kernel {
  static constexpr bool starts_early = true;
  static constexpr unsigned block_threads = 256;
  static constexpr bool by_position = !std::is_void_v<Index>;
  using index = std::conditional_t<by_position, Index, std::uint32_t>;

  simt::global<const Unit> in;
  simt::global<Unit> out;
  simt::global<const index> indices;
  std::uint64_t n;
  std::uint64_t in_units, out_units, units; // from one value to the next, and to move
  unsigned threads_bits;                    // 2^threads_bits threads move a value

  SORTILE_DEVICE void operator()() const {
    const std::uint64_t stride = (std::uint64_t{simt::grid_size()} * block_threads) >> threads_bits;
    const std::uint64_t thread = std::uint64_t{simt::block_index()} * block_threads + simt::thread_index();
    const std::uint64_t first = thread & ((1u << threads_bits) - 1);
    for (std::uint64_t i = thread >> threads_bits; i < n; i += stride) {
      std::uint64_t from = i;
      if constexpr (by_position)
        from = indices.load(i);
      for (std::uint64_t u = first; u < units; u += 1u << threads_bits)
        out[i * out_units + u] = in.load(from * in_units + u);
    }
  }
};

} // namespace sortile::kernels::inline SORTILE_BACKEND
