// How the launches of kernels that move elements of any size share them out (move_values.cu and its like): a
// power of two of threads moves an element, unit by unit.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>

namespace sortile::kernels {

struct moving_threads {
  unsigned bits; ///< 2^bits threads an element, a warp at most

  static moving_threads of_units(std::uint64_t units) { return {std::min(5u, unsigned(std::bit_width(units - 1)))}; }

  /// Blocks for n elements, of which a thread takes `items` at once.
  unsigned blocks(std::uint64_t n, unsigned block_threads, unsigned items = 1) const {
    constexpr std::uint64_t most = 4096;
    const std::uint64_t a_block = std::uint64_t{block_threads >> bits} * items;
    return unsigned(std::min((n + a_block - 1) / a_block, most));
  }
};

} // namespace sortile::kernels
