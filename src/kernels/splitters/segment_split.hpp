// Divides segments between splitters, by all blocks of a cooperative grid together: chooses the splitters, counts the
// keys of each bucket, and finds where every block's pairs go. A partition that follows (divide_kernel.hpp) moves them.
//
//   ask      at the first level, whether passes are quicker (passes_sample.hpp)
//   choose   a block a segment, one after the other where there are more (splitter_choice.hpp)
//   count    each block its share (share_counts.hpp)
//   places   the tables (pairs/place_tables.hpp)
//
// The grid meets between these. The verdict is written behind a meeting: until then blocks may ask it whether they are
// called. (Of a first sort nobody asks.)
#pragma once

#include "kernels/pairs/place_tables.hpp"
#include "kernels/splitters/passes_sample.hpp"
#include "kernels/splitters/share_counts.hpp"
#include "kernels/splitters/splitter_choice.hpp"

namespace sortile::kernels::inline SORTILE_BACKEND {

/// Items: samples a thread, at most.
template <class Word, class Image, unsigned Threads, int Items>
struct segment_split {
  static constexpr unsigned threads = Threads;
  using sample_for_passes = passes_sample<Word, Threads>;
  using choice_of_splitters = splitter_choice<Word, Image, Threads, Items>;
  using counts_of_shares = share_counts<Word, Threads>;
  using places_of_shares = place_tables<Threads>;

  union storage {
    typename sample_for_passes::storage asked;
    typename choice_of_splitters::storage choice;
    typename counts_of_shares::storage counts;
    typename places_of_shares::storage places;
  };

  sample_for_passes passes;
  choice_of_splitters splitters;
  counts_of_shares shares;
  places_of_shares tables;
  pairs_gate gate;

  /// False, in all threads of the grid, where there is nothing to do, as far as a sample tells. What this has found is
  /// complete when the grid has met.
  SORTILE_DEVICE bool make(storage& s) const {
    if (splitters.first_level ? !begin(s) : gate.given_away_by_sample())
      return false;
    for (std::uint32_t segment = simt::block_index(); segment < shares.segments; segment += simt::grid_size()) {
      const bool uneven = splitters.choose(s.choice, segment);
      if (uneven && simt::thread_index() == 0)
        gate.findings[pair_skewed] = 1;
      simt::block_barrier();
    }
    simt::grid_barrier();
    if (splitters.first_level && splitters.asks_evenness && gate.given_away_by_sample()) {
      give_away();
      return false;
    }
    shares.count(s.counts);
    tables.make(s.places, gate);
    return true;
  }

 private:
  /// False, in all threads of the grid, where there is nothing to do.
  SORTILE_DEVICE bool begin(storage& s) const {
    if (!gate.told.calls()) {
      leave(true);
      return false;
    }
    if (passes.blocks != 0) {
      passes.ask(s.asked);
      simt::grid_barrier();
      if (passes.passes_win()) {
        leave(true);
        give_away();
        return false;
      }
    }
    leave(false);
    return true;
  }
  /// What later steps find.
  SORTILE_DEVICE void leave(bool others_sort) const {
    if (simt::block_index() != 0 || simt::thread_index() != 0)
      return;
    gate.findings[pair_order] = seen_both;
    gate.findings[pair_deferred] = 0;
    gate.findings[pair_skewed] = others_sort ? 1 : 0;
    if (gate.told.role == 0) // of a fallback the word says so
      gate.told.take();
  }
  SORTILE_DEVICE void give_away() const {
    if (simt::block_index() == 0 && simt::thread_index() == 0)
      gate.told.give_away();
  }
};

} // namespace sortile::kernels::inline SORTILE_BACKEND
