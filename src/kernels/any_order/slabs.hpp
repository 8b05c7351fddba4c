// How a merge of several sorted runs is cut into slabs that a block each can merge in shared storage.
//
//   run 0   x···x···x···x··|
//   run 1   x···x···x···x··|
//   run 2   x···x···x·|
//
// Every G-th element x of each run is a sample. Its rank among all samples, and its place in every run, come from
// bisections, one for each run. In the order of the samples every m-th is the border of a slab: slab b has, of each
// run, what lies between border b and border b + 1.
//
// A slab holds m samples, and of each run fewer than G elements before the first sample. So of k runs it has fewer than
// (m + k) · G elements, and fits a block that holds as many; on the average it has m · G. This is regular sampling
// (PSRS: Shi and Schaeffer 1992), here exact: no keys, however frequent, make a slab larger, since equal ones are
// ordered by run and place.
//
// A group is the up to `most_ways` runs that become one run. Groups are alike, but that the last may have fewer and
// shorter runs.
#pragma once

#include "simt/simt.hpp"

#include <cstdint>

namespace sortile::kernels::inline SORTILE_BACKEND {

/// Runs that one merge makes one of, at most.
inline constexpr unsigned most_ways = 8;

/// Where runs, groups and slabs lie.
struct merge_layout {
  std::uint64_t n = 0;          ///< elements of all runs
  std::uint64_t run = 0;        ///< of a run but the last
  unsigned ways = 2;            ///< runs of a group
  bool rest_is_one_run = false; ///< two runs, of which the second has whatever is left and may be the longer one
  unsigned distance = 0;        ///< G
  unsigned samples = 0;         ///< m
  std::uint64_t groups = 1, slabs_a_group = 0; ///< slabs of a group but the last

  SORTILE_HOST_DEVICE static std::uint64_t pieces(std::uint64_t count, std::uint64_t piece) {
    return (count + piece - 1) / piece;
  }
  SORTILE_HOST_DEVICE std::uint64_t begin(std::uint64_t group, unsigned j) const {
    const std::uint64_t first = (group * ways + j) * run;
    return first < n ? first : n;
  }
  SORTILE_HOST_DEVICE std::uint64_t length(std::uint64_t group, unsigned j) const {
    const std::uint64_t left = j < ways ? n - begin(group, j) : 0;
    return left < run || (rest_is_one_run && j == 1) ? left : run;
  }
  SORTILE_HOST_DEVICE std::uint64_t longest() const { return rest_is_one_run && n - run > run ? n - run : run; }
  SORTILE_HOST_DEVICE std::uint64_t slabs(std::uint64_t group) const {
    std::uint64_t all = 0;
    for (unsigned j = 0; j < ways; ++j)
      all += pieces(length(group, j), distance);
    return pieces(all, samples);
  }
  /// Of all groups, and as many borders are kept. Fewer, or as many, where longer runs are merged: every group rounds
  /// up.
  SORTILE_HOST_DEVICE std::uint64_t all_slabs() const { return (groups - 1) * slabs_a_group + slabs(groups - 1); }
};

/// Inner borders of slabs: for each the number of elements before it in each run of its group.
template <class Place> // std::uint64_t or const
struct slab_borders {
  simt::global<Place> places;

  /// Before slab `slab` of `slabs`; also before the first and behind the last, which are not stored.
  SORTILE_DEVICE std::uint64_t load(const merge_layout& layout, std::uint64_t group, std::uint64_t slab,
                                    std::uint64_t slabs, unsigned j) const {
    return slab == 0 ? 0 : slab >= slabs ? layout.length(group, j) : places.load(place(layout, group, slab, j));
  }
  SORTILE_DEVICE void store(const merge_layout& layout, std::uint64_t group, std::uint64_t slab, unsigned j,
                            std::uint64_t before) const {
    places.store(place(layout, group, slab, j), before);
  }

 private:
  SORTILE_DEVICE static std::uint64_t place(const merge_layout& layout, std::uint64_t group, std::uint64_t slab,
                                            unsigned j) {
    return (group * layout.slabs_a_group + slab) * most_ways + j;
  }
};

} // namespace sortile::kernels::inline SORTILE_BACKEND
