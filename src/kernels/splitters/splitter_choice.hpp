// Chooses the keys that part a segment into buckets of about one size: a block sorts a sample of the segment's keys,
// and cuts it (split_segments_kernel.hpp).
//
//   sample   S keys, one drawn from each of S equal stretches of the segment
//   cut[d]   the highest image of bucket d; bucket d holds what lies above cut[d − 1]
//
// Frequent keys. Equal keys are never parted, so where the sample has a value many times, a cut every S / buckets
// samples would leave buckets of any size. A value goes to the current bucket if that then has at most `room` samples.
// A value that has more than that by itself gets a bucket alone, which needs no sorting however large it is.
//
//   samples    a a b c c c c c c c c c d e e f …        room 4
//   buckets    a a b | c, alone | d e e f | …           the cost: the bucket before it may be small
//
// How much room. Each warp tries one: from half of S / buckets to 2.4 times S / buckets; the least for which the
// buckets suffice is taken. For keys that hardly repeat it is S / buckets; where some values fill buckets alone it is
// less. Two neighbouring buckets together exceed the room, so twice S / buckets always suffices, but for the ends.
//
// How large buckets get. A bucket of `a` samples is Gamma(a) / a times as large as its share. With a = 64 (2^14 samples
// for 2^8 buckets) it is more than 1.5 times as large with the probability e^(−a (1.5 − 1 − ln 1.5)) = 0.002, more than
// twice with 3 · 10^-9. Of 128-bit keys shared storage holds 12,288 samples, so a = 48: 0.01 and 4 · 10^-7.
//
// With a = 32, up to 2^23 pairs, the local step takes 2.75 times the share.
//
// The second level also writes how the keys of each bucket are spread, for the local step's bins: evenly between its
// cuts, as far as is known. And it writes how many pairs each bucket may hold: twice what the large local step takes,
// once what the local step takes where no other follows, or any number of one key.
//
// Cost, of 64-bit keys on the H100: 2^14 samples 0.15 ms of one block, 0.4 to 0.5 of 256; 2^11 some 0.06; S scattered
// reads. More than half of it are the trials, whose steps wait for each other.
#pragma once

#include "kernels/key_scan/drawn_place.hpp"
#include "kernels/pairs/key_spread.hpp"
#include "primitives/bisect.hpp"
#include "primitives/block_merge_sort.hpp"
#include "primitives/search_tree.hpp"

namespace sortile::kernels::inline SORTILE_BACKEND {

template <class Word, class Image, unsigned Threads>
struct splitter_choice {
  static constexpr int items = 16; // samples a thread, at most
  static constexpr std::uint32_t most_samples = Threads * unsigned(items);
  template <int Items>
  using sorter = primitives::block_merge_sort<Items, Word>;
  using spread = key_spread<Word, Image>;

  struct storage {
    alignas(16) simt::shared_array<Word, primitives::merge_sort_room<Word>(most_samples)> sorted;
    simt::shared_array<Word, primitives::search_tree<Word>::most> cuts;
    simt::shared_value<std::uint32_t> least; // trial for whose room the buckets suffice
  };

  simt::global<const Word> in;
  simt::global<const std::uint32_t> segment_start; // of more than one segment
  simt::global<const Word> segment_cuts;           // of the level above
  simt::global<Word> cuts;                         // [segment][2^bits]
  simt::global<spread> spreads;                    // of the second level: [segment][2^bits]
  simt::global<std::uint32_t> most;                // likewise
  Image image;
  std::uint32_t n, capacity, samples_a_bucket;
  unsigned bits;
  bool first_level;
  bool asks_evenness; // at the first level: whether keys are dense at every scale

