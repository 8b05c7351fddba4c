// Chooses the keys that part a segment into buckets of about one size: a block a segment sorts a sample of its keys
// and takes every so many-th.
//
//   sample   S keys, one drawn from each of S equal stretches of the segment
//   cut      d is the sample's element (d + 1) · S / buckets, or the value before it: bucket d holds what lies above
//            cut[d − 1], up to cut[d]
//
// Frequent keys. Where the sample has a value many times over, the cut goes to the nearer end of its run, below the
// value or above it. So a key that would fill a bucket gets one that holds nothing else, which needs no sorting however
// large it is; a less frequent one is never cut off from its equals, and makes no bucket larger by more than half of
// what it has.
//
// How large buckets get. Between cuts that stand `a` samples apart lies Gamma(a) / a times a bucket's share: with a =
// 64, as of 2^14 keys for 2^8 buckets, more than 1.5 times with the probability e^(−a (1.5 − 1 − ln 1.5)) = 0.002, more
// than twice 3 · 10^-9.
//
// The second level also leaves how the keys of each bucket are spread for the local step's bins: evenly between its
// cuts, as far as anyone knows; and how many it may hold: as many as the local steps can take, or any number of one
// key.
//
// Cost: 50 to 100 µs of one block, S scattered reads.
#pragma once

#include "kernels/pairs/key_spread.hpp"
#include "primitives/bisect.hpp"
#include "primitives/block_merge_sort.hpp"
#include "primitives/search_tree.hpp"

namespace sortile::kernels::inline SORTILE_BACKEND {

/// Place i of S in a segment of so many keys: somewhere in its i-th stretch (the finaliser of MurmurHash3, Appleby
/// 2011, as a generator).
SORTILE_HOST_DEVICE std::uint32_t drawn_place(std::uint32_t i, std::uint32_t samples, std::uint32_t keys) {
  std::uint32_t h = (i + 1) * 0x9e3779b9u;
  h = (h ^ h >> 16) * 0x85ebca6bu;
  h = (h ^ h >> 13) * 0xc2b2ae35u;
  const std::uint64_t at = (std::uint64_t{i} << 32 | (h ^ h >> 16)) / samples; // of 2^32
  return std::uint32_t((at & 0xffffffffu) * keys >> 32);
}

template <class Word, class Image>
struct choose_splitters_kernel {
  static constexpr bool starts_early = true;
  static constexpr unsigned block_threads = 1024, min_blocks = 1;
  static constexpr int items = sizeof(Word) <= 8 ? 16 : 8;
  static constexpr std::uint32_t samples = block_threads * unsigned(items);
  using sorter = primitives::block_merge_sort<items, Word>;
  using spread = key_spread<Word, Image>;

  struct shared {
    alignas(16) simt::shared_array<Word, primitives::merge_sort_room<Word>(samples)> sorted;
    simt::shared_array<Word, primitives::search_tree<Word>::most> cuts;
  };

  simt::global<const Word> in;
  simt::global<const std::uint32_t> only_if;       // where is_conditional: 0 for nothing to do. Of the first level
  simt::global<const std::uint32_t> segment_start; // of more than one segment
  simt::global<const Word> segment_cuts;           // of the level above
  simt::global<Word> cuts;                         // [segment][2^bits]
  simt::global<spread> spreads;                    // of the second level: [segment][2^bits]
  simt::global<std::uint32_t> most;                // likewise
  pairs_gate gate;
  Image image;
  std::uint32_t n, capacity;
  unsigned bits;
  bool is_conditional, first_level;

  SORTILE_DEVICE void operator()(shared& s) const {
    if (first_level ? !open() : gate.left_at_once())
      return;
    const std::uint32_t segment = simt::block_index();
    const std::uint32_t begin = first_level ? 0 : segment_start.load(segment),
                        keys = (first_level ? n : segment_start.load(segment + 1)) - begin;
    const std::uint32_t drawn = keys < samples ? keys : samples;
    sorter::sort_loaded(s.sorted.view(), drawn, Word(~Word{0}),
                        [&](std::uint32_t i) { return image.image(in.load(begin + drawn_place(i, drawn, keys))); });
    simt::block_barrier();
    const unsigned d = simt::thread_index(), buckets = 1u << bits;
    if (d < buckets) {
      s.cuts[d] = d + 1 < buckets && drawn != 0 ? cut(s, segment, d, drawn) : highest(segment);
      cuts[(std::uint64_t{segment} << bits) + d] = s.cuts.load(d);
    }
    simt::block_barrier();
    if (!first_level && d < buckets)
      leave_bucket(s, segment, d);
  }

 private:
  /// What later steps find. False, in all threads, where there is nothing to do.
  SORTILE_DEVICE bool open() const {
    const bool nothing = is_conditional && only_if.load(0) == 0;
    if (simt::thread_index() == 0) {
      gate.unsuited[0] = 0;
      gate.findings[pair_order] = seen_both;
      gate.findings[pair_left] = 0;
      gate.findings[pair_crowded] = nothing ? 1 : 0;
    }
    return !nothing;
  }
  SORTILE_DEVICE Word highest(std::uint32_t segment) const {
    return first_level ? Word(~Word{0}) : segment_cuts.load(segment);
  }
  static SORTILE_DEVICE Word at(shared& s, std::uint32_t i) {
    return s.sorted.load(primitives::merge_sort_place<Word>(i));
  }
  /// The cut between buckets d and d + 1. Not at the segment's own end, behind which nothing is.
  SORTILE_DEVICE Word cut(shared& s, std::uint32_t segment, unsigned d, std::uint32_t drawn) const {
    const std::uint32_t i = std::uint32_t(std::uint64_t{d + 1} * drawn >> bits);
    const Word v = at(s, i);
    if (v == 0)
      return v;
    if (v == highest(segment))
      return Word(v - 1);
    const std::uint32_t last = primitives::last_that(i, drawn - 1, [&](std::uint32_t k) { return at(s, k) == v; });
    std::uint32_t first = 0;
    if (at(s, 0) < v)
      first = primitives::last_that(0, i, [&](std::uint32_t k) { return at(s, k) < v; }) + 1;
    return i - first < last + 1 - i ? Word(v - 1) : v;
  }
  SORTILE_DEVICE void leave_bucket(shared& s, std::uint32_t segment, unsigned d) const {
    const Word high = s.cuts.load(d);
    Word below = 0; // the highest of what lies before
    bool any_below = true;
    if (d != 0)
      below = s.cuts.load(d - 1);
    else if (segment != 0)
      below = segment_cuts.load(segment - 1);
    else
      any_below = false;
    const bool empty = any_below && below >= high;
    const Word low = any_below && !empty ? Word(below + 1) : Word(any_below ? high : 0);
    const std::uint64_t q = (std::uint64_t{segment} << bits) + d;
    most[q] = low == high ? any_number : capacity;
    spreads[q] = low < high ? spread_between(low, high) : spread::whole();
  }
  SORTILE_DEVICE spread spread_between(Word low, Word high) const {
    if constexpr (std::is_same_v<Image, any_image<Word>>)
      return image.is_finite(low) && image.is_finite(high) ? spread::between(image, low, high) : spread::whole();
    else
      return spread::of(low, high);
  }
};

} // namespace sortile::kernels::inline SORTILE_BACKEND
