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
#include "primitives/bisect.hpp"

namespace sortile::kernels::inline SORTILE_BACKEND {

template <class Runs, class Less>
struct slab_border_kernel {
  static constexpr bool starts_early = true;
  static constexpr unsigned block_threads = simt::warp_size * most_ways; // launched with a warp for each run
  struct shared {
    simt::shared_array<std::uint32_t, simt::warp_size> before; // of each of the block's samples: samples before it
  };

  using layout_type = merge_layout<typename Runs::lengths>;
  Runs runs;
  layout_type layout;
  slab_borders<std::uint64_t> borders;
  simt::global<std::uint32_t> unusable; // a word for each group, cleared here
  by_key<Less> less;

  SORTILE_DEVICE void operator()(shared& s) const {
    const unsigned t = simt::thread_index(), lane = simt::lane_index(), j = simt::warp_index();
    const group_piece chunk = layout.chunk_at(simt::block_index());
    const std::uint64_t group = chunk.group;
    std::uint64_t number = chunk.number * simt::warp_size + lane; // among the run's samples, when `i` is found
    unsigned i = 0;                                               // the sample's run
    const std::uint64_t of_my_run = layout.samples_of(group, lane);
    std::uint64_t of_all = 0;
    SORTILE_NO_UNROLL
    for (unsigned other = 0; other < most_ways; ++other) {
      const std::uint64_t theirs = simt::shuffle(of_my_run, other);
      of_all += theirs;
      if (i == other && number >= theirs) {
        number -= theirs;
        ++i;
      }
    }
    const std::uint64_t of_run = simt::shuffle(of_my_run, j), place = number * layout.cut.distance;
    const bool exists = i < most_ways;
    if (t < simt::warp_size)
      s.before.store(t, 0u);
    if (chunk.number == 0 && t == 0)
      unusable.store(group, 0u);
    simt::block_barrier();
    std::uint64_t found = number; // samples of run j before this one
    if (exists) {
      if (j != i)
        found = before(sample_at(group, i, place), i, group, j, 0, of_run, layout.cut.distance);
      s.before.fetch_add(lane, static_cast<std::uint32_t>(found));
    }
    simt::block_barrier();
    if (exists) {
      const std::uint32_t rank = s.before.load(lane);
      const std::uint64_t slab = rank / layout.cut.samples;
      if (rank % layout.cut.samples == 0 && slab > 0 && slab < layout.slabs_of(of_all))
        borders.store(layout.first_slab(group) + slab, j, j == i ? place : refined(place, i, group, j, found));
    }
  }

 private:
  /// How many of the elements [low, high) · step of run j are before the sample, those below `low` being so.
  template <class Element>
  SORTILE_DEVICE std::uint64_t before(const Element& sample, unsigned i, std::uint64_t group, unsigned j,
                                      std::uint64_t low, std::uint64_t high, std::uint64_t step) const {
    if (low >= high)
      return low;
    const auto run = runs.of(layout.lengths, group * layout.ways + j);
    return primitives::first_that(low, high, [&](std::uint64_t tried) {
      const Element other = runs.load(run, tried * step);
      return j < i ? less(sample, other) : !less(other, sample);
    });
  }
  /// Elements of run j before the sample at `place` of run i, `samples` of its samples being so.
  SORTILE_DEVICE std::uint64_t refined(std::uint64_t place, unsigned i, std::uint64_t group, unsigned j,
                                       std::uint64_t samples) const {
    if (samples == 0)
      return 0;
    const std::uint64_t last = samples * layout.cut.distance, length = layout.length(group, j);
    return before(sample_at(group, i, place), i, group, j, last - layout.cut.distance + 1,
                  last < length ? last : length, 1);
  }
  SORTILE_DEVICE auto sample_at(std::uint64_t group, unsigned i, std::uint64_t place) const {
    return runs.load(runs.of(layout.lengths, group * layout.ways + i), place);
  }
};

/// A thread for each slab; marks the groups in which one cannot be used. `capacity`: elements that a block merges.
template <class Lengths>
struct slab_check_kernel {
  static constexpr bool starts_early = true;
  static constexpr unsigned block_threads = 256;

  merge_layout<Lengths> layout;
  unsigned capacity;
  slab_borders<const std::uint64_t> borders;
  simt::global<std::uint32_t> unusable;

  SORTILE_DEVICE void operator()() const {
    const std::uint64_t i = std::uint64_t{simt::block_index()} * block_threads + simt::thread_index();
    if (i >= layout.all_slabs)
      return;
    const group_piece at = layout.slab_at(i);
    const std::uint64_t slabs = layout.slabs(at.group);
    if (at.number >= slabs)
      return;
    bool usable = true;
    std::uint64_t elements = 0;
    for (unsigned j = 0; j < layout.ways; ++j) {
      const std::uint64_t begin = borders.load(layout, at, at.number, slabs, j);
      const std::uint64_t end = borders.load(layout, at, at.number + 1, slabs, j);
      usable &= begin <= end && end <= layout.length(at.group, j);
      elements += end - begin;
    }
    if (!usable || elements > capacity)
      unusable.fetch_or(at.group, 1u);
  }
};

} // namespace sortile::kernels::inline SORTILE_BACKEND
