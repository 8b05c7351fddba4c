// Routes pairs to experts in device memory; plain C++. What is asked for is in sortile/route.hpp.
//
//   few pairs    one launch of clusters that wait for nobody (cluster_route_kernel.hpp); no workspace
//   many pairs   three launches: count, columns, move (route_kernels.hpp)
//
// Deterministic and stable. Fewer than 2^32 − 1 rows.
#pragma once

#include "simt/queue.hpp"

#include <cstddef>
#include <cstdint>

namespace sortile::kernels {

/// Arrays in device memory, apart from each other. Outputs may be null: then they are not wanted. They hold numbers of
/// index_bytes.
template <class Word>
struct route_job {
  const Word* experts = nullptr;
  std::uint32_t n = 0;
  std::uint32_t expert_count = 0;
  std::uint32_t limit = 0; ///< words below it are experts: expert_count, or less where fewer are not negative
  std::uint32_t block = 1;
  std::uint32_t rows = 0; ///< of `order`: route_rows()
  unsigned index_bytes = 4;
  bool in_one_launch = false; ///< of clusters (sm_90)
  void *offsets = nullptr, *counts = nullptr, *order = nullptr, *inverse = nullptr, *block_experts = nullptr,
       *dropped = nullptr;
  void* workspace = nullptr; ///< route_workspace_bytes(), aligned to 128; for several launches
};

inline constexpr std::uint32_t no_expert = 0xffffffffu; ///< of a pair that is dropped; as a row: none

/// What one launch takes, on a device that has clusters.
inline constexpr std::uint64_t few_pairs = std::uint64_t{1} << 17;
inline constexpr std::uint32_t experts_of_few_pairs = 1024;
constexpr bool is_one_route_launch(std::uint64_t n, std::uint64_t expert_count) {
  return n <= few_pairs && expert_count <= experts_of_few_pairs;
}

/// Of many pairs: a table of counters, a row a block, and the totals.
std::size_t route_workspace_bytes(std::uint64_t n, std::uint64_t expert_count);

/// \throws invalid_argument where one launch is asked for and !is_one_route_launch()
template <class Word>
void route(const simt::queue& q, const route_job<Word>& job);

namespace detail {

/// Of the kernel for few pairs.
struct route_clusters {
  static constexpr unsigned blocks = 8; ///< of a cluster: the most that every device has
  /// Clusters, as long as tiles can be larger: of so many an H100 takes those of two calls at once, and the next call
  /// begins while one runs out.
  static constexpr unsigned usual = 8;
  static constexpr unsigned most = 16; ///< clusters: as many as the multiprocessors of an H100 take at once
  static constexpr std::uint32_t usual_tile = 256, largest_tile = 1024; ///< pairs that a block writes
};
static_assert(few_pairs == std::uint64_t{route_clusters::blocks} * route_clusters::most * route_clusters::largest_tile);

/// Of the kernels for many pairs.
struct route_blocks {
  static constexpr unsigned threads = 512, items = 4, most = 256;
  static constexpr std::uint32_t tile = threads * items;
  /// Blocks for n pairs, at least one, and the pairs of each, a multiple of the tile.
  static constexpr unsigned count(std::uint64_t n) {
    const std::uint64_t tiles = (n + tile - 1) / tile;
    return tiles == 0 ? 1 : unsigned((tiles + share(n) / tile - 1) / (share(n) / tile));
  }
  static constexpr std::uint32_t share(std::uint64_t n) {
    const std::uint64_t tiles = (n + tile - 1) / tile, each = (tiles + most - 1) / most;
    return std::uint32_t((each == 0 ? 1 : each) * tile);
  }
};

} // namespace detail

} // namespace sortile::kernels
