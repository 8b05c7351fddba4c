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

  SORTILE_DEVICE void operator()() const { // block_size() comparators a block
    const comparator c = Network::at(grid_thread(), run, distance);
    if (c.high < n)
      exchange_if_greater(data, c.low, c.high, codec);
  }
};

template <class Network, class Word, bool Pairs>
void launch_network_step(job& j, const records<Word, Pairs>& data, std::uint64_t n, const key_codec<Word>& codec,
                         std::uint64_t run, std::uint64_t distance, unsigned block = 256) {
  using kernel = network_step<Network, Word, Pairs>;
  simt::launch(j.on.queue(), {.grid = blocks_for(std::bit_ceil(n) / 2, block), .block = block},
               kernel{data, n, codec, run, distance});
}

/// For --steps: the comparators of a step that touch n records.
template <class Network>
std::vector<wire> wires_of_step(std::uint64_t n, std::uint64_t run, std::uint64_t distance) {
  std::vector<wire> wires;
  for (std::uint64_t t = 0; t < std::bit_ceil(n) / 2; ++t)
    if (const comparator c = Network::at(t, run, distance); c.high < n)
      wires.push_back({c.low, c.high});
  return wires;
}

/// For --steps: which block of `block` comparators had each of n records; a '.' where none had.
template <class Network>
std::vector<std::string> blocks_of_step(std::uint64_t n, std::uint64_t run, std::uint64_t distance, unsigned block) {
  std::vector<std::string> blocks(n, ".");
  for (std::uint64_t t = 0; t < std::bit_ceil(n) / 2; ++t)
    if (const comparator c = Network::at(t, run, distance); c.high < n)
      blocks[c.low] = blocks[c.high] = std::to_string(t / block);
  return blocks;
}

/// A step as a launch, with its telling.
template <class Network, class Word, bool Pairs>
void tell_network_step(job& j, const records<Word, Pairs>& data, const key_codec<Word>& codec, std::uint64_t run,
                       std::uint64_t distance) {
  const unsigned block = std::min(j.parameter("tile") / 2, network_step<Network, Word, Pairs>::block_threads);
  const std::uint64_t n = j.asked.n;
  telling t = j.tell("launch: runs of " + std::to_string(run) + ", distance " + std::to_string(distance));
  t.before(untyped(data), n);
  launch_network_step<Network>(j, data, n, codec, run, distance, block);
  if (!t.is_read())
    return;
  if (n > 2 * block)
    t.words("by block", blocks_of_step<Network>(n, run, distance, block));
  t.compared(wires_of_step<Network>(n, run, distance), untyped(data), n);
}

/// Merges sorted runs of `run` up to the whole; where run is 1, that is the whole sort.
template <class Network, class Word, bool Pairs>
void merge_by_steps(job& j, const records<Word, Pairs>& data, const key_codec<Word>& codec, std::uint64_t run) {
  for (; run < j.asked.n; run *= 2)
    for (std::uint64_t distance = run; distance > 0; distance /= 2)
      tell_network_step<Network>(j, data, codec, run, distance);
}

/// Tiles in shared memory, two records a thread: sorted, or taken through the distances below a tile of one merge of
/// longer runs.
template <class Network, class Word, bool Pairs>
struct network_tile {
  static constexpr unsigned block_threads = 512, most = 2 * block_threads;
  struct shared {
    simt::shared_array<record<Word, Pairs>, most> tile;
  };
  records<Word, Pairs> data;
  std::uint64_t n;
  key_codec<Word> codec;
  std::uint64_t merged;                         // the length of the runs; 0: the tile is sorted
  simt::global<std::remove_const_t<Word>> told; // [steps][n]: keys after each step; empty: nobody looks

  SORTILE_DEVICE void tell(shared& s, std::uint64_t first, unsigned count, unsigned& done) const {
    if (told.data() == nullptr)
      return;
    simt::block_barrier();
    for (unsigned i = simt::thread_index(); i < count; i += simt::block_size())
      told.store(done * n + first + i, s.tile.load(i).key);
    ++done;
  }
  SORTILE_DEVICE void steps(shared& s, std::uint64_t run, unsigned distance, std::uint64_t first, unsigned count,
                            unsigned& done) const {
    for (; distance > 0; distance /= 2) {
      simt::block_barrier();
      const comparator c = Network::at(simt::thread_index(), run, distance);
      if (c.high < count)
        exchange_if_greater(s.tile, c.low, c.high, codec);
      tell(s, first, count, done);
    }
  }
  SORTILE_DEVICE void operator()(shared& s) const {
    const unsigned tile = 2 * simt::block_size();
    const std::uint64_t first = std::uint64_t{simt::block_index()} * tile;
    const auto count = static_cast<unsigned>(n - first < tile ? n - first : tile);
    for (unsigned i = simt::thread_index(); i < count; i += simt::block_size())
      s.tile.store(i, data.load(first + i));
    unsigned done = 0;
    if (merged != 0)
      steps(s, merged, tile / 2, first, count, done);
    else
      for (unsigned run = 1; run < tile; run *= 2)
        steps(s, run, run, first, count, done);
    simt::block_barrier();
    for (unsigned i = simt::thread_index(); i < count; i += simt::block_size())
      data.store(first + i, s.tile.load(i));
  }
};

/// For --steps: the steps that a launch took in shared memory, as (run, distance).
inline std::vector<std::pair<std::uint64_t, std::uint64_t>> steps_in_tile(std::uint64_t tile, std::uint64_t merged) {
  std::vector<std::pair<std::uint64_t, std::uint64_t>> steps;
  const auto add = [&](std::uint64_t run, std::uint64_t distance) {
    for (; distance > 0; distance /= 2)
      steps.push_back({run, distance});
  };
  if (merged != 0)
    add(merged, tile / 2);
  else
    for (std::uint64_t run = 1; run < tile; run *= 2)
      add(run, run);
  return steps;
}

/// Tiles of `tile` records through the steps that need no other tile: all of a sort, or the last ones of a merge of
/// runs of `merged`.
template <class Network, class Word, bool Pairs>
void launch_network_tiles(job& j, const records<Word, Pairs>& data, const key_codec<Word>& codec, unsigned tile,
                          std::uint64_t merged = 0) {
  using kernel = network_tile<Network, Word, Pairs>;
  const std::uint64_t n = j.asked.n;
  const auto steps = steps_in_tile(tile, merged);
  const device_array<Word> told(j.on, j.shows_steps() ? steps.size() * n : 0);
  telling t = j.tell(merged == 0 ? "one launch sorts tiles of " + std::to_string(tile)
                                 : "one launch, distances below " + std::to_string(tile));
  t.before(untyped(data), n);
  simt::launch(j.on.queue(), {.grid = blocks_for(n, tile), .block = tile / 2},
               kernel{data, n, codec, merged, view(told)});
  if (!t.is_read())
    return;
  for (std::size_t s = 0; s + 1 < steps.size(); ++s)
    t.keys(std::to_string(steps[s].first) + ", " + std::to_string(steps[s].second), {told.data() + s * n, nullptr}, n,
           tile)
        .in_table("keys after run, distance");
  t.moved("keys", untyped(data), n, 0, tile);
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
          .steps_show = "each step of the network with its comparators, in shared memory the keys alone",
          .parameters = {tile_parameter(512)},
          .run = run};
}

} // namespace sortile::classics::inline SORTILE_BACKEND