  static SORTILE_HOST_DEVICE std::uint32_t samples_for(unsigned bits, std::uint32_t a_bucket) {
    return a_bucket << bits < most_samples ? a_bucket << bits : most_samples;
  }
  /// By all threads of a block. True, in all of them, where nothing was chosen, since keys are dense at every scale.
  SORTILE_DEVICE bool choose(storage& s, std::uint32_t segment) const {
    const std::uint32_t begin = first_level ? 0 : segment_start.load(segment),
                        keys = (first_level ? n : segment_start.load(segment + 1)) - begin;
    const std::uint32_t samples = samples_for(bits, asks_evenness ? 2 * samples_a_bucket : samples_a_bucket);
    const std::uint32_t drawn = keys < samples ? keys : samples;
    if (samples <= most_samples / 4)
      sort<items / 4>(s, begin, keys, drawn);
    else if (samples <= most_samples / 2)
      sort<items / 2>(s, begin, keys, drawn);
    else
      sort<items>(s, begin, keys, drawn);
    simt::block_barrier();
    const unsigned t = simt::thread_index(), buckets = 1u << bits;
    if (asks_evenness && is_uneven(s.sorted.view(), drawn))
      return true;
    if (t == 0)
      s.least = std::uint32_t{trials};
    if (t < buckets)
      s.cuts[t] = highest(segment);
    simt::block_barrier();
    const sample_view sample{s.sorted.view(), drawn, lowest(segment), highest(segment)};
    const unsigned trial = simt::warp_index();
    const unsigned made = cut(sample, room_of(trial, drawn), buckets, [](unsigned, Word) {});
    if (made <= buckets && simt::lane_index() == 0)
      s.least.fetch_min(0, trial, simt::relaxed, simt::block_scope);
    simt::block_barrier();
    const unsigned least = s.least;
    if (trial == (least < trials ? least : trials - 1))
      cut(sample, room_of(trial, drawn), buckets, [&](unsigned d, Word highest_of_bucket) {
        if (d + 1 < buckets && simt::lane_index() == 0) // samples that have no bucket go to the last one
          s.cuts[d] = highest_of_bucket;
      });
    simt::block_barrier();
    if (t >= buckets)
      return false;
    cuts[(std::uint64_t{segment} << bits) + t] = s.cuts.load(t);
    if (!first_level)
      leave_bucket(s, segment, t);
    return false;
  }

 private:
  template <int Items>
  SORTILE_DEVICE void sort(storage& s, std::uint32_t begin, std::uint32_t keys, std::uint32_t drawn) const {
    sorter<Items>::sort_loaded(s.sorted.view(), drawn, Word(~Word{0}), [&](std::uint32_t i) {
      return image.image(in.load(begin + drawn_place(i, drawn, keys)));
    });
  }
  /// Whether keys are dense at every scale, so that buckets are skewed inside: in more than a quarter of up to 256
  /// stretches of the sample, the median lies near an end of the stretch. That is so in 84 stretches for AND of three,
  /// 127 for text, 39 or fewer for a thousand clusters, Morton codes and heavy keys, at most one for smooth
  /// distributions, by 2^14 samples. By all threads alike.
  SORTILE_DEVICE bool is_uneven(const simt::shared_view<Word>& sorted, std::uint32_t drawn) const {
    constexpr unsigned most_stretches = 256, least_of_one = 32, eighth = 3;
    const std::uint32_t fitting = drawn / least_of_one, stretches = fitting < most_stretches ? fitting : most_stretches;
    const std::uint32_t each = stretches == 0 ? 0 : drawn / stretches, first = simt::thread_index() * each;
    bool lopsided = false;
    if (simt::thread_index() < stretches && each != 0) {
      const Word low = sorted.load(primitives::merge_sort_place<Word>(first)),
                 middle = sorted.load(primitives::merge_sort_place<Word>(first + each / 2)),
                 high = sorted.load(primitives::merge_sort_place<Word>(first + each - 1));
      const Word near = Word(Word(high - low) >> eighth);
      lopsided = Word(middle - low) < near || Word(high - middle) < near;
    }
    return simt::block_count(lopsided) > stretches / 4;
  }
  static constexpr unsigned trials = Threads / simt::warp_size,
                            trials_a_share = trials / 2; // the first tries half of a bucket's share
  SORTILE_DEVICE std::uint32_t room_of(unsigned trial, std::uint32_t drawn) const {
    const unsigned whole = trials_a_share << bits;
    const auto room = (drawn * (trials_a_share / 2 + trial) + whole - 1) / trials_a_share >> bits;
    return room == 0 ? 1 : room;
  }
  SORTILE_DEVICE Word highest(std::uint32_t segment) const {
    return first_level ? Word(~Word{0}) : segment_cuts.load(segment);
  }
  SORTILE_DEVICE Word lowest(std::uint32_t segment) const {
    return first_level || segment == 0 ? Word{0} : Word(segment_cuts.load(segment - 1) + 1);
  }

