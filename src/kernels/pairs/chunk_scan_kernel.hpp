// The scan of the sort of pairs: how many keys of each digit every chunk of the input holds, and whether all keys are
// sorted, or descending, in a single read (chunk_counts.hpp).
//
// The digit is that of y, by which keys are spread over buckets (key_spread.hpp). Each block takes the same sample
// before it counts, and so comes to the same y without an earlier launch and without waiting (spread_sample.hpp). Block
// 0 writes it for later launches. Where the caller has a fallback and there are many pairs, the sample also tells
// whether the keys are skewed. Then nothing is counted:
//
//   keys that a map may spread evenly   some blocks count a larger sample by the map's cells; the second scan draws the
//                                       map from that (mapped_scan_kernel.hpp)
//   others                              block 0 gives them away, and neither this nor any later step does anything. Of
//                                       few values LSD passes take them, which go by the values' ranks
//
// 2048 samples do as well as 8192: buckets have so little room to spare that the counts have to find mild skew anyway.
#pragma once

#include "kernels/key_scan/drawn_place.hpp"
#include "kernels/pairs/chunk_counts.hpp"
#include "kernels/pairs/pair_map.hpp"
#include "kernels/pairs/spread_sample.hpp"

namespace sortile::kernels::inline SORTILE_BACKEND {

template <class Word, class Image>
struct chunk_scan_kernel {
  using counts = chunk_counts<Word, Image>;
  static constexpr bool starts_early = true;
  static constexpr unsigned block_threads = counts::block_threads, min_blocks = 1;
  using spread_finder = spread_sample<Word, Image, block_threads>;
  using spread = typename spread_finder::spread;
  using numbers = map_numbers<Word, Image>;
  using center = map_center<typename numbers::number>;
  static_assert(numbers::map::cells <= counts::most_bins);

  struct shared {
    typename counts::storage counted;
    typename spread_finder::storage sample;
    typename center::storage middle;
  };

  counts chunk;
  pairs_gate gate;                   // set open for the next steps
  simt::global<spread> found;        // by block 0
  simt::global<std::uint32_t> cells; // [rows][cells], 16 bits each
  simt::global<std::uint32_t> map;   // whose center is written here
  typename spread_finder::sample limits;
  std::uint32_t fewest; // values (spread_sample.hpp)
  unsigned sample_bits; // of the map's sample, log2; 0: there is no map

  SORTILE_DEVICE void operator()(shared& s) const {
    const spread_finder finder{chunk.in, chunk.image, limits, chunk.n, fewest, sample_bits != 0};
    Word samples[spread_finder::each];
    finder.load(samples);
    chunk.clear(s.counted);
    const auto sampled = finder.find(s.sample, samples);
    if (simt::block_index() == 0) {
      typename spread_finder::sample::values_seen values{};
      if (sampled.found == skew::given_away)
        values = finder.count_values(s.sample, samples);
      if (simt::thread_index() == 0)
        begin(sampled, values);
    }
    if (sampled.found == skew::given_away)
      return chunk.clear_starts();
    if (sampled.found == skew::for_a_map)
      return count_cells(s, sampled, samples);
    chunk.count(s.counted, digits_of<Word, Image>{chunk.image, sampled.keys, chunk.shift, chunk.bins - 1});
  }

 private:
  /// What later steps find before they add to it.
  SORTILE_DEVICE void begin(const typename spread_finder::result& sampled,
                            const typename spread_finder::sample::values_seen& values) const {
    found[0] = sampled.keys;
    gate.told.take();
    if (sampled.found == skew::given_away) {
      if (values.are_few())
        gate.told.give_to_passes();
      else
        gate.told.give_away(values.are_many() ? verdict::many_values : 0);
    }
    gate.findings[pair_order] = seen_neither;
    gate.findings[pair_deferred] = 0;
    gate.findings[pair_skewed] = sampled.found == skew::given_away ? 1 : 0;
    gate.findings[pair_wants_map] = sampled.found == skew::for_a_map ? 1 : 0;
    gate.findings[pair_mapped] = 0;
  }

  /// Each row of the table holds the cells of an equal part of the sample, whoever counts it.
  SORTILE_DEVICE void count_cells(shared& s, const typename spread_finder::result& sampled,
                                  const Word (&samples)[spread_finder::each]) const {
    constexpr unsigned of_center = block_threads / center::samples, words = numbers::map::cells / 2;
    const unsigned t = simt::thread_index(), nth = t / of_center;
    const numbers number{chunk.image, sampled.keys};
    if (t % of_center == 0)
      s.middle.sample[nth] = nth == 0                     ? number.of_image(sampled.lowest)
                             : nth == center::samples - 1 ? number.of_image(sampled.highest)
                                                          : number(samples[nth % spread_finder::each]);
    simt::block_barrier();
    const auto middle = center::find(s.middle);
    if (simt::block_index() == 0 && t == 0)
      store_center(map, middle);
    const std::uint32_t all = 1u << sample_bits, rows = numbers::rows(sample_bits), part = all / rows;
    for (unsigned row = simt::block_index(); row < rows; row += simt::grid_size()) {
      for (unsigned w = t; w < words; w += block_threads)
        s.counted.packed[w] = 0;
      simt::block_barrier();
      for (std::uint32_t i = t; i < part; i += block_threads) {
        const Word key = chunk.in.load(drawn_place(row * part + i, all, chunk.n));
        const std::uint32_t cell = numbers::map::of(number(key), middle).cell;
        s.counted.packed.fetch_add(cell / 2, 1u << (cell & 1) * 16, simt::relaxed, simt::block_scope);
      }
      simt::block_barrier();
      for (unsigned w = t; w < words; w += block_threads)
        cells[row * words + w] = s.counted.packed.load(w);
      simt::block_barrier();
    }
  }
};

} // namespace sortile::kernels::inline SORTILE_BACKEND
