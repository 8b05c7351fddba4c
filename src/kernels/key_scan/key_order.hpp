// In which order keys lie: what a scan, which reads them all anyway, learns from neighbours.
//
//   none falls                  the keys are in order: the result is a copy of the input
//   some fall, none rises       they are descending: the result is the input from its end (reverse_array.hpp)
//   some fall, some rise        there is something to sort
//
// Equal neighbours are in order. In a reversed copy they would change places. So where the sort is stable and equal
// keys can be told apart (by their values, or by bits that the images leave out) they count as rising, and only
// strictly descending images are reversed. Where equal images mean equal bits, and no values go with the keys, they
// count as neither.
//
// A warp that has seen both stops comparing: with unsorted keys, after its first row. A warp that has seen one of them
// compares for the other alone, which costs sorted keys no more than a single comparison would. Until it has seen both
// a row of equal keys is looked for, too, of which scans count one key for all.
#pragma once

#include "simt/simt.hpp"

namespace sortile::kernels::inline SORTILE_BACKEND {

/// Bits: what some neighbours do.
enum order_seen : std::uint32_t { seen_neither = 0, seen_falling = 1, seen_rising = 2, seen_both = 3 };

SORTILE_HOST_DEVICE bool is_in_order(std::uint64_t seen) {
  return (seen & seen_falling) == 0;
}
SORTILE_HOST_DEVICE bool is_backwards(std::uint64_t seen) {
  return seen == seen_falling;
}

/// Images themselves, for order_watch.
template <class Word>
struct plain_image {
  SORTILE_HOST_DEVICE bool less(Word a, Word b) const { return a < b; }
};

/// What neighbours seen so far do. Two booleans live in predicates: scans have no register to spare.
struct neighbours {
  bool fall = false, rise = false;
  SORTILE_DEVICE bool both() const { return fall && rise; }
  SORTILE_DEVICE std::uint32_t bits() const {
    return (fall ? std::uint32_t{seen_falling} : 0) | (rise ? std::uint32_t{seen_rising} : 0);
  }
};

/// Of all threads of a block together. By all of them.
SORTILE_DEVICE std::uint32_t order_of_block(bool fall, bool rise) {
  const bool any_fall = simt::block_any(fall), any_rise = simt::block_any(rise);
  return neighbours{any_fall, any_rise}.bits();
}

/// Whether a warp's vectors have one key throughout, the same bits.
template <class Word, int N>
SORTILE_DEVICE bool is_one_key(const simt::vec<Word, N>& x) {
  Word differ = Word(x[0] ^ simt::shuffle(x[0], 0));
  SORTILE_UNROLL
  for (int e = 1; e < N; ++e)
    differ = Word(differ | Word(x[e] ^ x[0]));
  return simt::warp_all(differ == 0);
}

/// For order_watch: reads the key at `at`, if there is one. `in` has to outlive it.
template <class Word, class Place>
SORTILE_DEVICE auto key_behind(const simt::global<const Word>& in, Place at, std::uint32_t n) {
  return [&in, at, n](Word& key) {
    if (at >= n)
      return false;
    key = in.load(at);
    return true;
  };
}

/// Compares neighbours by image.less. behind(key) is false where no key follows those at hand; else it sets `key` to
/// that one.
template <class Image>
struct order_watch {
  Image image;
  bool ties_rise; ///< false only where equal images mean equal keys

  /// Adds what a vector's keys and the key after them do.
  template <class Word, int N, class Behind>
  SORTILE_DEVICE void see(const simt::vec<Word, N>& x, Behind behind, neighbours& seen) const {
    within(x, seen);
    Word next{};
    if (behind(next))
      note(x[N - 1], next, seen);
  }
  /// The same of a whole warp's row of vectors, each lane's behind the next lower one's. `seen` is the same in all
  /// lanes, and behind() is the last one's.
  template <class Word, int N, class Behind>
  SORTILE_DEVICE void see_row(const simt::vec<Word, N>& x, Behind behind, neighbours& seen) const {
    if (seen.both())
      return;
    Word next = simt::shuffle_down(x[0], 1);
    const bool follows = simt::lane_index() != simt::warp_size - 1 || behind(next);
    if (seen.rise) {
      bool falls = follows && image.less(next, x[N - 1]);
      SORTILE_UNROLL
      for (int e = 1; e < N; ++e)
        falls |= image.less(x[e], x[e - 1]);
      seen.fall = simt::warp_any(falls);
      return;
    }
    neighbours mine = seen;
    if (follows)
      note(x[N - 1], next, mine);
    within(x, mine);
    seen.fall = simt::warp_any(mine.fall);
    seen.rise = simt::warp_any(mine.rise);
  }

  /// The same where all of the row's keys are this one (is_one_key).
  template <class Word, class Behind>
  SORTILE_DEVICE void see_one_key(const Word& key, Behind behind, neighbours& seen) const {
    neighbours mine{seen.fall, seen.rise || ties_rise};
    if (Word next{}; simt::lane_index() == simt::warp_size - 1 && behind(next))
      note(key, next, mine);
    seen.fall = simt::warp_any(mine.fall);
    seen.rise = simt::warp_any(mine.rise);
  }

 private:
  template <class Word>
  SORTILE_DEVICE void note(Word key, Word next, neighbours& seen) const {
    const bool falls = image.less(next, key);
    seen.fall |= falls;
    seen.rise |= !falls && (ties_rise || key != next);
  }
  template <class Word, int N>
  SORTILE_DEVICE void within(const simt::vec<Word, N>& x, neighbours& seen) const {
    SORTILE_UNROLL
    for (int e = 1; e < N; ++e)
      note(x[e - 1], x[e], seen);
  }
};

} // namespace sortile::kernels::inline SORTILE_BACKEND
