// What a search for ranks keeps in device memory between its launches, and what a block makes of the counts.
//
//   cuts      images c[0] < c[1] < …, by which keys fall into regions
//   regions   2j: the open interval below cut j (the last one: above all cuts); 2j + 1: equal to cut j
//
//                     c[0]        c[1]            c[2]
//       ───────────────┼───────────┼───────────────┼──────────
//        0             1     2     3       4       5     6
//
// A wanted rank lies in one region. Where that is a cut's own, the cut is the answer, however many keys equal it. Where
// it is an interval whose keys have been gathered, the answer is found among those.
#pragma once

#include "kernels/ranks/find_ranks.hpp"
#include "primitives/bisect.hpp"
#include "primitives/block_scan.hpp"

namespace sortile::kernels::inline SORTILE_BACKEND {

template <class Word>
struct ranks_state {
  static constexpr std::uint64_t no_place = ~std::uint64_t{0};

  simt::global<std::uint64_t> wanted;   ///< [ranks] ascending
  simt::global<std::uint32_t> brackets; ///< [2 · ranks] of the sorted sample
  simt::global<Word> cuts;
  simt::global<std::uint32_t> shape;    ///< [0] how many cuts; [1] … [4] a bit an interval: its keys are gathered
  simt::global<std::uint64_t> counts;   ///< [regions] keys
  simt::global<std::uint64_t> reserved; ///< [1] of the gathered keys' room
  simt::global<std::uint64_t> count;    ///< [1] gathered keys, for the sort that follows
  simt::global<Word> first, last;       ///< [ranks] images between which the rank's key is known to lie
  simt::global<std::uint64_t> below;    ///< [ranks] keys before `first`
  simt::global<std::uint64_t> upto;     ///< [ranks] keys before or in [first, last]
  // Answers, written once:
  simt::global<std::uint64_t> place;  ///< [ranks] among the gathered keys, sorted; or no_place
  simt::global<Word> image;           ///< [ranks] without a place: of the key
  simt::global<std::uint64_t> before; ///< [ranks] keys before the image; with a place: not gathered ones
  std::uint64_t n, capacity;
  std::uint32_t ranks;
  key_codec<Word> codec;

  SORTILE_DEVICE Word greatest() const { return codec.mask; }
};

/// The regions' counts as one block reads them: all its threads call.
template <class Word, unsigned Threads>
struct ranks_verdict {
  using limits = detail::find_ranks_layout;
  static_assert(Threads == limits::regions, "a thread has a region");

  struct shared {
    primitives::block_scan_storage<std::uint64_t, Threads> scan;
    simt::shared_array<std::uint64_t, limits::regions> before;   // keys in the regions before this one
    simt::shared_array<std::uint64_t, limits::regions> gathered; // those of them that have been gathered
    simt::shared_array<std::uint32_t, limits::ranks> region;     // of a rank
  };

  static SORTILE_DEVICE bool is_gathered(const ranks_state<Word>& state, std::uint32_t interval) {
    return (state.shape.load(1 + interval / 32, simt::l2_only) >> interval % 32 & 1) != 0;
  }

  /// Whether every rank is answered by a cut, or lies among gathered keys. Thread r < ranks learns of rank r: its place
  /// among these, or no_place and the image.
  static SORTILE_DEVICE bool settled(shared& s, const ranks_state<Word>& state, std::uint64_t& place, Word& image) {
    const std::uint32_t t = simt::thread_index(), regions = 2 * state.shape.load(0, simt::l2_only) + 1;
    const std::uint64_t mine = t < regions ? state.counts.load(t, simt::l2_only) : 0;
    const bool kept = t < regions && t % 2 == 0 && is_gathered(state, t / 2);
    const auto all = primitives::block_exclusive_scan(s.scan, mine, primitives::plus{}, std::uint64_t{0});
    simt::block_barrier();
    const auto of_kept =
        primitives::block_exclusive_scan(s.scan, kept ? mine : 0, primitives::plus{}, std::uint64_t{0});
    s.before[t] = all.before;
    s.gathered[t] = of_kept.before;
    simt::block_barrier();
    bool is_settled = true;
    place = ranks_state<Word>::no_place;
    image = 0;
    if (t < state.ranks) {
      const std::uint64_t rank = state.wanted.load(t);
      const std::uint32_t low =
          primitives::last_that(0, regions - 1, [&](std::uint32_t region) { return s.before.load(region) <= rank; });
      s.region[t] = low;
      image = state.first.load(t, simt::l2_only);
      if (image != state.last.load(t, simt::l2_only)) { // else it is known
        if (low % 2 == 1)
          image = state.cuts.load(low / 2, simt::l2_only);
        else if (is_gathered(state, low / 2))
          place = s.gathered.load(low) + (rank - s.before.load(low));
        else
          is_settled = false;
      }
    }
    return simt::block_all(is_settled && of_kept.total <= state.capacity);
  }

  /// By one block, after settled() has said yes: what the launches behind read.
  static SORTILE_DEVICE void write(shared& s, const ranks_state<Word>& state, std::uint64_t place, Word image) {
    const std::uint32_t t = simt::thread_index();
    if (t < state.ranks) {
      const std::uint32_t region = s.region.load(t);
      const bool known = state.first.load(t, simt::l2_only) == state.last.load(t, simt::l2_only);
      const std::uint64_t not_gathered = s.before.load(region) - s.gathered.load(region);
      state.place[t] = place;
      state.image[t] = image;
      state.before[t] = place != ranks_state<Word>::no_place ? not_gathered
                        : known                              ? state.below.load(t, simt::l2_only)
                                                             : s.before.load(region);
    }
    if (t == 0)
      state.count[0] = state.reserved.load(0, simt::l2_only);
  }
};

} // namespace sortile::kernels::inline SORTILE_BACKEND
