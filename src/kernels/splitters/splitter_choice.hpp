// Chooses the keys that part a segment into buckets of about one size: a block sorts a sample of the segment's keys,
// and cuts it (segment_split.hpp).
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
// How much room. Each lane of a warp tries one: from half of S / buckets to 2.4 times S / buckets; the least for which
// the buckets suffice is taken. For keys that hardly repeat it is S / buckets; where some values fill buckets alone it
// is less. Two neighbouring buckets together exceed the room, so twice S / buckets always suffices, but for the ends.
// A trial's steps wait for each other. So all threads find before where each sample's run of equals begins and ends
// (sample_runs.hpp): a step is then one read, and one more where a value is alone.
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
// Cost, of 64-bit keys on the H100: of 2048 samples for 64 buckets 21 µs with the meeting behind it, of which reading
// and sorting them takes 11; of 8192 samples 41. Also tried (docs/performance-log-gpu.md, 179): a warp a trial, lanes
// that part, and the chosen room gone through once more in place of cuts kept.
#pragma once

#include "kernels/key_scan/drawn_place.hpp"
#include "kernels/pairs/key_spread.hpp"
#include "kernels/splitters/sample_runs.hpp"
#include "primitives/block_merge_sort.hpp"
#include "primitives/search_tree.hpp"

namespace sortile::kernels::inline SORTILE_BACKEND {

/// Items: samples a thread, at most.
template <class Word, class Image, unsigned Threads, int Items>
struct splitter_choice {
  static constexpr std::uint32_t most_samples = Threads * unsigned(Items);
  using spread = key_spread<Word, Image>;
  using runs = sample_runs<Word, Threads, most_samples>;
  static constexpr unsigned most_buckets = primitives::search_tree<Word>::most;
  /// Half as many where samples leave no room for more.
  static constexpr unsigned trials = sizeof(Word) * most_samples > 128 * 1024 ? 16 : simt::warp_size,
                            trials_a_share = trials / 2; // the first tries half of a bucket's share

  struct storage {
    alignas(16) simt::shared_array<Word, runs::room> sorted;
    typename runs::storage run_of;
    simt::shared_array<std::uint16_t, std::size_t{most_buckets} * trials> cut; // [bucket][trial]
    simt::shared_value<std::uint32_t> chosen, cuts;                            // of the trials; of its cuts
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
    if (samples <= most_samples / 2)
      sort<Items / 2>(s, begin, keys, drawn);
    else
      sort<Items>(s, begin, keys, drawn);
    simt::block_barrier();
    const unsigned t = simt::thread_index(), buckets = 1u << bits;
    if (asks_evenness && is_uneven(s.sorted.view(), drawn))
      return true;
    const auto sample = runs::of(s.run_of, s.sorted.view(), drawn);
    sample.find(s.run_of);
    simt::block_barrier();
    const ends all{lowest(segment), highest(segment)};
    if (simt::warp_index() == 0)
      try_rooms(s, sample, all, buckets);
    simt::block_barrier();
    if (t >= buckets)
      return false;
    const Word high = cut(s, sample, all, t, buckets);
    cuts[(std::uint64_t{segment} << bits) + t] = high;
    if (!first_level)
      leave_bucket((std::uint64_t{segment} << bits) + t,
                   t == 0 ? all.lowest : Word(cut(s, sample, all, t - 1, buckets) + 1), high, t != 0);
    return false;
  }

 private:
  template <int Each>
  SORTILE_DEVICE void sort(storage& s, std::uint32_t begin, std::uint32_t keys, std::uint32_t drawn) const {
    primitives::block_merge_sort<Each, Word>::sort_loaded(
        s.sorted.view(), drawn, Word(~Word{0}),
        [&](std::uint32_t i) { return in.load(begin + drawn_place(i, drawn, keys)); },
        [&](Word key, std::uint32_t) { return image.image(key); });
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

  struct ends {
    Word lowest, highest; // images that the segment may hold
  };
  static constexpr std::uint16_t itself = 1u << 15; // a cut is the sample's image, not the one below
  static_assert(most_samples <= itself);

  /// By one warp, a trial a lane. Lanes go step by step together: where they part, each step would be taken for every
  /// lane by itself.
  SORTILE_DEVICE void try_rooms(storage& s, const runs& sample, const ends& all, unsigned wanted) const {
    const unsigned trial = simt::lane_index();
    const std::uint32_t room = room_of(trial, sample.size);
    unsigned made = 0;
    const auto put = [&](bool is_cut, std::uint32_t place) {
      if (is_cut && made < wanted)
        s.cut[made * trials + trial] = std::uint16_t(place);
      made += is_cut ? 1 : 0;
    };
    std::uint32_t p = 0;     // the first sample that has no bucket yet
    bool after_alone = true; // it follows a value that is alone in its bucket, or nothing
    bool is_last_cut = false, going = trial < trials && sample.size > room;
    while (simt::warp_any(going)) {
      const std::uint32_t first = sample.first_of(going ? p + room : 0);
      const bool alone = going && first == p;
      put(going && !alone, first); // this value does not fit in any more
      std::uint32_t next = first;
      if (simt::warp_any(alone)) {
        const std::uint32_t q = alone ? p : 0;
        const Word v = sample.at(q), below = q == 0 ? all.lowest : Word(sample.at(q - 1) + 1);
        put(alone && after_alone && below != v, q); // by the sample there is nothing between; here v has to be alone
        put(alone, q | itself);
        is_last_cut = is_last_cut || (alone && v == all.highest);
        next = alone ? sample.behind(q) : next;
      }
      after_alone = alone;
      p = going ? next : p;
      going = going && sample.size - p > room && made <= wanted && !is_last_cut;
    }
    const unsigned enough = simt::ballot(trial < trials && made + (is_last_cut ? 0 : 1) <= wanted);
    const unsigned chosen = enough == 0 ? trials - 1 : unsigned(simt::trailing_zeros(enough));
    if (trial == chosen) {
      s.chosen = chosen;
      s.cuts = made < wanted ? made : wanted;
    }
  }
  /// The highest image of bucket d. Samples that have no bucket go to the last one.
  SORTILE_DEVICE Word cut(storage& s, const runs& sample, const ends& all, unsigned d, unsigned buckets) const {
    if (d >= s.cuts || d + 1 == buckets)
      return all.highest;
    const std::uint32_t place = s.cut.load(d * trials + s.chosen);
    const Word v = sample.at(place & ~std::uint32_t{itself});
    return (place & itself) != 0 ? v : Word(v - 1);
  }
  SORTILE_DEVICE void leave_bucket(std::uint64_t q, Word low, Word high, bool may_be_empty) const {
    const bool empty = may_be_empty && Word(low - 1) == high;
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