  struct sample_view {
    simt::shared_view<Word> sorted;
    std::uint32_t size;
    Word lowest, highest; // of what the segment may hold
    SORTILE_DEVICE Word at(std::uint32_t i) const { return sorted.load(primitives::merge_sort_place<Word>(i)); }
    // By all lanes of a warp, of the same v:
    /// The first sample of this value from `from` on, where none is above it up to `i`, which is one of them.
    SORTILE_DEVICE std::uint32_t first_of(Word v, std::uint32_t from, std::uint32_t i) const {
      for (std::uint32_t end = i;; end -= simt::warp_size) {
        const std::uint32_t back = simt::lane_index() + 1;
        const unsigned same = simt::ballot(end >= from + back && at(end - back) == v);
        if (same != simt::full_warp)
          return end - simt::popcount(same);
      }
    }
    /// The place after the last sample of this value, from `i` on: by steps that grow, and back to one.
    SORTILE_DEVICE std::uint32_t behind(Word v, std::uint32_t i) const {
      std::uint32_t step = 1;
      unsigned many = same_from(v, i, step);
      while (many == simt::warp_size) {
        i += (simt::warp_size - 1) * step;
        step *= 8;
        many = same_from(v, i, step);
      }
      while (step > 1) {
        i += (many - 1) * step;
        step /= 8;
        many = same_from(v, i, step);
      }
      return i + many;
    }

   private:
    /// How many of 32 samples `step` apart are v, the first of which is.
    SORTILE_DEVICE unsigned same_from(Word v, std::uint32_t i, std::uint32_t step) const {
      const std::uint32_t k = i + simt::lane_index() * step;
      return simt::popcount(simt::ballot(k < size && at(k) == v));
    }
  };
  /// Calls put(bucket, its highest image) one after the other; returns how many buckets there are, or some number above
  /// those wanted. By all lanes of a warp, alike.
  template <class Put>
  static SORTILE_DEVICE unsigned cut(const sample_view& s, std::uint32_t room, unsigned buckets_wanted, Put put) {
    unsigned buckets = 0;
    Word below = s.lowest; // the lowest image that has no bucket yet
    for (std::uint32_t p = 0; s.size - p > room && buckets <= buckets_wanted;) {
      const std::uint32_t end = p + room;
      const Word v = s.at(end);
      const std::uint32_t first = s.at(end - 1) == v ? s.first_of(v, p, end) : end;
      if (first != p) { // v does not fit in any more
        put(buckets++, Word(v - 1));
        below = v;
        p = first;
        continue;
      }
      if (below != v) // by the sample there is nothing between; here v has to be alone
        put(buckets++, Word(v - 1));
      put(buckets++, v);
      if (v == s.highest)
        return buckets;
      below = Word(v + 1);
      p = s.behind(v, end);
    }
    put(buckets++, s.highest);
    return buckets;
  }
  SORTILE_DEVICE void leave_bucket(storage& s, std::uint32_t segment, unsigned d) const {
    const Word high = s.cuts.load(d), below = d == 0 ? Word{0} : s.cuts.load(d - 1);
    const Word low = d == 0 ? lowest(segment) : Word(below + 1);
    const bool empty = d != 0 && below == high;
    const std::uint64_t q = (std::uint64_t{segment} << bits) + d;
    most[q] = low == high ? any_number : capacity;
    spreads[q] = !empty && low < high ? spread_between(low, high) : spread::whole();
  }
  SORTILE_DEVICE spread spread_between(Word low, Word high) const {
    if constexpr (std::is_same_v<Image, any_image<Word>>)
      return image.is_finite(low) && image.is_finite(high) ? spread::between(image, low, high) : spread::whole();
    else
      return spread::of(low, high);
  }
};

} // namespace sortile::kernels::inline SORTILE_BACKEND
