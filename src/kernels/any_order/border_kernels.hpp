// Finds the borders of the slabs of a merge (slabs.hpp), and says of each group whether they can be used.
//
// A block ranks 32 samples of a group, a warp for each run: lane l of warp j bisects the samples of run j for sample
// l's place among them. The sum of a sample's places over all runs is its rank. Where that is a multiple of m the lanes
// bisect on, among the G elements between two samples. Neighbouring samples are bisected for along nearly the same
// path, so a warp reads few sectors.
//
// If the caller's function is no strict weak order, ranks may be missing or come twice, and borders may be out of
// order. The second kernel looks at every slab: does it begin before it ends in each run, and fit a block? The borders
// are data, whatever wrote them: a group whose slabs pass is merged by them, and loses nothing; the runs of others are
// put one behind the other.
#pragma once

#include "kernels/any_order/elements.hpp"
#include "kernels/any_order/slabs.hpp"

namespace sortile::kernels::inline SORTILE_BACKEND {

template <class Runs, class Less>
struct slab_border_kernel {
  static constexpr unsigned block_threads = simt::warp_size * most_ways; // launched with a warp for each run
  struct shared {
    simt::shared_array<std::uint32_t, simt::warp_size> before; // of each of the block's samples: samples before it
  };

  Runs runs;
  merge_layout layout;
  std::uint64_t samples_a_run, blocks_a_group;
  slab_borders<std::uint64_t> borders;
  simt::global<std::uint32_t> unusable; // a word for each group, cleared here
  by_key<Less> less;

  SORTILE_DEVICE void operator()(shared& s) const {
    const unsigned t = simt::thread_index(), lane = simt::lane_index(), j = simt::warp_index();
    const std::uint64_t group = simt::block_index() / blocks_a_group, chunk = simt::block_index() % blocks_a_group;
    const std::uint64_t number = chunk * simt::warp_size + lane;
    const unsigned i = unsigned(number / samples_a_run); // the sample's run
    const std::uint64_t place = number % samples_a_run * layout.distance;
    const bool exists = i < layout.ways && place < layout.length(group, i);
    if (t < simt::warp_size)
      s.before.store(t, 0u);
    if (chunk == 0 && t == 0)
      unusable.store(group, 0u);
    simt::block_barrier();
    std::uint64_t found = place; // elements of run j before the sample
    if (exists) {
      const auto sample = runs.load(layout.begin(group, i) + place);
      std::uint64_t rank = place / layout.distance;
      if (j != i)
        rank = before(sample, i, group, j, 0, merge_layout::pieces(layout.length(group, j), layout.distance),
                      layout.distance);
      s.before.fetch_add(lane, static_cast<std::uint32_t>(rank));
      found = rank;
    }
    simt::block_barrier();
    if (exists) {
      const std::uint32_t rank = s.before.load(lane);
      const std::uint64_t slab = rank / layout.samples;
      if (rank % layout.samples == 0 && slab > 0 && slab < layout.slabs(group))
        borders.store(layout, group, slab, j, j == i ? place : refined(place, i, group, j, found));
    }
  }

 private:
  /// How many of the elements [low, high) · step of run j are before the sample, those below `low` being so.
  template <class Element>
  SORTILE_DEVICE std::uint64_t before(const Element& sample, unsigned i, std::uint64_t group, unsigned j,
                                      std::uint64_t low, std::uint64_t high, std::uint64_t step) const {
    const std::uint64_t first = layout.begin(group, j);
    while (low < high) {
      const std::uint64_t tried = low + (high - low) / 2;
      const Element other = runs.load(first + tried * step);
      if (j < i ? !less(sample, other) : less(other, sample))
        low = tried + 1;
      else
        high = tried;
    }
    return low;
  }
  /// Elements of run j before the sample at `place` of run i, `samples` of its samples being so.
  SORTILE_DEVICE std::uint64_t refined(std::uint64_t place, unsigned i, std::uint64_t group, unsigned j,
                                       std::uint64_t samples) const {
    if (samples == 0)
      return 0;
    const std::uint64_t last = samples * layout.distance, length = layout.length(group, j);
    return before(runs.load(layout.begin(group, i) + place), i, group, j, last - layout.distance + 1,
                  last < length ? last : length, 1);
  }
};

/// A thread for each slab; marks the groups in which one cannot be used. `capacity`: elements that a block merges.
struct slab_check_kernel {
  static constexpr unsigned block_threads = 256;

  merge_layout layout;
  unsigned capacity;
  slab_borders<const std::uint64_t> borders;
  simt::global<std::uint32_t> unusable;

  SORTILE_DEVICE void operator()() const {
    const std::uint64_t i = std::uint64_t{simt::block_index()} * block_threads + simt::thread_index();
    const std::uint64_t group = i / layout.slabs_a_group, slab = i % layout.slabs_a_group;
    if (group >= layout.groups)
      return;
    const std::uint64_t slabs = layout.slabs(group);
    if (slab >= slabs)
      return;
    bool usable = true;
    std::uint64_t elements = 0;
    for (unsigned j = 0; j < layout.ways; ++j) {
      const std::uint64_t begin = borders.load(layout, group, slab, slabs, j);
      const std::uint64_t end = borders.load(layout, group, slab + 1, slabs, j);
      usable &= begin <= end && end <= layout.length(group, j);
      elements += end - begin;
    }
    if (!usable || elements > capacity)
      unusable.fetch_or(group, 1u);
  }
};

} // namespace sortile::kernels::inline SORTILE_BACKEND
