// What kernels did, in the units that cost time on a GPU. Filled by the executor under check::counters.
//
// A request is one load, store or atomic of a warp: the lanes' accesses from the same place in the source, the n-th of
// each lane since the lanes last met, count as one. Sectors are the distinct 32-byte pieces of global memory that a
// request touches; a shared request takes as many wavefronts as the busiest of the 32 four-byte banks has distinct
// words (64- and 128-bit accesses go by half and quarter warps). A request of constant memory is served one address
// after another: it is a broadcast where all lanes ask for the same, and takes 32 turns where each asks for its own.
#pragma once

#include <cstdint>
#include <string>

namespace sortile::executor {

struct memory_counters {
  std::uint64_t requests = 0; ///< warp-wide instructions
  std::uint64_t partial = 0;  ///< of them, with fewer lanes than the warp has
  std::uint64_t bytes = 0;    ///< asked for by the lanes
  std::uint64_t units = 0;    ///< sectors (global), wavefronts (shared) or distinct addresses (constant)
  std::uint64_t ideal = 0;    ///< the fewest units that could have carried the bytes

  double units_per_request() const { return requests ? double(units) / double(requests) : 0; }
  memory_counters& operator+=(const memory_counters& o);
};

struct counters {
  memory_counters global_loads, global_stores, global_atomics;
  memory_counters shared_loads, shared_stores, shared_atomics;
  memory_counters constant_loads;
  std::uint64_t launches = 0, blocks = 0, threads = 0;
  std::uint64_t block_barriers = 0;   ///< a block each
  std::uint64_t warp_barriers = 0;    ///< a warp each
  std::uint64_t warp_collectives = 0; ///< votes, matches, shuffles, reductions; a warp each
  std::uint64_t cluster_barriers = 0, grid_barriers = 0;
  std::uint64_t bulk_copies = 0, bulk_bytes = 0;
  std::uint64_t spins = 0;

  /// Beyond the ideal: replays by bank conflicts.
  std::uint64_t bank_conflicts() const;
  counters& operator+=(const counters& o);
  /// A table for people, one line a kind.
  std::string report() const;
};

} // namespace sortile::executor
