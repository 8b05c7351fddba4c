// Sorting networks as parts: a network says which places are compared in a step, the rest is the same for all.
//
//   Network::at(t, run, distance)   comparator t of the step of `distance` in the merge of runs of `run`, powers of two
//   launch_network_step             one step, one thread per comparator, in global memory
//   merge_by_steps                  all steps from runs of a length to the whole
//   network_tile                    the steps within a tile of 1024, in shared memory: all, or the last ones of a merge
//
// A network for 2^k serves any n up to that: comparators that would touch what lies beyond the end are left out
// (compare_exchange.hpp says why).
#pragma once

#include "classics/compare_exchange.hpp"

namespace sortile::classics::inline SORTILE_BACKEND {

/// The first step of a merge mirrors one of the two runs; the rest are splits of a bitonic sequence (bitonic.cu).
struct bitonic_network {
  SORTILE_HOST_DEVICE static constexpr comparator at(std::uint64_t t, std::uint64_t run, std::uint64_t distance) {
    return distance == run ? mirrored(t, run) : straight(t, distance);
  }
};

/// Steps after the first begin `distance` later, and leave the first and the last of a run alone (odd_even_merge.cu).
struct odd_even_network {
  SORTILE_HOST_DEVICE static constexpr comparator at(std::uint64_t t, std::uint64_t run, std::uint64_t distance) {
    comparator c = straight(t, distance);
    if (distance < run) {
      c.low += distance;
      c.high += distance;
    }
    if (((c.low ^ c.high) & ~(2 * run - 1)) != 0) // not in one merged run
      c.high = ~std::uint64_t{0};                 // beyond any end: no partner
    return c;
  }
};

template <class Network, class Word, bool Pairs>
struct network_step {
  static constexpr unsigned block_threads = 256;
  records<Word, Pairs> data;
  std::uint64_t n;
  key_codec<Word> codec;
  std::uint64_t run, distance;

  SORTILE_DEVICE void operator()() const {
    const comparator c = Network::at(grid_thread(), run, distance);
    if (c.high < n)
      exchange_if_greater(data, c.low, c.high, codec);
  }
};

template <class Network, class Word, bool Pairs>
void launch_network_step(job& j, const records<Word, Pairs>& data, std::uint64_t n, const key_codec<Word>& codec,
                         std::uint64_t run, std::uint64_t distance) {
  using kernel = network_step<Network, Word, Pairs>;
  simt::launch(j.on.queue(), {.grid = blocks_for(std::bit_ceil(n) / 2, kernel::block_threads)},
               kernel{data, n, codec, run, distance});
}

/// Merges sorted runs of `run` up to the whole; where run is 1, that is the whole sort.
template <class Network, class Word, bool Pairs>
void merge_by_steps(job& j, const records<Word, Pairs>& data, const key_codec<Word>& codec, std::uint64_t run) {
  for (; run < j.asked.n; run *= 2)
    for (std::uint64_t distance = run; distance > 0; distance /= 2) {
      launch_network_step<Network>(j, data, j.asked.n, codec, run, distance);
      if (j.shows_steps())
        j.show("runs of " + std::to_string(run) + ", distance " + std::to_string(distance), untyped(data), j.asked.n);
    }
}

/// Tiles in shared memory: sorted, or taken through the distances below a tile of one merge of longer runs.
template <class Network, class Word, bool Pairs>
struct network_tile {
  static constexpr unsigned block_threads = 512, own = 2 * block_threads;
  struct shared {
    simt::shared_array<record<Word, Pairs>, own> tile;
  };
  records<Word, Pairs> data;
  std::uint64_t n;
  key_codec<Word> codec;
  std::uint64_t merged; // the length of the runs; 0: the tile is sorted

  SORTILE_DEVICE void steps(shared& s, std::uint64_t run, unsigned distance, unsigned count) const {
    for (; distance > 0; distance /= 2) {
      simt::block_barrier();
      const comparator c = Network::at(simt::thread_index(), run, distance);
      if (c.high < count)
        exchange_if_greater(s.tile, c.low, c.high, codec);
    }
  }
  SORTILE_DEVICE void operator()(shared& s) const {
    const std::uint64_t first = std::uint64_t{simt::block_index()} * own;
    const auto count = static_cast<unsigned>(n - first < own ? n - first : own);
    for (unsigned i = simt::thread_index(); i < count; i += block_threads)
      s.tile.store(i, data.load(first + i));
    if (merged != 0)
      steps(s, merged, block_threads, count);
    else
      for (unsigned run = 1; run < own; run *= 2)
        steps(s, run, run, count);
    simt::block_barrier();
    for (unsigned i = simt::thread_index(); i < count; i += block_threads)
      data.store(first + i, s.tile.load(i));
  }
};

template <class Network, class Word, bool Pairs>
void launch_network_tiles(job& j, const records<Word, Pairs>& data, const key_codec<Word>& codec,
                          std::uint64_t merged = 0) {
  using kernel = network_tile<Network, Word, Pairs>;
  simt::launch(j.on.queue(), {.grid = blocks_for(j.asked.n, kernel::own)}, kernel{data, j.asked.n, codec, merged});
  j.show(merged == 0 ? "tiles sorted" : "distances below a tile", untyped(data), j.asked.n);
}

/// An entry of the registry, as all sorts by networks have in common.
inline classic network_sort(std::string_view name, std::string_view summary, std::string_view source,
                            run_function run) {
  return {.name = name,
          .family = "network",
          .summary = summary,
          .work = "n log^2 n",
          .depth = "log^2 n",
          .source = source,
          .steps_show = "each step of the network that is seen from outside",
          .run = run};
}

} // namespace sortile::classics::inline SORTILE_BACKEND
