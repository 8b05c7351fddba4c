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
// A group is the up to `most_ways` neighbouring runs that become one run. How long runs are, says a Lengths: equal ones
// of a sort's tiles (equal_lengths), or any ones of a list (run_list.hpp).
#pragma once

#include "kernels/any_order/merge_plan.hpp"
#include "simt/simt.hpp"

#include <cstdint>

namespace sortile::kernels::inline SORTILE_BACKEND {

/// A slab, or a chunk of samples: its group, the number of the group's first piece among all, and its own in the group.
struct group_piece {
  std::uint64_t group, first, number;
};

/// Runs one behind the other, all of one length but for the last. Groups are alike, but that the last may have fewer
/// and shorter runs; so a group's pieces (slabs, say) are found among those of all groups by a division.
struct equal_lengths {
  std::uint64_t n = 0;   ///< elements of all runs
  std::uint64_t run = 0; ///< of a run but the last

  SORTILE_HOST_DEVICE std::uint64_t begin(std::uint64_t i) const { return i * run < n ? i * run : n; }
  /// `step`: pieces of a group.
  SORTILE_DEVICE static std::uint64_t first_piece(std::uint64_t group, unsigned, std::uint64_t step) {
    return group * step;
  }
  SORTILE_DEVICE static group_piece piece_at(std::uint64_t number, std::uint64_t, unsigned, std::uint64_t step) {
    const std::uint64_t group = number / step;
    return {group, group * step, number - group * step};
  }
};

/// Such runs of elements. of(lengths, i) says where run i lies, load() gives one of its elements.
template <class Element>
struct equal_runs {
  using lengths = equal_lengths;
  struct source {
    std::uint64_t begin;
    SORTILE_DEVICE source shifted(std::uint64_t by) const { return {begin + by}; }
  };
  simt::global<const Element> all;

  SORTILE_DEVICE source of(const lengths& l, std::uint64_t i) const { return {l.begin(i)}; }
  SORTILE_DEVICE Element load(const source& s, std::uint64_t place) const { return all.load(s.begin + place); }
};

/// Where their keys lie.
template <class Element>
equal_runs<Element> keys_of(const equal_runs<Element>& runs) {
  return runs;
}

/// Where runs, groups and slabs lie.
template <class Lengths>
struct merge_layout {
  Lengths lengths{};
  unsigned ways = 2; ///< runs of a group
  slab_cut cut{};    ///< G and m
  std::uint64_t groups = 1;
  std::uint64_t slab_step = 1, chunk_step = 1; ///< by which Lengths numbers slabs, and chunks of a warp's samples
  std::uint64_t all_slabs = 0, all_chunks = 0; ///< so many numbers there are, at least

  SORTILE_HOST_DEVICE static std::uint64_t pieces(std::uint64_t count, std::uint64_t piece) {
    return (count + piece - 1) / piece;
  }
  SORTILE_DEVICE std::uint64_t begin(std::uint64_t group, unsigned j) const { return lengths.begin(group * ways + j); }
  SORTILE_DEVICE std::uint64_t length(std::uint64_t group, unsigned j) const {
    return j < ways ? begin(group, j + 1) - begin(group, j) : 0;
  }
  SORTILE_DEVICE std::uint64_t samples_of(std::uint64_t group, unsigned j) const {
    return pieces(length(group, j), cut.distance);
  }
  SORTILE_DEVICE std::uint64_t slabs(std::uint64_t group) const {
    std::uint64_t all = 0;
    for (unsigned j = 0; j < ways; ++j)
      all += samples_of(group, j);
    return slabs_of(all);
  }
  SORTILE_DEVICE std::uint64_t slabs_of(std::uint64_t samples_of_group) const {
    return pieces(samples_of_group, cut.samples);
  }
  SORTILE_DEVICE std::uint64_t first_slab(std::uint64_t group) const {
    return lengths.first_piece(group, ways, slab_step);
  }
  /// Of the slab with this number among all; a group has fewer than it has numbers.
  SORTILE_DEVICE group_piece slab_at(std::uint64_t number) const {
    return lengths.piece_at(number, groups, ways, slab_step);
  }
  SORTILE_DEVICE group_piece chunk_at(std::uint64_t number) const {
    return lengths.piece_at(number, groups, ways, chunk_step);
  }
};

/// The words of a merge that lie in the workspace.
struct merge_words {
  std::uint64_t* borders;
  std::uint32_t* unusable;
};

/// Inner borders of slabs: for each the number of elements before it in each run of its group. They are kept by the
/// slabs' numbers among those of all groups.
template <class Place> // std::uint64_t or const
struct slab_borders {
  simt::global<Place> places;

  /// Before slab `slab` of `slabs` of the group; also before the first and behind the last, which are not stored.
  template <class Layout>
  SORTILE_DEVICE std::uint64_t load(const Layout& layout, const group_piece& at, std::uint64_t slab,
                                    std::uint64_t slabs, unsigned j) const {
    return slab == 0 ? 0 : slab >= slabs ? layout.length(at.group, j) : places.load((at.first + slab) * most_ways + j);
  }
  SORTILE_DEVICE void store(std::uint64_t number, unsigned j, std::uint64_t before) const {
    places.store(number * most_ways + j, before);
  }
};

} // namespace sortile::kernels::inline SORTILE_BACKEND
