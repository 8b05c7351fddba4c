// The scan of the sort of pairs, one cooperative launch: how many keys of each digit every chunk of the input holds,
// whether all keys are sorted, or descending, in a single read (chunk_counts.hpp), and where every chunk's pairs go.
//
//   sample   how keys are spread over buckets, or that they are skewed (spread_sample.hpp): each block takes the same
//            sample, and so comes to the same digits without waiting
//   repeats  of 32-bit keys: a larger sample tells whether they have so few values that passes are quicker
//            (repeated_samples.hpp)
//   map      where a map may spread them, all blocks draw it together (drawn_map.hpp)
//   count    each block its chunk
//   places   of two partitions, the tables (place_tables.hpp); a single one makes its own (own_tables.hpp)
//
// The digit is that of y, by which keys are spread over buckets (key_spread.hpp). Block 0 writes what later launches
// need. Where the caller has a fallback and there are many pairs, the sample also tells whether the keys are skewed.
// Keys that no map spreads block 0 gives away; nothing is counted then, and no later step does anything. Of few values
// LSD passes take them, which go by the values' ranks. Of keys that no map spreads they do, too, where the caller says
// so.
//
// 2048 samples do as well as 8192: buckets have so little room to spare that the counts have to find mild skew anyway.
#pragma once

#include "kernels/pairs/chunk_counts.hpp"
#include "kernels/pairs/drawn_map.hpp"
#include "kernels/pairs/place_tables.hpp"
#include "kernels/pairs/repeated_samples.hpp"

namespace sortile::kernels::inline SORTILE_BACKEND {

template <class Word, class Image>
struct chunk_scan_kernel {
  using counts = chunk_counts<Word, Image>;
  static constexpr bool starts_early = true;
  static constexpr unsigned block_threads = counts::block_threads, min_blocks = 1;
  using places_of_chunks = place_tables<block_threads>;
  using map_of_keys = drawn_map<Word, Image, block_threads>;
  using spread_finder = typename map_of_keys::spread_finder;
  static_assert(map_of_keys::words <= counts::most_bins / 2);

  struct shared {
    typename counts::storage counted;
    typename spread_finder::storage sample;
    typename map_of_keys::storage map;
    typename places_of_chunks::storage places;
  };

  counts chunk;
  pairs_gate gate; // set open for the next steps
  map_of_keys drawn;
  places_of_chunks tables;
  typename spread_finder::sample limits;
  repeated_samples<block_threads> repeats;
  std::uint32_t fewest;       // values (spread_sample.hpp)
  bool uneven_to_passes;      // keys that no map spreads are the LSD sort's
  bool uneven_bits_to_passes; // keys with uneven bits are

  SORTILE_DEVICE void operator()(shared& s) const {
    const spread_finder finder{chunk.in, chunk.image, limits, chunk.n, fewest, drawn.sample_bits != 0};
    Word samples[spread_finder::each];
    finder.load(samples);
    const bool they_repeat = repeats.found(s.sample.by_bits, s.counted.packed, chunk.in, chunk.n);
    chunk.clear(s.counted);
    auto sampled = finder.find(s.sample, samples);
    if (they_repeat && sampled.found == skew::none)
      sampled.found = skew::given_away;
    if (simt::block_index() == 0) {
      typename spread_finder::sample::values_seen values{};
      if (sampled.found == skew::given_away)
        values = finder.count_values(s.sample, samples);
      if (simt::thread_index() == 0)
        begin(sampled, values);
    }
    if (sampled.found == skew::given_away)
      return chunk.clear_starts();
    if (sampled.found != skew::for_a_map)
      chunk.count(s.counted, digits_of<Word, Image>{chunk.image, sampled.keys, chunk.shift, chunk.bins - 1});
    else if (!count_by_map(s, sampled, samples))
      return;
    if (chunk.two_levels)
      tables.make(s.places, gate);
  }

 private:
  /// What later steps find before they add to it.
  SORTILE_DEVICE void begin(const typename spread_finder::result& sampled,
                            const typename spread_finder::sample::values_seen& values) const {
    drawn.spreads[0] = sampled.keys;
    gate.told.take();
    if (sampled.found == skew::given_away) {
      if (values.are_few() || (sampled.uneven_bits && uneven_bits_to_passes))
        gate.told.give_to_passes(values.are_many() ? verdict::many_values : 0);
      else
        gate.told.give_away(values.are_many() ? verdict::many_values : 0);
    }
    gate.findings[pair_order] = seen_neither;
    gate.findings[pair_deferred] = 0;
    gate.findings[pair_skewed] = sampled.found == skew::given_away ? 1 : 0;
    gate.findings[pair_mapped] = sampled.found == skew::for_a_map ? 1 : 0;
  }
  /// False, in all threads of the grid, where no map spreads the keys.
  SORTILE_DEVICE bool count_by_map(shared& s, const typename spread_finder::result& sampled,
                                   const Word (&samples)[spread_finder::each]) const {
    const auto by = drawn.draw(s.map, s.counted.packed, s.sample.count, {chunk.image, sampled.keys}, sampled, samples);
    if (by.skewed) {
      if (simt::block_index() == 0 && simt::thread_index() == 0) {
        gate.findings[pair_mapped] = 0;
        gate.findings[pair_skewed] = 1;
        if (uneven_to_passes)
          gate.told.give_to_passes(verdict::many_values); // they hardly repeat
        else
          gate.told.give_away(verdict::many_values);
      }
      chunk.clear_starts();
      return false;
    }
    drawn.leave_ends(s.map, by.by);
    chunk.count(s.counted, by.by);
    return true;
  }
};

} // namespace sortile::kernels::inline SORTILE_BACKEND
